"""A thousand spectators of one match: how long until each has an update, and what one takes in the gateway.

In turns with a bare gRPC server that sends the same bytes to as many streams of the same client.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from typing import Any

import grpc

from bench.figures import Figure, aimed, percentile
from bench.floor import CALL, WATCH, Floor
from bench.memory import resident_bytes
from bench.openings import commands
from bench.plan import Scale
from bench.platform_load import guests, new_matches, seated
from bench.stage import Stage
from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc

NAMES = ("watch.update_p50", "watch.update_p99", "watch.memory")
WATCHERS = 1000
CHANNELS = 4
WATCHER_BYTES = 50_000
"""The aim: most that a watcher may take in the process that holds its stream."""
WATCH_METHOD = "/ludolog.api.gateway.v1.WatchService/Watch"
SETTLED_S = 60.0


class Crowd:
    """Streams of one kind, and when each had its last message."""

    def __init__(self, calls: list[Any]) -> None:
        self._calls = calls
        self._seen = [0] * len(calls)
        self._size = 0
        self._arrived: list[float] = []
        self._all = asyncio.Event()
        self._tasks = [asyncio.ensure_future(self._read(number)) for number in range(len(calls))]

    async def had(self, messages: int) -> list[float]:
        """Wait until each stream has had so many messages; when the last of them came."""
        async with asyncio.timeout(SETTLED_S):
            while min(self._seen) < messages:
                self._all.clear()
                await self._all.wait()
        arrived, self._arrived = self._arrived, []
        return arrived

    @property
    def bytes(self) -> int:
        """Length of the last message."""
        return self._size

    async def _read(self, number: int) -> None:
        async for message in self._calls[number]:
            self._arrived.append(time.perf_counter())
            self._seen[number] += 1
            self._size = len(message)
            self._all.set()

    async def close(self) -> None:
        """Let go."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for call in self._calls:
            call.cancel()


def measure(stage: Stage, scale: Scale) -> Iterator[Figure]:
    """All of them."""
    with Floor("fan") as floor:
        yield from asyncio.run(_measure(stage, floor, scale))


async def _measure(stage: Stage, floor: Floor, scale: Scale) -> list[Figure]:
    count = scale.of(WATCHERS, 20)
    pid = int((stage.cluster.gateways[0].folder / "pid").read_text())
    address = stage.cluster.gateway_address
    async with guests(address) as sitting:
        [match] = await new_matches(sitting, 1)
        request = play_pb2.WatchRequest(name=match).SerializeToString()
        warm = await _crowd(address, WATCH_METHOD, request, count // 10)
        await warm.had(1)
        before = resident_bytes(pid)
        ours = await _crowd(address, WATCH_METHOD, request, count)
        await ours.had(1)
        memory = (resident_bytes(pid) - before) / count
        other = await _crowd(floor.address, WATCH, b"", count)
        await other.had(1)
        await warm.close()
        took = await _updates(address, sitting, match, ours, other, floor)
        await ours.close()
        await other.close()
    figures = []
    for name, percent in (("watch.update_p50", 50), ("watch.update_p99", 99)):
        value = statistics.median(percentile(one, percent) for one, _ in took) * 1000
        floor_ms = statistics.median(percentile(one, percent) for _, one in took) * 1000
        figures.append(Figure(name, value, "ms", f"a bare server's streams ({floor_ms:.1f} ms)", value / floor_ms))
    return [*figures, aimed("watch.memory", memory, "bytes", WATCHER_BYTES)]


async def _updates(
    address: str, sitting: Any, match: str, ours: Crowd, other: Crowd, floor: Floor
) -> list[tuple[list[float], list[float]]]:
    """For each command of the match: seconds from its start until each watcher had its update; and the floor's."""
    took = []
    async with grpc.aio.insecure_channel(address) as channel, grpc.aio.insecure_channel(floor.address) as bare:
        tell: Any = bare.unary_unary(CALL)
        async with seated(play_pb2_grpc.PlayServiceStub(channel), sitting, match) as seats:
            for number, (seat, command) in enumerate(commands(), 2):
                began = time.perf_counter()
                sequence = await seats[seat].submit(command)
                shown = [arrived - began for arrived in await ours.had(number)]
                over = not all([await one.shown(sequence) for one in seats.values()])
                began = time.perf_counter()
                await tell(b"x" * ours.bytes)
                took.append((shown, [arrived - began for arrived in await other.had(number)]))
                if over:
                    break
    return took


async def _crowd(address: str, method: str, request: bytes, count: int) -> Crowd:
    options = (("grpc.use_local_subchannel_pool", 1),)
    channels = [grpc.aio.insecure_channel(address, options=options) for _ in range(CHANNELS)]
    opened: list[Any] = [channel.unary_stream(method) for channel in channels]
    return Crowd([opened[number % CHANNELS](request) for number in range(count)])
