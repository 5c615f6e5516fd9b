"""Readers that keep the lobby up to date: one for each partition of the matchmaking log, in every instance."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeAlias, cast

from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import EventLog, LogError
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Counted, Fence, counted, resume
from ludolog.hosting.retries import delay_s
from services.matchmaking.aggregate import TOPIC
from services.matchmaking.lobby import Lobby

Spawn: TypeAlias = Callable[[str, Coroutine[Any, Any, None]], "asyncio.Task[None]"]

logger = logging.getLogger(__name__)


class LobbyReaders:
    """Read all partitions from their beginning on, for as long as the instance lives."""

    def __init__(self, log: EventLog, lobby: Lobby, partitions: int, spawn: Spawn) -> None:
        self._log, self._lobby, self._spawn = log, lobby, spawn
        self._fences = [Fence(Checkpoint()) for _ in range(partitions)]
        self._moved = [asyncio.Condition() for _ in range(partitions)]
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to read."""
        self._tasks = [self._spawn(f"lobby {number}", self._follow(number)) for number in range(len(self._fences))]

    async def stop(self) -> None:
        """Let go."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def partition_of(self, stream_id: str) -> int:
        """The partition of a table."""
        return partition_of(stream_id, len(self._fences))

    async def caught_up(self, partition: int) -> None:
        """Return when the lobby has everything of a partition that was in it when this was called. LogError."""
        end = await self._log.end_offset(TOPIC, partition)
        async with self._moved[partition]:
            await self._moved[partition].wait_for(lambda: self._fences[partition].position >= end)

    async def all_caught_up(self) -> None:
        """The same for every partition. LogError."""
        await asyncio.gather(*map(self.caught_up, range(len(self._fences))))

    @property
    def void_commits(self) -> int:
        """Commits that didn't count, so far."""
        return sum(fence.void_commits for fence in self._fences)

    async def positions(self) -> dict[tuple[str, int], int]:
        """How far each partition is read."""
        return {(TOPIC, partition): fence.position for partition, fence in enumerate(self._fences)}

    async def _follow(self, partition: int) -> None:
        """Read for ever. A log that doesn't answer is asked again; AnotherLog and unreadable records are raised."""
        tries = 0
        while True:
            try:
                self._fences[partition] = await self._resumed(partition)
                batches = counted(self._log, TOPIC, partition, self._fences[partition])
                async with aclosing(cast("Any", batches)):
                    async for batch in batches:
                        tries = 0
                        await self._take(partition, batch)
            except AnotherLog:
                raise
            except LogError as error:
                tries += 1
                logger.warning("%s/%d can't be read now: %s", TOPIC, partition, error)
                await asyncio.sleep(delay_s(min(tries, 8)))

    async def _resumed(self, partition: int) -> Fence:
        fence = await resume(self._log, TOPIC, partition, self._fences[partition].checkpoint())
        fence.void_commits = self._fences[partition].void_commits
        return fence

    async def _take(self, partition: int, batch: list[Counted]) -> None:
        for one in batch:
            self._lobby.apply(one.commit)
        async with self._moved[partition]:
            self._moved[partition].notify_all()
