"""A process of an engine: the real owner, the game, timers, and an eye on every answer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.owner import (
    CommandIdReused,
    NotOwner,
    Owner,
    OwnerLimits,
    Stale,
    Unavailable,
)
from ludolog.eventlog.port import LogOverloaded
from ludolog.kernel import Refusal
from ludolog.record.commits import Head
from tests.simulation.game import Board, Game, Order

if TYPE_CHECKING:
    from tests.simulation.world import World

TOPIC = "ludolog.order.log"
LIMITS = OwnerLimits(
    lane=4,
    sessions=4,
    tail=8,
    read_batch=4,
    idle_s=1.5,
    look_s=0.5,
    append_s=6.0,
    publish_s=0.4,
    checkpoint_s=0.8,
    leave_s=1.0,
    backoff_s=(0.05, 1.0),
    settled_s=3.0,
)


class SimClock:
    """The loop's time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        return 1_800_000_000_000 + int(self._loop.time() * 1000)

    def monotonic(self) -> float:
        return self._loop.time()


class Engine:
    """One process, from its start to its crash."""

    def __init__(self, world: World, process: int) -> None:
        self.world = world
        self.process = process
        self.game = Game(world.rng, world.weather, world.eye.length)
        self.owner: Owner[Board] = world.owner_class(
            log=world.log_of(process),
            cache=world.cache,
            topic=TOPIC,
            group="engines",
            instance=f"engine-{process}",
            aggregate=self.game,
            clock=SimClock(world.loop),
            address=f"engine-{process}:1",
            archive=world.archive,
            hooks=self,
            limits=replace(LIMITS, look_s=world.weather.look_s, lane=world.weather.lane),
            random=random.Random(world.rng.random()),
        )
        world.loop.spawn(self.owner.start(), process)

    # ---- hooks

    def confirmed(self, stream_id: str, before: Board, commit: log_pb2.Commit, after: Board, head: Head) -> None:
        self.world.eye.holds(stream_id, before, head.sequence - 1, "a hook")
        self.world.eye.holds(stream_id, after, head.sequence, "a hook")
        if not after.ended and self.world.rng.random() < self.world.weather.timer:
            self._start_timer(stream_id, head.sequence)

    def began(self, partition: int, heads: Mapping[str, Head]) -> None:
        for stream_id, head in heads.items():
            if self.world.rng.random() < self.world.weather.timer:
                self._start_timer(stream_id, head.sequence)

    def ended(self, partition: int) -> None:
        pass

    def _start_timer(self, stream_id: str, sequence: int) -> None:
        delay_s = self.world.rng.expovariate(0.7)
        self.world.loop.spawn(self._time_out(stream_id, sequence, delay_s), self.process)

    async def _time_out(self, stream_id: str, sequence: int, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        if not self.world.timers:
            return
        body = msgspec.json.encode(Order("default", target=sequence))
        cause = log_pb2.Cause(actor="engine", command_id=f"timeout:{sequence}:d", body=body)
        try:
            receipt = await self.owner.submit(stream_id, cause, only_at_sequence=sequence)
        except Stale:
            self.world.eye.stats["timers dropped"] += 1
        except (NotOwner, Unavailable, LogOverloaded):
            self.world.eye.stats["timers unknown"] += 1
        else:
            self.world.eye.stats["timers run"] += 1
            self.world.eye.succeeded(stream_id, cause, receipt.sequence)

    # ---- requests

    async def serve(self, stream_id: str, cause: log_pb2.Cause) -> str:
        """Have a command decided, and the answer judged by the eye: OK, REFUSED, REUSED or UNKNOWN."""
        eye = self.world.eye
        try:
            receipt = await self.owner.submit(stream_id, cause)
        except CommandIdReused:
            eye.reused(stream_id, cause)
            return "REUSED"
        except Refusal as refusal:
            eye.refused(stream_id, cause, int(refusal.facts["judged_at"]), int(refusal.facts["drawn"]))
            return "REFUSED"
        except (NotOwner, Unavailable, LogOverloaded):
            eye.stats["answered: unknown"] += 1
            return "UNKNOWN"
        eye.succeeded(stream_id, cause, receipt.sequence)
        return "OK"

    async def look(self, stream_id: str, *, settled: bool) -> None:
        """Read a stream's state, with a barrier or without."""
        asked_at = self.world.eye.length(stream_id)
        try:
            seen = await (self.owner.settled(stream_id) if settled else self.owner.confirmed(stream_id))
        except (NotOwner, Unavailable):
            return
        self.world.eye.holds(stream_id, seen.state, seen.head.sequence, "an answer")
        if settled:
            self.world.eye.settled(stream_id, seen.head.sequence, asked_at)
