"""The end: 13.4, and what the platform adds (A38): a limit of rounds, the last player left."""

from __future__ import annotations

from ludolog.kernel import Label, Outcome, Seat, SeatResult
from ludolog.rulebooks.warlock_of_firetop_mountain.state import EndReason, Game

LABELS = {
    EndReason.CHEST_OPENED: Label("warlock.chest_opened", "The Warlock's Treasure Chest is open."),
    EndReason.OPPONENTS_LEFT: Label("warlock.opponents_left", "Only one player is left."),
    EndReason.ROUND_LIMIT: Label("warlock.round_limit", "The limit of rounds was reached: nobody wins."),
}


def outcome(game: Game) -> Outcome | None:
    """The winner ranks first, all others second; without a winner all share the first rank."""
    if game.ending is None:
        return None
    results = tuple(
        SeatResult(Seat(seat), 1 if seat == game.winner or not game.winner else 2, seat == game.winner)
        for seat in range(1, game.seats + 1)
    )
    return Outcome(game.ending.name, results, LABELS[game.ending])
