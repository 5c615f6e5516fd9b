"""What happens to processes, the group, the cache and the log while a history lasts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.world import World

SESSION_TIMEOUT_S = 2.0


class Faults:
    """Picks faults at random moments; `heal` ends them all."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._rng = world.rng
        self._actions = {
            "pause": self._pause,
            "crash": self._crash,
            "drain": self._drain,
            "hand over": self._hand_over,
            "snatch": self._snatch,
            "same again": self._same_again,
            "control record": self._control_record,
            "flush": self._flush,
            "cache down": self._cache_down,
            "drop archive": self._drop_archive,
            "storm": self._storm,
            "compact": self._compact,
        }

    async def run(self) -> None:
        """Do harm until the time is over."""
        world, weather = self.world, self.world.weather
        recreate_s = world.rng.uniform(0.3, 0.8) * weather.seconds if world.rng.random() < weather.recreate else None
        hot_s = world.rng.uniform(0.3, 0.8) * weather.seconds if world.rng.random() < weather.recreate_hot else None
        kinds, odds = list(weather.faults), list(weather.faults.values())
        while world.loop.time() < weather.seconds:
            await asyncio.sleep(self._rng.expovariate(1 / weather.fault_every_s))
            if recreate_s is not None and world.loop.time() > recreate_s:
                recreate_s = None
                await self._recreate()
            if hot_s is not None and world.loop.time() > hot_s:
                hot_s = None
                world.store.recreate()
                self._forget_answers()
            self._do(self._rng.choices(kinds, odds)[0])

    def _do(self, kind: str) -> None:
        self.world.eye.stats[f"fault: {kind}"] += 1
        self._actions[kind]()

    def _someone(self) -> int | None:
        processes = [p for p in sorted(self.world.engines) if not self.world.loop.is_paused(p)]
        return self._rng.choice(processes) if processes else None

    def _partition(self) -> int:
        return self._rng.randrange(self.world.weather.partitions)

    # ---- processes

    def _pause(self) -> None:
        process = self._someone()
        if process is None:
            return
        world, seconds = self.world, self._rng.uniform(*self.world.weather.pause_s)
        world.loop.pause(process)
        world.loop.outside(seconds, world.loop.resume, process)
        if seconds > SESSION_TIMEOUT_S:
            world.loop.outside(SESSION_TIMEOUT_S, self._expel, process)

    def _expel(self, process: int) -> None:
        """The session of a process is over: its partitions go to others; it hears of it when it runs again."""
        for partition, owner in enumerate(self.world.group.owner):
            if owner == process:
                self._give_to_another(partition, process)
                self.world.group.take(partition, process, self._rng.expovariate(2))

    def _give_to_another(self, partition: int, process: int) -> None:
        others = [p for p in self.world.group.processes() if p != process]
        if others:
            self.world.group.give(partition, self._rng.choice(others))
        else:
            self.world.group.owner[partition] = None

    def _crash(self) -> None:
        process = self._someone()
        if process is None:
            return
        self.world.loop.kill(process)
        del self.world.engines[process]
        self.world.loop.outside(self._rng.uniform(0, SESSION_TIMEOUT_S), self._bury, process)
        self.world.loop.outside(self._rng.uniform(0, 1), self.world.start_engine)

    def _bury(self, process: int) -> None:
        owned = [partition for partition, owner in enumerate(self.world.group.owner) if owner == process]
        self.world.group.left(process)
        for partition in owned:
            self._give_to_another(partition, process)

    def _drain(self) -> None:
        process = self._someone()
        if process is not None:
            self.world.loop.spawn(self._drained(process))

    async def _drained(self, process: int) -> None:
        """A rolling restart; one that takes too long is killed."""
        engine = self.world.engines.pop(process)
        task = self.world.loop.start(engine.owner.drain(), process)
        owned = [partition for partition, owner in enumerate(self.world.group.owner) if owner == process]
        await asyncio.wait((task,), timeout=4.0)
        self.world.loop.kill(process)
        self.world.group.left(process)
        for partition in owned:
            if self.world.group.owner[partition] in (None, process):
                self._give_to_another(partition, process)
        self.world.start_engine()

    # ---- the group

    def _hand_over(self) -> None:
        """In order: revoked, then assigned."""
        process = self._someone()
        if process in self.world.group.processes() and process is not None:
            patience_s = self._rng.uniform(0.1, 4)
            self.world.loop.spawn(self.world.group.hand_over(self._partition(), process, patience_s))

    def _snatch(self) -> None:
        """Out of order: assigned to another at once; the former one hears of it some time, or is revoked too late."""
        group, partition = self.world.group, self._partition()
        former = group.owner[partition]
        process = self._someone()
        if process is None or process not in group.processes():
            return
        group.give(partition, process)
        if former is not None and former != process:
            group.take(partition, former, self._rng.expovariate(0.5))

    def _same_again(self) -> None:
        """Lost and assigned again to the same one at once."""
        group, partition = self.world.group, self._partition()
        owner = group.owner[partition]
        if owner is not None:
            group.take(partition, owner)
            self.world.loop.outside(self._rng.expovariate(10), self._give_again, partition, owner)

    def _give_again(self, partition: int, owner: int) -> None:
        if self.world.group.owner[partition] == owner:
            self.world.group.give(partition, owner)

    # ---- log and cache

    def _drop_archive(self) -> None:
        """The archive's tables are dropped; it rebuilds them from the log."""
        self._rng.choice(self.world.projections).dropped = True

    def _control_record(self) -> None:
        self.world.store.land(self._partition(), None, None)

    def _compact(self) -> None:
        self.world.store.compact(self._partition())

    def _flush(self) -> None:
        self.world.cache.values.clear()

    def _cache_down(self) -> None:
        self.world.cache.down = True
        self.world.loop.outside(self._rng.uniform(0.1, 4), setattr, self.world.cache, "down", False)

    def _storm(self) -> None:
        self.world.store.storm = True
        self.world.loop.outside(self._rng.uniform(0.05, 1.0), setattr, self.world.store, "storm", False)

    async def _recreate(self) -> None:
        """Everything is down, the topic is deleted and made again; caches, checkpoints and tables survive."""
        world = self.world
        world.eye.stats["topics recreated"] += 1
        for process in sorted(world.engines):
            world.loop.kill(process)
            world.group.left(process)
        world.engines.clear()
        await asyncio.sleep(0.5)
        for process in world.group.processes():
            world.loop.kill(process)
            world.group.left(process)
        world.store.recreate()
        self._forget_answers()
        for _ in range(world.weather.engines):
            world.start_engine()

    def _forget_answers(self) -> None:
        self.world.tables.clear()
        for command in self.world.commands:
            command.result = ""

    # ---- the end

    def heal(self) -> None:
        """No more faults: the log is calm, everybody runs, every partition is given to somebody who runs."""
        world = self.world
        world.store.calm, world.store.storm, world.cache.down = True, False, False
        for process in sorted(world.engines):
            world.loop.resume(process)
            world.engines[process].game.fails = False
        world.loop.spawn(self._settle())

    async def _settle(self) -> None:
        """Every partition gets an owner that lives, when those that are starting or leaving have done so."""
        await asyncio.sleep(SESSION_TIMEOUT_S + 5)
        world = self.world
        for partition, owner in enumerate(world.group.owner):
            keep = owner if owner in world.engines else None
            world.group.give(partition, keep or self._rng.choice(sorted(world.engines)))
