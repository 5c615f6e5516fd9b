"""Reads the game logs for matches that are over, and has their tables become history.

The end's command id is made of the match, so that repeating it is harmless; a restart goes on after the newest end that
stands in the matchmaking log itself (docs/protocol.md, "Consumers").
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeAlias, cast

import grpc

from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.eventlog.answers import NotOwner, Unavailable
from ludolog.eventlog.port import EventLog, Listener, LogError, Membership
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Fence, Seen, resume, source_position
from ludolog.hosting import ApiError
from ludolog.hosting.retries import delay_s
from ludolog.record.commits import UnreadableRecord
from services.matchmaking.commanding import Commander
from services.matchmaking.following import LobbyReaders
from services.matchmaking.lobby import Lobby

GROUP = "matchmaking-endings"
MOST_TRIES = 10
Place: TypeAlias = tuple[str, int]
Spawn: TypeAlias = Callable[[str, Coroutine[Any, Any, None]], "asyncio.Task[None]"]
UNKNOWN = (NotOwner, Unavailable, LogError, ApiError, grpc.aio.AioRpcError, TimeoutError, UnreadableRecord)
"""Worth another attempt later. A record of a later version waits for a newer matchmaking; tables go on meanwhile."""
logger = logging.getLogger(__name__)


class Endings:
    """Follows the partitions of all game logs that the group gives to this instance."""

    def __init__(
        self, log: EventLog, instance: str, lobby: Lobby, readers: LobbyReaders, commander: Commander, spawn: Spawn
    ) -> None:
        self.noted = 0
        self.caught_up: Callable[[str], None] = lambda _topic: None
        """Told when a partition of a topic is read to the end that its log had when it was begun."""
        self.void: Callable[[str, int], None] = lambda _topic, _commits: None
        """Told of void commits of a topic that were skipped."""
        self._positions: dict[Place, int] = {}
        self._log, self._instance, self._spawn = log, instance, spawn
        self._lobby, self._readers, self._commander = lobby, readers, commander
        self._tasks: dict[Place, asyncio.Task[None]] = {}
        self._memberships: list[Membership] = []

    async def start(self, topics: list[str]) -> None:
        """Join the group on every topic."""
        for topic in topics:
            # A group for each topic: a Kafka group whose members want different topics takes seconds to settle.
            group = f"{GROUP}.{topic}"
            self._memberships.append(await self._log.join(topic, group, self._instance, self._listener(topic)))

    async def stop(self) -> None:
        """Leave in order, and let go."""
        for membership in self._memberships:
            await membership.leave()
        self._memberships.clear()
        await self._let_go(list(self._tasks))

    async def positions(self) -> dict[Place, int]:
        """How far each partition is read that is followed here."""
        return {place: position for place, position in self._positions.items() if place in self._tasks}

    def _listener(self, topic: str) -> Listener:
        async def take(partitions: frozenset[int]) -> None:
            for number in partitions:
                if (topic, number) not in self._tasks:
                    work = self._follow(topic, number)
                    self._tasks[topic, number] = self._spawn(f"endings {topic}/{number}", work)

        async def give(partitions: frozenset[int]) -> None:
            await self._let_go([(topic, number) for number in partitions])

        return Listener(take, give, give)

    async def _let_go(self, places: list[Place]) -> None:
        tasks = [self._tasks.pop(place) for place in places if place in self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, topic: str, partition: int) -> None:
        """Follow a partition; after a failure begin again, later each time. Nothing is skipped."""
        tries = 0
        while True:
            try:
                async with aclosing(cast("Any", self._seen(topic, partition))) as steps:
                    async for fence, seen in steps:
                        tries = 0
                        await self._see(topic, partition, fence, seen)
            except UNKNOWN as error:
                tries = min(tries + 1, MOST_TRIES)
                logger.warning("no endings from %s/%d: %s", topic, partition, type(error).__name__)
            await asyncio.sleep(delay_s(tries))

    async def _seen(self, topic: str, partition: int) -> Any:
        """Judged records from where this partition's newest noted end stands."""
        await self._readers.all_caught_up()
        try:
            fence = await resume(self._log, topic, partition, self._lobby.source(topic, partition))
        except AnotherLog as another:
            logger.warning("starting again from 0: %s", another)
            fence = Fence(Checkpoint())
        until = await self._log.end_offset(topic, partition)
        self._moved((topic, partition), fence, until, begins=True)
        reader = await self._log.reader(topic, partition, fence.position)
        try:
            while True:
                for stored in await reader.batch():
                    voids = fence.void_commits
                    yield fence, fence.see(stored)
                    self.void(topic, fence.void_commits - voids)
                    self._moved((topic, partition), fence, until)
        finally:
            await reader.close()

    def _moved(self, place: Place, fence: Fence, until: int, *, begins: bool = False) -> None:
        before = -1 if begins else self._positions[place]
        self._positions[place] = fence.position
        if before < until <= fence.position:
            self.caught_up(place[0])

    async def _see(self, topic: str, partition: int, fence: Fence, seen: Seen) -> None:
        if not seen.counts or seen.record is None or not seen.record.commit.HasField("ending"):
            return
        commit, after = seen.record.commit, fence.checkpoint()
        match_id = commit.stream_id
        if not self._lobby.on(match_id):
            # A match's table is in the matchmaking log before its match is in the game log.
            await self._readers.caught_up(self._readers.partition_of(match_id))
        if not self._lobby.on(match_id):
            return
        source = source_position(topic, partition, after)
        command = pb.EndMatch(reason=commit.ending.outcome.reason, source=source)
        refused = await self._commander.settle(match_id, f"ending:{match_id}", command)
        if refused:
            logger.warning("an end isn't noted: %s", refused, extra={"match": match_id})
        else:
            self.noted += 1
