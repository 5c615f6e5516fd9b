"""Matchmaking put together: the owner of its partitions, the lobby, and whoever listens to what counts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import grpc

from ludolog.api.engine.v1 import engine_pb2, engine_pb2_grpc
from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.owner import Owner, OwnerLimits
from ludolog.hosting import Host, names, topic_of
from ludolog.hosting.owning import OwnerTally, share_of
from ludolog.hosting.progress import Progress
from ludolog.record.commits import Head
from ludolog.rulebooks import catalogue
from services.matchmaking.aggregate import MATCHMAKING, QUEUES, TOPIC, State, Streams
from services.matchmaking.commanding import Commander
from services.matchmaking.endings import Endings
from services.matchmaking.figures import Figures
from services.matchmaking.following import LobbyReaders
from services.matchmaking.lobby import Lobby
from services.matchmaking.matchmaker import Matchmaker
from services.matchmaking.queues import Queue

RECEIPTS = 4096
"""Newest receipts kept of a stream. A table has a few dozen commits; a queue goes on for ever."""
LOOK_S = 0.25
CREATE_S = 10.0


class Matchmaking:
    """Owner, lobby, jobs and endings. Also the owner's hooks: told of what counts, in order."""

    def __init__(self, host: Host, partitions: int) -> None:
        settings = host.settings
        self.host = host
        self.lobby = Lobby(partitions)
        self.tally = OwnerTally(host.metrics, TOPIC, MATCHMAKING)
        self.figures = Figures(host.metrics, host.clock)
        self.reading = Progress(host.metrics, "lobby")
        self.ending = Progress(host.metrics, "endings")
        self.readers = LobbyReaders(host.log, host.cache, self.lobby, host.spawn, host.clock.monotonic)
        self.owner: Owner[State] = Owner(
            log=host.log,
            cache=host.cache,
            topic=TOPIC,
            group=MATCHMAKING,
            instance=host.instance,
            aggregate=Streams(host.clock),
            clock=host.clock,
            address=host.address,
            hooks=self,
            limits=OwnerLimits(idle_s=settings.idle_unload_s, receipts=RECEIPTS),
            tally=self.tally,
            spans=host.tracing,
        )
        # The router knows topics by name, and this one's owners publish themselves as engines do.
        self.commander = Commander(self.owner, host.engines(MATCHMAKING), settings.call_timeout_s)
        self.matchmaker = Matchmaker(
            partitions=partitions,
            clock=host.clock,
            commander=self.commander,
            create_match=self._create_match,
            look=self._look,
            fill_ms=self.fill_ms,
            idle_s=settings.table_idle_s,
        )
        self.endings = Endings(host.log, host.instance, self.lobby, self.readers, self.commander, host.spawn)
        self._began_s = host.clock.monotonic()
        self.endings.void, self.endings.caught_up = self.ending.void, self._caught_up
        self._running: list[asyncio.Task[Any]] = []

    @property
    def fill_ms(self) -> int | None:
        """After so long house players fill a queue's table; None: never."""
        return int(self.host.settings.queue_fill_s * 1000) if self.host.settings.bots else None

    async def start(self) -> None:
        """Begin to read, and to take partitions over."""
        self.host.serving("partitions", ok=False, why="not taken over yet")
        self.host.serving("lobby", ok=False, why="the log is being read")
        self.readers.start()
        await self.owner.start()
        self._show()
        parts = {
            "clock": self.matchmaker.run(),
            "partitions": self._look_after_itself(),
            "lobby": self._begin(),
            "progress": self.tally.progress.watch(self.host.log, self.host.clock, self._positions),
            "progress of the lobby": self.reading.watch(self.host.log, self.host.clock, self.readers.positions),
            "progress of endings": self.ending.watch(self.host.log, self.host.clock, self.endings.positions),
        }
        self._running = [self.host.spawn(name, part) for name, part in parts.items()]

    def _show(self) -> None:
        self.tally.watch(self.owner.load)
        self.figures.watch(catalogue.names(), self.matchmaker.queues)
        self.figures.gauge("tables", "Tables that aren't history.", lambda: len(self.lobby))
        self.figures.gauge("jobs", "Matches and tables that are being made.", lambda: len(self.matchmaker.jobs))
        self.figures.gauge("broken_tables", "Broken tables; must stay 0.", lambda: len(self.lobby.broken))
        self.figures.counter("job_repeats", "Attempts without a definite answer.", lambda: self.matchmaker.jobs.repeats)

    def _caught_up(self, topic: str) -> None:
        self.ending.caught_up(topic, self.host.clock.monotonic() - self._began_s)

    async def _positions(self) -> dict[tuple[str, int], int]:
        return {(TOPIC, partition): position for partition, position in self.owner.positions().items()}

    async def drain(self) -> None:
        """Hand everything over in order."""
        await self.endings.stop()
        await self.owner.drain()
        await self.matchmaker.jobs.close()
        await self.readers.stop()

    async def _begin(self) -> None:
        await self.readers.all_caught_up()
        self.reading.caught_up(TOPIC, self.host.clock.monotonic() - self._began_s)
        self.host.serving("lobby", ok=True)
        await self.endings.start([topic_of(name) for name in catalogue.names()])

    # ---- what the owner tells

    def confirmed(self, stream_id: str, before: State, commit: log_pb2.Commit, after: State, head: Head) -> None:
        """A commit counts."""
        self.matchmaker.see(stream_id, after)
        if isinstance(before, Queue) and isinstance(after, Queue):
            self.figures.moved(stream_id.removeprefix(QUEUES), before, after)

    def began(self, partition: int, heads: Mapping[str, Head]) -> None:
        """A partition is taken over, with these streams unfinished."""
        self.matchmaker.began(partition, heads)

    def ended(self, partition: int) -> None:
        """A partition isn't ours any more."""
        self.matchmaker.ended(partition)

    # ---- what the parts ask of each other

    async def _look(self, stream_id: str) -> State:
        return (await self.owner.confirmed(stream_id)).state

    async def _create_match(self, request: engine_pb2.CreateMatchRequest) -> object:
        match_id = names.match_of(request.name)
        channel: grpc.aio.Channel = self.host.engines(names.rulebook_of_match(match_id)).channel_for(match_id)
        stub: Any = engine_pb2_grpc.EngineServiceStub(channel)
        return await stub.CreateMatch(request, timeout=CREATE_S)

    async def _look_after_itself(self) -> None:
        """Serving while everything of its share of the group is taken over."""
        void = 0
        self.reading.void(TOPIC, 0)
        while True:
            ok, why = share_of(self.owner.awaited())
            self.host.serving("partitions", ok=ok, why=why)
            self.reading.void(TOPIC, self.readers.void_commits - void)
            void = self.readers.void_commits
            await asyncio.sleep(LOOK_S)
