"""A matchmaking log written by hand: takeovers, commits that count, and void ones."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import Appender, EventLog
from ludolog.kernel import Refusal
from ludolog.record.commits import Head, Proposal, commit_record, record_hash, takeover_record
from ludolog.sessions.port import SessionCache
from services.matchmaking import tables
from services.matchmaking.aggregate import EVENTS, TOPIC
from services.matchmaking.following import LobbyReaders
from services.matchmaking.lobby import Lobby
from services.matchmaking.tables import EMPTY, Judged, Table

GAME_TOPIC = "ludolog.toy.log"
SOMEBODY = log_pb2.Cause(actor="somebody")


class Logbook:
    """Writes into the partitions of one log, as owners who take turns."""

    def __init__(self, log: EventLog, appender: Appender, partitions: int) -> None:
        self.log, self.partitions = log, partitions
        self.tables: dict[str, Table] = {}
        self.now_ms = 1_800_000_000_000
        self._appender = appender
        self._heads: dict[str, Head] = {}
        self._in_force = [-1] * partitions
        self._before = [-1] * partitions

    async def take_over(self, partition: int) -> None:
        """Somebody else writes from now on."""
        offset = await self._appender.append(TOPIC, partition, None, takeover_record(bytes(16), "test"))
        self._before[partition], self._in_force[partition] = self._in_force[partition], offset

    def judge(self, table_id: str, command: Message) -> Judged | None:
        """What a command comes to; None where it is refused."""
        self.now_ms += 1
        try:
            return tables.decide(self.tables.get(table_id, EMPTY), command, self.now_ms)
        except Refusal:
            return None

    async def does(self, table_id: str, *commands: Message) -> None:
        """Commands that are accepted."""
        for command in commands:
            judged = self.judge(table_id, command)
            assert judged is not None, command
            await self.commit(table_id, *judged.events)

    async def commit(self, stream_id: str, *events: Message, void: bool = False) -> None:
        """A commit; a void one is a former owner's, and changes nothing."""
        partition, head = partition_of(stream_id, self.partitions), self._heads.get(stream_id, Head())
        value = commit_record(
            takeover_offset=(self._before if void else self._in_force)[partition],
            stream_id=stream_id,
            head=head,
            cause=SOMEBODY,
            proposal=Proposal(tuple(map(EVENTS.encode, events))),
            time_ms=self.now_ms,
        )
        await self._appender.append(TOPIC, partition, stream_id.encode(), value)
        if void:
            return
        self._heads[stream_id] = Head(head.sequence + 1, record_hash(value))
        if not stream_id.startswith("queues/"):
            table = self.tables.get(stream_id, EMPTY)
            for event in events:
                table = tables.apply(table, event)
            self.tables[stream_id] = table


class Instance:
    """An instance's lobby."""

    def __init__(self, log: EventLog, cache: SessionCache, partitions: int) -> None:
        self.lobby = Lobby(partitions)
        self._tasks: list[asyncio.Task[None]] = []
        self.readers = LobbyReaders(log, cache, self.lobby, self._spawn, lambda: 0.0)

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        self._tasks.append(asyncio.ensure_future(work))
        return self._tasks[-1]

    async def ended(self) -> set[asyncio.Task[None]]:
        """Wait until one of its tasks has ended; those that have."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        return done

    async def start(self) -> None:
        """Read everything that there is."""
        self.readers.start()
        async with asyncio.timeout(20):
            await self.readers.all_caught_up()
