"""More Gameplay 2, End of a Round: stacks, redeal, one chamber less for each. Ruling T13."""

from __future__ import annotations

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Chance, Events
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.rules.game_end import end_reached, ended
from ludolog.rulebooks.tempel_des_schreckens.rules.set_up import distribute_chambers
from ludolog.rulebooks.tempel_des_schreckens.state import Counts, Game


def what_follows(game: Game, opened: Counts, chance: Chance) -> Events:
    """After an opening that makes `opened` what lies open: the end of the game, else perhaps the end of the round."""
    if reason := end_reached(game, opened):
        return ended(game, reason)
    if opened.total == game.seats * game.round:
        return end_round(game, opened, chance)
    return ()


def end_round(game: Game, opened: Counts, chance: Chance) -> Events:
    """As many chambers are open as there are players (E1): stack them, collect the rest, shuffle and deal again (E2).

    The key stays with the owner of the last opened chamber (E3). Draws: "chambers", "row of seat N".
    """
    face_down = game.chambers.minus(opened)
    return (
        pb.RoundEnded(round=game.round, stacks=words.counts(opened)),
        distribute_chambers(face_down, game.round + 1, game.seats, chance),
    )
