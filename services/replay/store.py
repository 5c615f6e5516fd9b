"""Writing the archive: effects and position in one transaction, by compare-and-set on the position."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

from sqlalchemy import Table, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from ludolog.eventlog.takeovers import Checkpoint
from services.replay.projection import CHANGING, Effects, Place, Row
from services.replay.tables import commits, matches, positions, seats, seeds

CHUNK = 500
"""Rows of one statement."""

# Made once: putting a statement together costs as much as running it.
INSERTS = {table: insert(table) for table in (commits, matches, seats)}
MOVE = (
    update(positions)
    .where(
        positions.c.topic == bindparam("of_topic"),
        positions.c.partition == bindparam("of_partition"),
        positions.c.position == bindparam("started"),
    )
    .values(position=bindparam("to"), in_force=bindparam("now_in_force"), bookmark=bindparam("now_bookmark"))
)
CHANGE_MATCH = (
    update(matches)
    .where(matches.c.match_id == bindparam("of_match"))
    .values({name: bindparam(name) for name in CHANGING})
)
CHANGE_TURN = (
    update(seats)
    .where(seats.c.match_id == bindparam("of_match"), seats.c.seat == bindparam("of_seat"))
    .values(to_move=bindparam("now"))
)


class Fenced(Exception):
    """The position isn't where this consumer began: another one has gone on. Forget everything and load again."""


class Store:
    """The writer's side of the archive."""

    def __init__(self, engine: AsyncEngine, turns: asyncio.Lock | None = None) -> None:
        """`turns`: shared by all who write one SQLite file, which takes one writer at a time.

        SQLite lets whoever is lucky go first: with a writer for each partition some waited longer than they may.
        """
        self._engine = engine
        self._turns: AbstractAsyncContextManager[object] = turns or nullcontext()

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        async with self._turns, self._engine.begin() as connection:
            yield connection

    async def checkpoint(self, place: Place) -> Checkpoint:
        """Where the archive stands in a partition; makes the row that compare-and-set needs where there is none."""
        async with self._writing() as connection:
            here = {"topic": place.topic, "partition": place.partition}
            start = Checkpoint()
            fresh = {**here, "position": start.position, "in_force": start.in_force, "bookmark": start.bookmark}
            await _insert_missing(connection, positions, [fresh])
            query = select(positions.c.position, positions.c.in_force, positions.c.bookmark)
            row = (await connection.execute(_at(query, positions, place))).one()
            return Checkpoint(row.position, row.in_force, bytes(row.bookmark))

    async def write(self, place: Place, started: int, effects: Effects, checkpoint: Checkpoint) -> None:
        """Write effects and move the position from `started` to the checkpoint. Fenced where it isn't at `started`."""
        async with self._writing() as connection:
            await _move(connection, place, started, checkpoint)
            await _insert(connection, commits, effects.commits)
            await _insert(connection, matches, effects.new_matches)
            await _insert(connection, seats, effects.new_seats)
            await _insert_missing(connection, seeds, effects.seeds)
            await _change_matches(connection, effects.changed_matches)
            await _change_turns(connection, effects.turns)

    async def start_again(self, place: Place, started: int) -> None:
        """Forget everything that came from a partition: its log is another one. Fenced as for `write`."""
        async with self._writing() as connection:
            await _move(connection, place, started, Checkpoint())
            gone = _at(select(matches.c.match_id), matches, place)
            await connection.execute(delete(seats).where(seats.c.match_id.in_(gone)))
            for table in (commits, matches, seeds):
                await connection.execute(_at(delete(table), table, place))


async def _move(connection: AsyncConnection, place: Place, started: int, to: Checkpoint) -> None:
    values = {"to": to.position, "now_in_force": to.in_force, "now_bookmark": to.bookmark}
    here = {"of_topic": place.topic, "of_partition": place.partition, "started": started}
    moved = await connection.execute(MOVE, {**here, **values})
    if moved.rowcount != 1:
        raise Fenced(f"{place.topic}/{place.partition}: no longer at {started}")


def _at(statement: Any, table: Table, place: Place) -> Any:
    return statement.where(table.c.topic == place.topic, table.c.partition == place.partition)


async def _insert(connection: AsyncConnection, table: Table, rows: Sequence[Row]) -> None:
    for start in range(0, len(rows), CHUNK):
        await connection.execute(INSERTS[table], rows[start : start + CHUNK])


async def _insert_missing(connection: AsyncConnection, table: Table, rows: Sequence[Row]) -> None:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    for row in rows:
        await connection.execute(dialect.insert(table).values(row).on_conflict_do_nothing())


async def _change_matches(connection: AsyncConnection, rows: Sequence[Row]) -> None:
    if rows:
        values = [{name: row[name] for name in CHANGING} | {"of_match": row["match_id"]} for row in rows]
        await connection.execute(CHANGE_MATCH, values)


async def _change_turns(connection: AsyncConnection, rows: Sequence[Row]) -> None:
    if rows:
        values = [{"of_match": row["match_id"], "of_seat": row["seat"], "now": row["to_move"]} for row in rows]
        await connection.execute(CHANGE_TURN, values)
