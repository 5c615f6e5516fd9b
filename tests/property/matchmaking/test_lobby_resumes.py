"""A lobby that goes on from what was kept is the one that reads the log from its beginning, wherever it was cut."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from random import Random

from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.eventlog.port import Stored
from services.matchmaking import hall
from services.matchmaking.aggregate import queue_id
from services.matchmaking.lobby import Lobby, Viewer
from services.matchmaking.tables import EMPTY, OVER
from tests.infra.caches import DictCache
from tests.unit.eventlog.instant import InstantLog
from tests.unit.matchmaking.logbook import GAME_TOPIC, Instance, Logbook
from tests.unit.matchmaking.test_tables import PRIVATE, opening, sit

PARTITIONS = 2
PLAYERS = ("ann", "ben", "cat", "dan")
VIEWERS = (Viewer(), *map(Viewer, PLAYERS), Viewer("bot", house=True))
STEPS = 120


class WatchedLog(InstantLog):
    """Notes from where on each partition is read."""

    def __init__(self) -> None:
        super().__init__(PARTITIONS)
        self.first: dict[int, int] = {}

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        self.first[partition] = min(offset, self.first.get(partition, offset))
        return await super().read(topic, partition, offset, limit)


class History:
    """Writes what happens to happen."""

    def __init__(self, log: InstantLog, book: Logbook, chance: Random) -> None:
        self.log, self.book, self.chance = log, book, chance
        self.opened = 0

    async def step(self) -> None:
        """A takeover, a queue's commit, or a command at a table; sometimes one that a former owner writes too late."""
        what = self.chance.random()
        if what < 0.08:
            await self.book.take_over(self.chance.randrange(PARTITIONS))
        elif what < 0.16:
            await self.book.commit(queue_id(self.chance.choice(("toy", "game"))), pb.TicketCancelled(ticket_id="t"))
        else:
            await self._at_a_table()

    async def _at_a_table(self) -> None:
        on = [table_id for table_id, table in self.book.tables.items() if table.phase not in OVER]
        table_id = self.chance.choice(on) if on and self.chance.random() < 0.85 else self._new()
        judged = self.book.judge(table_id, self._command(table_id))
        if judged is not None:
            await self.book.commit(table_id, *judged.events, void=self.chance.random() < 0.15)

    def _new(self) -> str:
        self.opened += 1
        return f"toy-{self.opened}"

    def _command(self, table_id: str) -> Message:
        table, player = self.book.tables.get(table_id, EMPTY), self.chance.choice(PLAYERS)
        if table == EMPTY:
            visibility = self.chance.choice((PRIVATE, 0))
            return opening(player, self.chance.randint(1, 3), visibility=visibility, invite_code="C")
        source = log_pb2.SourcePosition(
            topic=GAME_TOPIC, partition=self.chance.randrange(2), position=self.chance.randrange(99), in_force=1
        )
        choices: tuple[Callable[[], Message], ...] = (
            lambda: sit(player, code="C"),
            lambda: sit("bot", house=True),
            lambda: pb.LeaveSeat(player_id=player),
            lambda: pb.WantBots(player_id=table.host_id, count=1),
            lambda: pb.StartMatch(player_id=table.host_id),
            pb.ConfirmMatch,
            lambda: pb.EndMatch(reason="X", source=source),
        )
        return self.chance.choice(choices)()


def shown(lobby: Lobby) -> Iterator[object]:
    """Everything that anybody can ask of a lobby."""
    yield from lobby.halls
    yield from ([list(one.history) for one in lobby.halls], len(lobby), lobby.broken)
    yield from (list(lobby.seen_by(viewer)) for viewer in VIEWERS)
    yield from (lobby.hosted_by(player) for player in PLAYERS)
    yield from (lobby.source(GAME_TOPIC, partition) for partition in range(2))


async def _check(chance: Random) -> None:
    log, cache = WatchedLog(), DictCache()
    book = Logbook(log, await log.appender(), PARTITIONS)
    history, kept = History(log, book, chance), [0] * PARTITIONS
    for _ in range(chance.randint(1, 5)):
        for _ in range(chance.randrange(STEPS)):
            await history.step()
        instance = Instance(log, cache, PARTITIONS)
        log.first.clear()
        await instance.start()
        assert all(log.first[partition] >= position - 1 for partition, position in enumerate(kept))
        fresh = Instance(log, DictCache(), PARTITIONS)
        await fresh.start()
        assert list(shown(instance.lobby)) == list(shown(fresh.lobby))
        assert await instance.readers.positions() == await fresh.readers.positions()
        cache.down = chance.random() < 0.3  # such a one is killed: it keeps nothing
        await instance.readers.stop()
        kept = kept if cache.down else [len(rows) for rows in log.rows]
        cache.down = False
        await fresh.readers.stop()


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_wherever_it_is_cut(chance: Random) -> None:
    history, hall.HISTORY = hall.HISTORY, 3
    try:
        asyncio.run(_check(chance))
    finally:
        hall.HISTORY = history
