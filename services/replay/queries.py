"""Reading the archive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, and_, func, select, true, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from ludolog.eventlog.takeovers import Checkpoint
from ludolog.hosting import Unavailable
from ludolog.record.commits import Head
from services.replay.database import FAILED
from services.replay.pages import Key
from services.replay.projection import Place
from services.replay.tables import CORRUPT, FINISHED, LIVE, commits, matches, positions, seats, seeds


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Who sits where."""

    seat: int
    player_id: str
    to_move: bool


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match as the archive lists it. Times are Unix milliseconds."""

    match_id: str
    rulebook: str
    status: str
    founded: bool
    spectators_allowed: bool
    head: Head
    awaiting: bytes
    outcome: bytes | None
    create_ms: int
    update_ms: int
    end_ms: int | None
    verifiable: bool
    seats: tuple[SeatRow, ...]

    @property
    def finished(self) -> bool:
        """Whether it is over."""
        return self.status == FINISHED


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A counted commit as the log has it."""

    offset: int
    record: bytes


@dataclass(frozen=True, slots=True)
class Stretch:
    """Commits of one match, and how far the archive had read the match's partition at that moment."""

    commits: tuple[StoredCommit, ...]
    checkpoint: Checkpoint
    more: bool


class DatabaseUnavailable(Unavailable):
    """The database doesn't answer, or its tables are gone (they come back)."""

    def __init__(self) -> None:
        super().__init__("the archive's database doesn't answer", reason="ARCHIVE_UNAVAILABLE")


class Queries:
    """The readers' side of the archive. Every method may raise DatabaseUnavailable."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection]:
        try:
            async with self._engine.connect() as connection:
                yield connection
        except FAILED as error:
            raise DatabaseUnavailable from error

    async def match(self, match_id: str) -> MatchRow | None:
        """One match; None where the archive doesn't know it."""
        async with self._connected() as connection:
            found = await _described(connection, _listed().where(matches.c.match_id == match_id))
            return found[0] if found else None

    async def stretch(self, place: Place, match_id: str, from_sequence: int, limit: int) -> Stretch:
        """Up to `limit` commits from a number on, with the position: in one statement, hence one moment."""
        some = (
            select(commits.c.sequence, commits.c.log_offset, commits.c.record)
            .where(commits.c.match_id == match_id, commits.c.sequence >= from_sequence)
            .order_by(commits.c.sequence)
            .limit(limit + 1)
            .subquery()
        )
        here = and_(positions.c.topic == place.topic, positions.c.partition == place.partition)
        where = (positions.c.position, positions.c.in_force, positions.c.bookmark)
        query = (
            select(*where, some.c.log_offset, some.c.record)
            .select_from(positions.outerjoin(some, true()))
            .where(here)
            .order_by(some.c.sequence)
        )
        async with self._connected() as connection:
            rows = (await connection.execute(query)).all()
        if not rows:
            return Stretch((), Checkpoint(), more=False)
        found = [StoredCommit(row.log_offset, bytes(row.record)) for row in rows if row.record is not None]
        checkpoint = Checkpoint(rows[0].position, rows[0].in_force, bytes(rows[0].bookmark))
        return Stretch(tuple(found[:limit]), checkpoint, more=len(found) > limit)

    async def position(self, place: Place) -> int:
        """How far the archive has read a partition."""
        query = select(positions.c.position)
        query = query.where(positions.c.topic == place.topic, positions.c.partition == place.partition)
        async with self._connected() as connection:
            return (await connection.execute(query)).scalar() or 0

    async def positions(self) -> dict[Place, int]:
        """How far the archive has read each partition of which it has read anything."""
        query = select(positions.c.topic, positions.c.partition, positions.c.position)
        async with self._connected() as connection:
            rows = (await connection.execute(query)).all()
        return {Place(row.topic, row.partition): row.position for row in rows}

    async def seed(self, match_id: str) -> bytes | None:
        """A match's seed, once it is revealed."""
        async with self._connected() as connection:
            found = (await connection.execute(select(seeds.c.seed).where(seeds.c.match_id == match_id))).scalar()
            return None if found is None else bytes(found)

    async def replays(
        self, *, viewer: str, rulebook: str, player: str, after: Key | None, limit: int
    ) -> Sequence[MatchRow]:
        """Finished matches that `viewer` (a player id, or "") may see, the newest first, after (end, match id)."""
        query = _listed().where(matches.c.status == FINISHED, matches.c.founded)
        seen = matches.c.spectators_allowed
        query = query.where(seen | matches.c.match_id.in_(_of_player(viewer)) if viewer else seen)
        if rulebook:
            query = query.where(matches.c.rulebook == rulebook)
        if player:
            query = query.where(matches.c.match_id.in_(_of_player(player)))
        if after is not None:
            query = query.where(tuple_(matches.c.end_ms, matches.c.match_id) < tuple_(*after))
        query = query.order_by(matches.c.end_ms.desc(), matches.c.match_id.desc()).limit(limit)
        async with self._connected() as connection:
            return await _described(connection, query)

    async def matches_of(
        self, player: str, *, rulebook: str, live_only: bool, after: Key | None, limit: int
    ) -> Sequence[MatchRow]:
        """A player's matches: those that wait for the player first, then by last move; after (turn, update, id)."""
        mine = (
            select(seats.c.match_id, func.max(seats.c.to_move).label("turn"))
            .where(seats.c.player_id == player)
            .group_by(seats.c.match_id)
            .subquery()
        )
        query = _listed().join(mine, mine.c.match_id == matches.c.match_id).where(matches.c.status != CORRUPT)
        if live_only:
            query = query.where(matches.c.status == LIVE)
        if rulebook:
            query = query.where(matches.c.rulebook == rulebook)
        order = (mine.c.turn, matches.c.update_ms, matches.c.match_id)
        if after is not None:
            query = query.where(tuple_(*order) < tuple_(*after))
        query = query.order_by(*(column.desc() for column in order)).limit(limit)
        async with self._connected() as connection:
            return await _described(connection, query)


def _of_player(player: str) -> Select[Any]:
    return select(seats.c.match_id).where(seats.c.player_id == player)


def _listed() -> Select[Any]:
    revealed = select(seeds.c.match_id).where(seeds.c.match_id == matches.c.match_id).exists()
    return select(matches, revealed.label("revealed"))


async def _described(connection: AsyncConnection, query: Select[Any]) -> list[MatchRow]:
    rows = (await connection.execute(query)).all()
    ids = [row.match_id for row in rows]
    sitting = select(seats).where(seats.c.match_id.in_(ids)).order_by(seats.c.match_id, seats.c.seat)
    at: dict[str, list[SeatRow]] = {match_id: [] for match_id in ids}
    for row in (await connection.execute(sitting)).all() if ids else ():
        at[row.match_id].append(SeatRow(row.seat, row.player_id, bool(row.to_move)))
    return [_match_row(row, tuple(at[row.match_id])) for row in rows]


def _match_row(row: Row[Any], sitting: tuple[SeatRow, ...]) -> MatchRow:
    return MatchRow(
        match_id=row.match_id,
        rulebook=row.rulebook,
        status=row.status,
        founded=row.founded,
        spectators_allowed=row.spectators_allowed,
        head=Head(row.last_sequence, bytes(row.last_hash)),
        awaiting=bytes(row.awaiting),
        outcome=None if row.outcome is None else bytes(row.outcome),
        create_ms=row.create_ms,
        update_ms=row.update_ms,
        end_ms=row.end_ms,
        verifiable=row.status == FINISHED and bool(row.revealed),
        seats=sitting,
    )
