"""Readers that keep the lobby up to date: one for each partition of the matchmaking log, in every instance."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeAlias

from ludolog.eventlog.keeping import Keeper, Kept, kept_key, save_all, save_for_ever
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import EventLog, LogError, Stored
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Fence, resume
from ludolog.hosting.retries import delay_s
from ludolog.kernel import UnknownEvent
from ludolog.record.commits import UnreadableRecord
from ludolog.sessions.port import SessionCache
from services.matchmaking import hall
from services.matchmaking.aggregate import TOPIC
from services.matchmaking.hall import Hall
from services.matchmaking.lobby import Lobby

READER = "lobby"
YIELD_EVERY = 200
"""Records that are taken before others get the event loop again."""
Spawn: TypeAlias = Callable[[str, Coroutine[Any, Any, None]], "asyncio.Task[None]"]

logger = logging.getLogger(__name__)


class LobbyReaders:
    """Read all partitions for as long as the instance lives: from where the cache says that one stood, else from 0."""

    def __init__(
        self, log: EventLog, cache: SessionCache, lobby: Lobby, spawn: Spawn, monotonic: Callable[[], float]
    ) -> None:
        """`monotonic` gives seconds."""
        self._log, self._lobby, self._spawn = log, lobby, spawn
        partitions = range(len(lobby.halls))
        self._stands = [Checkpoint() for _ in partitions]
        """Up to where each hall is folded."""
        self._begun = [False for _ in partitions]
        self._moved = [asyncio.Condition() for _ in partitions]
        self._keepers = [
            Keeper(
                cache, kept_key(READER, hall.FORMAT, TOPIC, number), Kept[Hall], partial(self._stand, number), monotonic
            )
            for number in partitions
        ]
        self._tasks: list[asyncio.Task[None]] = []
        self.void_commits = 0
        """Commits that didn't count, so far."""

    def start(self) -> None:
        """Begin to read."""
        reading = [self._spawn(f"lobby {number}", self._follow(number)) for number in range(len(self._stands))]
        self._tasks = [*reading, self._spawn("keep the lobby", save_for_ever(self._keepers))]

    async def stop(self) -> None:
        """Let go, and keep what was read for the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await save_all(self._keepers)

    def partition_of(self, stream_id: str) -> int:
        """The partition of a table."""
        return partition_of(stream_id, len(self._stands))

    async def caught_up(self, partition: int) -> None:
        """Return when the lobby has everything of a partition that was in it when this was called. LogError."""
        end = await self._log.end_offset(TOPIC, partition)
        async with self._moved[partition]:
            await self._moved[partition].wait_for(lambda: self._position(partition) >= end)

    async def all_caught_up(self) -> None:
        """The same for every partition. LogError."""
        await asyncio.gather(*map(self.caught_up, range(len(self._stands))))

    async def positions(self) -> dict[tuple[str, int], int]:
        """How far each partition is read."""
        return {(TOPIC, number): self._position(number) for number in range(len(self._stands))}

    def _position(self, partition: int) -> int:
        """Everything before it is folded; 0 until reading has begun."""
        return self._stands[partition].position if self._begun[partition] else 0

    def _stand(self, partition: int) -> Kept[Hall]:
        return Kept(self._stands[partition], self._lobby.halls[partition])

    async def _follow(self, partition: int) -> None:
        """Read for ever; what can't be read now, or only by a later version, is tried again. AnotherLog is raised."""
        kept = await self._keepers[partition].load()
        if kept is not None:
            self._open(partition, kept)
        tries = 0
        while True:
            began = self._position(partition)
            try:
                await self._read(partition)
            except AnotherLog as another:
                if self._begun[partition]:
                    raise
                logger.warning("what was kept of the lobby isn't used: %s", another)
                self._open(partition, Kept(Checkpoint(), Hall()))
            except LogError as error:
                tries = 1 if self._position(partition) > began else tries + 1
                logger.warning("%s/%d can't be read now: %s", TOPIC, partition, error)
                await asyncio.sleep(delay_s(min(tries, 8)))
            except (UnreadableRecord, UnknownEvent) as error:
                # Of a later version: a newer matchmaking reads it. This one goes on with the other partitions.
                tries = min(tries + 1, 8)
                logger.critical("%s/%d stands still: %s", TOPIC, partition, error)
                await asyncio.sleep(delay_s(tries))

    def _open(self, partition: int, kept: Kept[Hall]) -> None:
        self._stands[partition] = kept.checkpoint
        self._lobby.open(partition, kept.fold)

    async def _read(self, partition: int) -> None:
        fence = await resume(self._log, TOPIC, partition, self._stands[partition])
        self._begun[partition] = True
        await self._tell(partition)
        reader = await self._log.reader(TOPIC, partition, fence.position)
        try:
            while True:
                for number, stored in enumerate(await reader.batch(), 1):
                    self._take(partition, fence, stored)
                    if number % YIELD_EVERY == 0:
                        await asyncio.sleep(0)
                await self._tell(partition)
        finally:
            await reader.close()

    def _take(self, partition: int, fence: Fence, stored: Stored) -> None:
        """Take one record. The stand moves only when it is folded: whoever keeps both finds them in step."""
        voids = fence.void_commits
        seen = fence.see(stored)
        self.void_commits += fence.void_commits - voids
        if seen.counts and seen.record is not None:
            self._lobby.apply(partition, seen.record.commit)
        self._stands[partition] = fence.checkpoint()

    async def _tell(self, partition: int) -> None:
        async with self._moved[partition]:
            self._moved[partition].notify_all()
