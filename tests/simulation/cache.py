"""The simulated cache: late writes, flipped bits, flushes, silence. The eye reads what is written."""

from __future__ import annotations

import asyncio
import random

import msgspec

from ludolog.eventlog.sealing import unseal
from ludolog.eventlog.snapshots import PartitionCheckpoint, SessionSnapshot
from ludolog.sessions.port import CacheUnavailable
from tests.infra.caches import DictCache
from tests.simulation.eye import Eye
from tests.simulation.game import Board
from tests.simulation.loop import SimLoop

LATE_S = 6.0
DAMAGED = 0.02


class SimCache(DictCache):
    """The port."""

    def __init__(self, loop: SimLoop, rng: random.Random, eye: Eye) -> None:
        super().__init__()
        self._loop = loop
        self._rng = rng
        self._eye = eye

    async def _answer(self) -> None:
        await asyncio.sleep(self._rng.expovariate(2000))
        if self.down:
            raise CacheUnavailable("down")

    async def get(self, key: str) -> bytes | None:
        await self._answer()
        value = self.values.get(key)
        if not value or self._rng.random() >= DAMAGED:
            return value
        bit = self._rng.randrange(8 * len(value))
        damaged = bytearray(value)
        damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged)

    async def put(self, key: str, value: bytes, ttl_ms: int) -> None:
        self._judge(key, value)
        late = self._rng.random() < 0.15
        delay_s = self._rng.uniform(0, LATE_S) if late else self._rng.expovariate(2000)
        if not self.down:
            self._loop.outside(delay_s, self.values.__setitem__, key, value)
        await self._answer()

    def _judge(self, key: str, value: bytes) -> None:
        kind, _, rest = key.partition(":")
        body = unseal(key, value) or b""
        if kind == "session":
            snapshot = msgspec.msgpack.decode(body, type=SessionSnapshot)
            self._eye.snapshot(snapshot, msgspec.msgpack.decode(snapshot.state, type=Board))
        elif kind == "heads":
            self._eye.checkpoint(int(rest.rpartition(":")[2]), msgspec.msgpack.decode(body, type=PartitionCheckpoint))
