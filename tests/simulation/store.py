"""The simulated log: records land when they like, acknowledgements too, or neither."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ludolog.eventlog.port import (
    UNKNOWN_OFFSET,
    Appender,
    AppendFailed,
    Listener,
    LogOverloaded,
    LogUnavailable,
    Membership,
    OutOfRange,
    Reader,
    Stored,
)
from tests.simulation.eye import Eye
from tests.simulation.loop import SimLoop
from tests.simulation.weather import Weather

if TYPE_CHECKING:
    from tests.simulation.group import Group

GIVEN_UP_S = (0.3, 3.0)
LATE_S = (0.0, 8.0)


class Store:
    """What the brokers hold."""

    def __init__(self, loop: SimLoop, rng: random.Random, weather: Weather, eye: Eye) -> None:
        self.loop = loop
        self.rng = rng
        self.weather = weather
        self.eye = eye
        self.rows: list[list[tuple[bytes | None, bytes | None]]] = [[] for _ in range(weather.partitions)]
        self.aborted: set[tuple[int, int]] = set()
        self.epoch = 0
        self.storm = False
        self.calm = False
        self.grown = asyncio.Event()

    def land(self, partition: int, key: bytes | None, value: bytes | None, epoch: int | None = None) -> int:
        """A record reaches its leader, unless the topic isn't the one any more that it was sent to."""
        if epoch is not None and epoch != self.epoch:
            return -1
        rows = self.rows[partition]
        offset = len(rows)
        rows.append((key, value))
        if self.weather.aborted and self.rng.random() < self.weather.aborted:
            self.aborted.add((partition, offset))
        self.eye.landed(partition, offset, value)
        grown, self.grown = self.grown, asyncio.Event()
        grown.set()
        return offset

    def lose(self, partition: int, offset: int) -> None:
        """The newest record is gone, acknowledged or not: an assumption is broken."""
        if offset == len(self.rows[partition]) - 1:
            del self.rows[partition][offset]
            self.eye.again(partition, [value for _, value in self.rows[partition]])

    def compact(self, partition: int) -> None:
        """A record in the middle is gone: an assumption is broken."""
        rows = self.rows[partition]
        if len(rows) > 2:
            rows[self.rng.randrange(len(rows) - 1)] = (None, None)

    def recreate(self) -> None:
        """The topic is deleted and made again, empty."""
        self.epoch += 1
        for partition in range(len(self.rows)):
            self.rows[partition] = []
        self.aborted.clear()
        self.eye.forget()

    def lag_s(self) -> float:
        """How long something takes."""
        slow = self.rng.random() < (0.0 if self.calm else self.weather.slow)
        return self.rng.expovariate(4 if slow else 400)

    async def read(self, partition: int, offset: int, limit: int, *, hidden: bool = False) -> list[Stored]:
        """Records from an offset on; as few as it likes. `hidden`: without those of aborted transactions."""
        await asyncio.sleep(self.lag_s())
        if not self.calm and self.rng.random() < 0.01:
            raise LogUnavailable("no answer")
        rows = self.rows[partition]
        if offset > len(rows):
            raise OutOfRange(f"{offset} of {len(rows)}")
        end = min(len(rows), offset + self.rng.randint(1, limit))
        found = [Stored(at, *rows[at]) for at in range(offset, end)]
        if hidden:
            found = [s if (partition, s.offset) not in self.aborted else Stored(s.offset, None, None) for s in found]
        if found and found[-1].value is not None and self.rng.random() < 0.5:
            found = [stored for stored in found if stored.value is not None]  # a client may leave holes out
        return found

    async def end_offset(self, partition: int) -> int:
        """The end, at some moment between question and answer."""
        await asyncio.sleep(self.lag_s())
        end = len(self.rows[partition])
        await asyncio.sleep(self.lag_s())
        return end


class SimLog:
    """The port, as one process has it."""

    def __init__(self, store: Store, group: Group | None = None, process: int = -1) -> None:
        self._store = store
        self._group = group
        self._process = process

    async def ensure_topic(self, topic: str, partitions: int) -> None:
        pass

    async def partitions(self, topic: str) -> int:
        return len(self._store.rows)

    async def appender(self) -> Appender:
        await asyncio.sleep(self._store.lag_s())
        return SimAppender(self._store)

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        return await self._store.read(partition, offset, limit)

    async def end_offset(self, topic: str, partition: int) -> int:
        return await self._store.end_offset(partition)

    async def reader(self, topic: str, partition: int, offset: int) -> Reader:
        if offset > len(self._store.rows[partition]):
            raise OutOfRange(str(offset))
        return SimReader(self._store, partition, offset)

    async def join(self, topic: str, group: str, instance: str, listener: Listener) -> Membership:
        assert self._group is not None
        return self._group.join(self._process, listener)

    async def close(self) -> None:
        pass


class SimAppender:
    """A producer: after a failure it sends nothing any more, and doesn't even say so."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._finished = False

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        store, rng = self._store, self._store.rng
        answer: asyncio.Future[int] = store.loop.create_future()
        if self._finished:
            return await answer
        fate = self._fate()
        if fate == "overloaded":
            raise LogOverloaded("too much")
        landing_s = store.lag_s()
        if fate in ("ack lost", "late", "vanished"):
            given_up_s = rng.uniform(*GIVEN_UP_S)
            store.loop.outside(given_up_s, self._give_up, answer)
            if fate == "late":
                store.eye.stats["late landings"] += 1
                landing_s = given_up_s + rng.uniform(*LATE_S)
            if fate != "vanished":
                store.loop.outside(landing_s, store.land, partition, key, value, store.epoch)
        else:
            store.loop.outside(landing_s, self._arrive, partition, key, value, store.epoch, fate, answer)
        return await answer

    def _fate(self) -> str:
        weather, store = self._store.weather, self._store
        if store.calm:
            return "well"
        kinds = ("ack lost", "late", "vanished", "no offset", "overloaded")
        odds = [weather.ack_lost, weather.late, weather.vanished, weather.no_offset, weather.overloaded]
        if store.storm:
            odds = [weather.storm * odd / (sum(odds) or 1) for odd in odds]
        return store.rng.choices((*kinds, "well"), [*odds, max(0.0, 1 - sum(odds))])[0]

    def _arrive(
        self, partition: int, key: bytes | None, value: bytes, epoch: int, fate: str, answer: asyncio.Future[int]
    ) -> None:
        store = self._store
        offset = store.land(partition, key, value, epoch)
        if offset < 0 and not store.weather.recreate_hot:
            return
        if store.rng.random() < store.weather.duplicated:
            store.loop.outside(store.lag_s() * 20, store.land, partition, key, value, epoch)
        if store.rng.random() < store.weather.truncated:
            store.loop.outside(store.lag_s() * 2, store.lose, partition, offset)
        told = UNKNOWN_OFFSET if fate == "no offset" else offset
        store.loop.outside(store.lag_s(), self._tell, answer, told)

    def _tell(self, answer: asyncio.Future[int], offset: int) -> None:
        if not answer.done():
            answer.set_result(offset)

    def _give_up(self, answer: asyncio.Future[int]) -> None:
        self._finished = True
        if not answer.done():
            answer.set_exception(AppendFailed("given up"))

    async def close(self) -> None:
        self._finished = True


class SimReader:
    """A position in one partition."""

    def __init__(self, store: Store, partition: int, offset: int, *, hidden: bool = False) -> None:
        self._store = store
        self._partition = partition
        self._offset = offset
        self._hidden = hidden

    async def batch(self) -> Sequence[Stored]:
        while True:
            found: Sequence[Stored] = ()
            grown = self._store.grown
            try:
                found = await self._store.read(self._partition, self._offset, 5, hidden=self._hidden)
            except LogUnavailable:
                continue
            if found:
                self._offset = found[-1].offset + 1
                return found
            await grown.wait()

    async def close(self) -> None:
        pass
