"""Follows the game logs, and has the seeds of finished matches revealed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ludolog.eventlog.port import EventLog, Listener, LogError, Membership, Stored
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Fence, resume
from ludolog.record.commits import UnreadableRecord
from services.rng.keys import MasterKeys, UnknownKey
from services.rng.reveals import Publisher, newest_source, reveal_of

GROUP = "rng"
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 30.0

Place: TypeAlias = tuple[str, int]
"""A topic and a partition of it."""
Spawn: TypeAlias = Callable[[str, Coroutine[Any, Any, None]], "asyncio.Task[None]"]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Figures:
    """Callbacks for metrics."""

    revealed: Callable[[], None] = lambda: None
    void: Callable[[str, int], None] = lambda _topic, _count: None
    """So many void commits of a topic were skipped."""
    failed: Callable[[str], None] = lambda _why: None
    stuck: Callable[[int], None] = lambda _partitions: None
    """So many partitions wait for the log, a missing key or a newer version."""
    caught_up: Callable[[str], None] = lambda _topic: None
    """A partition is read to the end that its log had when it was begun."""


class PartitionFollower:
    """Follows one partition of a game log. Its reveals are written one after the other: see `newest_source`."""

    def __init__(self, log: EventLog, keys: MasterKeys, publisher: Publisher, place: Place, figures: Figures) -> None:
        self._log, self._keys, self._publisher, self._figures = log, keys, publisher, figures
        self._topic, self._partition = place
        self._furthest = -1
        self.position = 0
        """Offset of the next record."""

    async def run(self, progressed: Callable[[], None]) -> None:
        """Follow the partition for ever; `progressed` is called where it gets further than ever before.

        LogError, UnknownKey, UnreadableRecord: run it again later. Nothing was skipped.
        """
        fence = await self._begin()
        until = await self._log.end_offset(self._topic, self._partition)
        self._moved(fence, until, begins=True)
        reader = await self._log.reader(self._topic, self._partition, fence.position)
        try:
            while True:
                for stored in await reader.batch():
                    await self._see(fence, stored)
                    self._moved(fence, until)
                    if stored.offset > self._furthest:
                        self._furthest = stored.offset
                        progressed()
        finally:
            await reader.close()

    def _moved(self, fence: Fence, until: int, *, begins: bool = False) -> None:
        before, self.position = -1 if begins else self.position, fence.position
        if before < until <= fence.position:
            self._figures.caught_up(self._topic)

    async def _begin(self) -> Fence:
        checkpoint = await newest_source(self._log, self._topic, self._partition)
        try:
            return await resume(self._log, self._topic, self._partition, checkpoint)
        except AnotherLog as another:
            logger.warning("starting again from 0: %s", another)
            self._furthest = -1
            return Fence(Checkpoint())

    async def _see(self, fence: Fence, stored: Stored) -> None:
        void = fence.void_commits
        seen = fence.see(stored)
        self._figures.void(self._topic, fence.void_commits - void)
        reveal = reveal_of(self._keys, self._topic, self._partition, seen, fence.checkpoint())
        if reveal is not None:
            await self._publisher.publish(reveal)
            self._figures.revealed()
            logger.info("a seed is revealed", extra={"match": reveal.match_id})


@dataclass(slots=True)
class Follower:
    """Follows the partitions of all game logs that the group gives to this instance."""

    log: EventLog
    keys: MasterKeys
    instance: str
    spawn: Spawn
    figures: Figures = field(default_factory=Figures)
    _tasks: dict[Place, asyncio.Task[None]] = field(default_factory=dict)
    _followers: dict[Place, PartitionFollower] = field(default_factory=dict)
    _stuck: set[Place] = field(default_factory=set)
    _memberships: list[Membership] = field(default_factory=list)
    _publisher: Publisher = field(init=False)

    def __post_init__(self) -> None:
        self._publisher = Publisher(self.log)

    async def start(self, topics: list[str]) -> None:
        """Join the group on every topic."""
        for topic in topics:
            self._memberships.append(await self.log.join(topic, GROUP, self.instance, self._listener(topic)))

    async def positions(self) -> dict[Place, int]:
        """How far each partition is read that is followed here."""
        return {place: self._followers[place].position for place in self._tasks if place in self._followers}

    async def stop(self) -> None:
        """Leave in order, and let go."""
        for membership in self._memberships:
            await membership.leave()
        self._memberships.clear()
        await self._let_go(list(self._tasks))
        await self._publisher.close()

    def _listener(self, topic: str) -> Listener:
        async def take(partitions: frozenset[int]) -> None:
            for partition in partitions:
                if (topic, partition) not in self._tasks:
                    work = self._follow((topic, partition))
                    self._tasks[topic, partition] = self.spawn(f"reveals {topic}/{partition}", work)

        async def give(partitions: frozenset[int]) -> None:
            await self._let_go([(topic, partition) for partition in partitions])

        return Listener(take, give, give)

    async def _let_go(self, places: list[Place]) -> None:
        tasks = [self._tasks.pop(place) for place in places if place in self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._mark(set(places), stuck=False)

    async def _follow(self, place: Place) -> None:
        """Follow a partition; after a failure begin again, later each time."""
        follower = PartitionFollower(self.log, self.keys, self._publisher, place, self.figures)
        self._followers[place] = follower
        wait_s = FIRST_WAIT_S

        def progressed() -> None:
            nonlocal wait_s
            if wait_s > FIRST_WAIT_S:
                wait_s = FIRST_WAIT_S
                self._mark({place}, stuck=False)

        while True:
            try:
                await follower.run(progressed)
            except (LogError, UnknownKey, UnreadableRecord) as error:
                # A missing key or a later format waits for an operator: what is skipped, nobody would find again.
                level = logging.WARNING if isinstance(error, LogError) else logging.ERROR
                logger.log(level, "no reveals from %s/%d: %s", *place, error)
                self.figures.failed(type(error).__name__)
                self._mark({place}, stuck=True)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    def _mark(self, places: set[Place], *, stuck: bool) -> None:
        self._stuck = self._stuck | places if stuck else self._stuck - places
        self.figures.stuck(len(self._stuck))
