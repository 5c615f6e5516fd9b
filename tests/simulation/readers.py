"""Readers of the log: an archive with the revealer of seeds, and two instances of a consumer that rates endings."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ludolog.eventlog import takeovers
from ludolog.eventlog.archive import ArchivedCommits
from ludolog.eventlog.port import LogError, OutOfRange
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Counted, Fence
from tests.simulation.engines import TOPIC
from tests.simulation.game import name_of

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass
class Rows:
    """What a projection stores of one partition, in one transaction."""

    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    commits: dict[str, list[Counted]] = field(default_factory=dict)


class Projection:
    """Reads one partition, restarts at any moment, and stores its position with what it derived."""

    def __init__(self, world: World, partition: int) -> None:
        self.world = world
        self.partition = partition
        self.stored = Rows()
        self.position = 0
        self.dropped = False

    async def run(self) -> None:
        while True:
            derived = {stream_id: list(commits) for stream_id, commits in self.stored.commits.items()}
            fence = Fence(self.stored.checkpoint)
            try:
                fence = await takeovers.resume(self.world.reader_log, TOPIC, self.partition, self.stored.checkpoint)
                await self._read(fence, derived)
            except (AnotherLog, OutOfRange):
                self.world.eye.stats["readers started anew"] += 1
                self.stored = Rows()
            except LogError:
                await asyncio.sleep(0.05)

    async def _read(self, fence: Fence, derived: dict[str, list[Counted]]) -> None:
        """Until it is restarted."""
        rng = self.world.rng
        batches = takeovers.counted(self.world.reader_log, TOPIC, self.partition, fence)
        epoch = self.world.store.epoch
        try:
            async for batch in batches:
                if epoch != self.world.store.epoch:
                    return
                if self.dropped:
                    self.dropped, self.stored = False, Rows()
                    return
                for counted in batch:
                    derived.setdefault(counted.commit.stream_id, []).append(counted)
                    if counted.commit.HasField("ending"):
                        self.world.eye.revealed(counted.commit.stream_id)
                names = {
                    stream_id: [name_of(c.commit.cause) for c in commits] for stream_id, commits in derived.items()
                }
                self.world.eye.reader_at(self.partition, fence.position, names)
                self.position = fence.position
                if rng.random() < 0.6 or self.world.store.calm:
                    self.stored = Rows(fence.checkpoint(), {s: list(commits) for s, commits in derived.items()})
                if not self.world.store.calm and rng.random() < 0.05:
                    return
        finally:
            await batches.aclose()  # type: ignore[attr-defined]

    async def rows(self, stream_id: str) -> tuple[list[Counted], Checkpoint]:
        """A stream's commits and the position, in one transaction."""
        return self.stored.commits.get(stream_id, []), self.stored.checkpoint


class SimArchive:
    """What engines ask the projections of all partitions."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def commits(self, stream_id: str, from_sequence: int) -> ArchivedCommits:
        await asyncio.sleep(self._world.store.lag_s())
        if not self._world.store.calm and self._world.rng.random() < 0.05:
            raise ConnectionError("archive")
        projection = self._world.projections[self._world.eye.place[stream_id]]
        commits, checkpoint = await projection.rows(stream_id)
        await asyncio.sleep(self._world.store.lag_s())
        found = [(c.offset, c.value) for c in commits if c.commit.sequence >= from_sequence]
        return ArchivedCommits(found, checkpoint)


@dataclass
class Ratings:
    """A table in SQL and the position beside it."""

    checkpoint: Checkpoint = field(default_factory=Checkpoint)


class Rater:
    """One of two instances that rate endings; the other may be a former owner."""

    def __init__(self, world: World, partition: int, table: Ratings) -> None:
        self.world = world
        self.partition = partition
        self.table = table

    async def run(self) -> None:
        while True:
            try:
                await self._work()
            except (AnotherLog, OutOfRange):
                self.table.checkpoint = Checkpoint()
                self.world.forget_ratings(self.partition)
            except LogError:
                await asyncio.sleep(0.05)

    async def _work(self) -> None:
        log, epoch = self.world.reader_log, self.world.store.epoch
        start = self.table.checkpoint
        fence = await takeovers.resume(log, TOPIC, self.partition, start)
        while epoch == self.world.store.epoch:
            batch = await log.read(TOPIC, self.partition, fence.position, 4)
            counted = fence.count(batch)
            if not batch:
                await asyncio.sleep(self.world.rng.expovariate(4))
                continue
            after = fence.checkpoint()
            await asyncio.sleep(self.world.store.lag_s())
            if epoch != self.world.store.epoch or not self.transact(start, after, counted):
                return
            start = after

    def transact(self, start: Checkpoint, after: Checkpoint, counted: list[Counted]) -> bool:
        """Effects and position in one transaction, if nobody else has moved the position. False: begin again."""
        if not self.may_move(start):
            return False
        self.rate(counted)
        self.table.checkpoint = after
        return True

    def may_move(self, start: Checkpoint) -> bool:
        """UPDATE … WHERE position = where I started."""
        return self.table.checkpoint.position == start.position

    def rate(self, counted: list[Counted]) -> None:
        """INSERT a rating for each ending."""
        for one in counted:
            if one.commit.HasField("ending"):
                self.world.eye.rate(one.commit.stream_id)
