"""Rows of the archive as messages of the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from ludolog.api.gateway.v1 import play_pb2, replays_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.hosting.messages import seats, timestamp
from ludolog.sessions.hints import add_deadlines
from ludolog.sessions.port import SessionCache
from services.replay.queries import MatchRow

Names: TypeAlias = Callable[[Iterable[str]], Awaitable[Mapping[str, str]]]
"""Player ids → display names of those that have one."""


async def matches(
    rows: Sequence[MatchRow], names: Names, cache: SessionCache, player: str = ""
) -> list[play_pb2.Match]:
    """Rows as matches; with `player`, each says which of the player's seats are to decide."""
    called = await names(_players(rows))
    found = [_match(row, called, player) for row in rows]
    await add_deadlines(cache, found)
    return found


async def replays(rows: Sequence[MatchRow], names: Names) -> list[replays_pb2.Replay]:
    """Rows of finished matches as replays."""
    called = await names(_players(rows))
    return [_replay(row, called) for row in rows]


def _players(rows: Sequence[MatchRow]) -> set[str]:
    return {seat.player_id for row in rows for seat in row.seats}


def _seated(row: MatchRow) -> list[tuple[int, str]]:
    return [(seat.seat, seat.player_id) for seat in row.seats]


def _match(row: MatchRow, called: Mapping[str, str], player: str) -> play_pb2.Match:
    return play_pb2.Match(
        name=f"matches/{row.match_id}",
        rulebook=f"rulebooks/{row.rulebook}",
        seats=seats(play_pb2.Match.Seat, _seated(row), called),
        sequence=row.head.sequence,
        awaiting=match_pb2.Update.FromString(row.awaiting).awaiting,
        outcome=_outcome(row),
        create_time=timestamp(row.create_ms),
        update_time=timestamp(row.update_ms),
        spectators_allowed=row.spectators_allowed,
        my_turn_seats=[seat.seat for seat in row.seats if seat.to_move and seat.player_id == player],
    )


def _replay(row: MatchRow, called: Mapping[str, str]) -> replays_pb2.Replay:
    return replays_pb2.Replay(
        name=f"replays/{row.match_id}",
        rulebook=f"rulebooks/{row.rulebook}",
        seats=seats(replays_pb2.Replay.Seat, _seated(row), called),
        frame_count=row.head.sequence,
        outcome=_outcome(row),
        create_time=timestamp(row.create_ms),
        end_time=None if row.end_ms is None else timestamp(row.end_ms),
        verifiable=row.verifiable,
    )


def _outcome(row: MatchRow) -> match_pb2.Outcome | None:
    return None if row.outcome is None else match_pb2.Outcome.FromString(row.outcome)
