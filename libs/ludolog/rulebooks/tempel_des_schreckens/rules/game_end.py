"""Game End: checked after every opening, in the book's order. Rulings T7, T13."""

from __future__ import annotations

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Events, Label, Outcome, Seat, SeatResult
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.state import ROUNDS, Counts, EndReason, Game, Team

LABELS = {
    EndReason.ALL_GOLD: Label("tempel.all_gold", "The last gold chamber was found: the adventurers win."),
    EndReason.ALL_FIRE: Label("tempel.all_fire", "All fire traps are revealed: the guardians win."),
    EndReason.TIME_UP: Label("tempel.time_up", "Four rounds are over and gold is still hidden: the guardians win."),
}


def end_reached(game: Game, opened: Counts) -> EndReason | None:
    """1. last gold; 2. all fire; 3. four rounds without all the gold (when the last chamber of round 4 was opened)."""
    if opened.gold == game.chambers.gold:
        return EndReason.ALL_GOLD
    if opened.fire == game.chambers.fire:
        return EndReason.ALL_FIRE
    if opened.total == ROUNDS * game.seats:
        return EndReason.TIME_UP
    return None


def ended(game: Game, reason: EndReason) -> Events:
    """The team that wins, then everybody's role; a role card that was set aside stays unseen (T7)."""
    return (
        pb.GameEnded(winner=pb.Team.ValueType(reason.winner), reason=pb.EndReason.ValueType(reason)),
        pb.RolesRevealed(roles=words.roles(game.roles)),
    )


def outcome(game: Game) -> Outcome | None:
    """The winning team's seats rank first, all others second; who resigned doesn't win (RULINGS L3)."""
    if game.ending is None:
        return None
    winner = game.ending.winner
    won = [Team(role) is winner and seat not in game.resigned for seat, role in enumerate(game.roles, 1)]
    results = tuple(SeatResult(Seat(seat), 1 if wins else 2, wins) for seat, wins in enumerate(won, 1))
    return Outcome(game.ending.name, results, LABELS[game.ending])
