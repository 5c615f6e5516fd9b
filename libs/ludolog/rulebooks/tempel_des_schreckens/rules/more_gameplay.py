"""More Gameplay 2, End of a Round: stacks, redeal, one chamber less for each. Ruling T13."""

from __future__ import annotations

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Chance, Events
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.rules.game_end import end_reached, ended
from ludolog.rulebooks.tempel_des_schreckens.rules.set_up import distribute_chambers
from ludolog.rulebooks.tempel_des_schreckens.state import Game


def what_follows(game: Game, chance: Chance) -> Events:
    """After an opening: the end of the game comes first (Game End), else perhaps the end of the round."""
    if reason := end_reached(game):
        return ended(game, reason)
    if game.opened_this_round == game.seats:
        return end_round(game, chance)
    return ()


def end_round(game: Game, chance: Chance) -> Events:
    """As many chambers are open as there are players (E1): stack them, collect the rest, shuffle and deal again (E2).

    The key stays with the owner of the last opened chamber (E3). Draws: "chambers", "row of seat N".
    """
    face_down = game.chambers.minus(game.opened)
    return (
        pb.RoundEnded(round=game.round, stacks=words.counts(game.opened)),
        distribute_chambers(face_down, game.round + 1, game.seats, chance),
    )
