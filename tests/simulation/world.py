"""The world of one history: engines, log, group, cache, callers, readers, faults; then all must be answered."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ludolog.eventlog.owner as owner_module
from ludolog.eventlog.partitioning import partition_of
from tests.simulation import callers, readers
from tests.simulation.cache import SimCache
from tests.simulation.callers import Command
from tests.simulation.engines import Engine
from tests.simulation.eye import Eye
from tests.simulation.faults import Faults
from tests.simulation.game import Order
from tests.simulation.group import Group
from tests.simulation.loop import SimLoop, Stuck
from tests.simulation.readers import Projection, Rater, Ratings, SimArchive
from tests.simulation.store import SimLog, Store
from tests.simulation.weather import Weather, weather_of

HEALED_WITHIN_S = 60.0


@dataclass
class Result:
    """What a history came to. `found`: what was violated, or None."""

    seed: int
    found: str | None
    stats: dict[str, int]
    steps: int
    seconds: float


class World:
    """Everything of one history."""

    owner_class: Any = owner_module.Owner
    rater_class: type[Rater] = Rater
    projection_class: type[Projection] = Projection
    creation: Callable[..., Command] = staticmethod(callers.creation)
    give_up_after = 10**9

    def __init__(self, seed: int, weather: Weather) -> None:
        self.seed = seed
        self.weather = weather
        self.rng = random.Random(seed)
        self.loop = SimLoop(self.rng)
        self.eye = Eye(weather.partitions)
        self.eye.on_found = self.loop.stop
        self.timers = True
        self.store = Store(self.loop, self.rng, weather, self.eye)
        self.cache = SimCache(self.loop, self.rng, self.eye)
        self.group = Group(self.loop, weather.partitions, self.store.lag_s)
        self.engines: dict[int, Engine] = {}
        self.tally: list[owner_module.Tally] = []
        self.tables: dict[str, str] = {}
        self.streams = [f"m{number}" for number in range(weather.streams)]
        self.eye.place = {stream_id: partition_of(stream_id, weather.partitions) for stream_id in self.streams}
        self.reader_log = SimLog(self.store)
        self.projections = [self.projection_class(self, partition) for partition in range(weather.partitions)]
        self.archive = SimArchive(self) if self.rng.random() < weather.archive else None
        self._processes = 0
        self.commands = self._commands()

    def _commands(self) -> list[Command]:
        rng, commands = self.rng, []
        for stream_id in self.streams:
            for number in range(self.weather.commands):
                kind = rng.choices(("any", "turn", "end", "abort"), (5, 4, self.weather.ends, 0.1))[0]
                expects = 0 if rng.random() < 0.4 else None
                order = Order(kind, expects, draw=rng.random() < 0.5 and kind != "abort")
                commands.append(Command(stream_id, f"seats/{rng.randint(1, 2)}", f"c{number * 3 // 4}", order))
        return commands

    # ---- who is where

    def log_of(self, process: int) -> SimLog:
        return SimLog(self.store, self.group, process)

    def start_engine(self) -> int:
        self._processes += 1
        engine = Engine(self, self._processes)
        self.engines[self._processes] = engine
        self.tally.append(engine.owner.tally)
        return self._processes

    def owner_of(self, stream_id: str) -> int:
        """The process that the group gives a stream's partition to; -1 where there is none."""
        owner = self.group.owner[self.eye.place[stream_id]]
        return -1 if owner is None else owner

    def some_engine(self, stream_id: str) -> int:
        """Where a caller sends: mostly to the owner, often elsewhere."""
        if self.engines and self.rng.random() < 0.35:
            return self.rng.choice(sorted(self.engines))
        return self.owner_of(stream_id)

    def forget_ratings(self, partition: int) -> None:
        """The consumer's tables are dropped: it starts from 0."""
        for stream_id, place in self.eye.place.items():
            if place == partition:
                del self.eye.rated[stream_id]

    # ---- a history

    async def history(self) -> None:
        for _ in range(self.weather.engines):
            self.start_engine()
        for partition, projection in enumerate(self.projections):
            table = Ratings()
            self.loop.spawn(projection.run())
            for _ in range(2):
                self.loop.spawn(self.rater_class(self, partition, table).run())
        tables = [self.loop.start(callers.open_table(self, stream_id)) for stream_id in self.streams]
        plays = [self.loop.start(callers.play(self, command)) for command in self.commands]
        looks = self.loop.start(self._look())
        faults = Faults(self)
        await faults.run()
        looks.cancel()
        await self._heal(faults, tables, plays)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self.rng.expovariate(1 / self.weather.ask_every_s))
            if self.engines:
                engine = self.engines[self.rng.choice(sorted(self.engines))]
                stream_id = self.rng.choice(self.streams)
                self.loop.spawn(engine.look(stream_id, settled=self.rng.random() < 0.5), engine.process)

    async def _heal(self, faults: Faults, tables: list[asyncio.Task[None]], plays: list[asyncio.Task[None]]) -> None:
        """No more faults: everybody must be answered, and every reader arrive, within a bound."""
        faults.heal()
        try:
            async with asyncio.timeout(HEALED_WITHIN_S):
                for task in (*tables, *plays):
                    await task
                for command in self.commands:
                    await callers.insist(self, command)
                self.timers = False
                while not self._read_up():  # noqa: ASYNC110 - time costs nothing here
                    await asyncio.sleep(0.1)
        except TimeoutError:
            self.eye.must(ok=False, sentence="11: a stall: not everybody was answered, or a reader didn't arrive")
        self._judge_the_end()

    def _read_up(self) -> bool:
        rated = {s: int(self.eye.over(self.eye.entries(s))) for s in self.streams}
        arrived = all(projection.position >= self._end(projection.partition) for projection in self.projections)
        return arrived and all(self.eye.rated[s] >= number for s, number in rated.items())

    def _end(self, partition: int) -> int:
        rows = self.store.rows[partition]
        return max((offset + 1 for offset, (_, value) in enumerate(rows) if value is not None), default=0)

    def _judge_the_end(self) -> None:
        for command in self.commands:
            there = [
                e for e in self.eye.entries(command.stream_id) if f"{command.actor} {command.command_id}" == e.name
            ]
            self.eye.must(command.result != "OK" or there, "3: an acknowledged command is lost")
        for stream_id in self.streams:
            founded = any(entry.order.kind == "new" for entry in self.eye.entries(stream_id))
            self.eye.must(founded == (self.tables.get(stream_id) == "opened"), "10: tables and matches differ")

    def run(self) -> Result:
        """Play it to its end."""
        asyncio.set_event_loop(self.loop)
        history = self.loop.start(self.history())
        history.add_done_callback(lambda _: self.loop.stop())
        self.loop.outside(self.weather.seconds + HEALED_WITHIN_S + 60, self._too_long)
        try:
            self.loop.run_forever()
            if history.done() and not history.cancelled() and (error := history.exception()) is not None:
                raise error
        except Stuck:
            self.eye.must(ok=False, sentence="11: a stall: nothing is left that could happen")
        finally:
            self.loop.finish()
            asyncio.set_event_loop(None)
        if self.loop.errors and self.eye.found is None:
            self.eye.found = f"an error that nobody caught: {self.loop.errors[0]}"
        return Result(self.seed, self.eye.found, self._stats(), self.loop.steps, self.loop.time())

    def _too_long(self) -> None:
        self.eye.must(ok=False, sentence="11: a stall: the history doesn't end")

    def _stats(self) -> dict[str, int]:
        for tally in self.tally:
            self.eye.stats.update({name.replace("_", " "): count for name, count in tally.counts.items()})
        return dict(self.eye.stats)


def play(seed: int, weather: Weather | None = None, world: type[World] = World) -> Result:
    """Play the history of a seed."""
    logging.disable(logging.CRITICAL)
    try:
        return world(seed, weather or weather_of(seed)).run()
    finally:
        logging.disable(logging.NOTSET)


__all__ = ["Result", "World", "play", "readers"]
