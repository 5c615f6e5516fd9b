"""The embedded platform beside boardgame.io's server: 32 matches of three seats in a closed loop, over sockets.

Ours stores every command durably before it answers; boardgame.io's keeps matches in memory. A move is over when every
seat has been sent it, on both sides.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import grpc

from bench.embedded import LANES, WITHOUT_LIMITS
from bench.figures import Figure
from bench.load import Load, OutOfWork
from bench.peers.talk import Answering
from bench.plan import Scale
from bench.platform_load import guests, new_matches, play_lane
from deploy.dev.embedded import Embedded


def measure(build: Path, scale: Scale) -> Iterator[Figure]:
    """`peers.server`."""
    with (
        tempfile.TemporaryDirectory(prefix="ludolog-bench-") as folder,
        Embedded(Path(folder), WITHOUT_LIMITS) as platform,
        Answering(["node", "server.js"], build, greets=True) as theirs,
        Answering(["node", "load.js", f"http://localhost:{theirs.greeting}", str(LANES)], build, greets=True) as load,
    ):
        yield asyncio.run(_measure(platform.address, load, scale))


async def _measure(address: str, load: Answering, scale: Scale) -> Figure:
    slices, seconds = scale.of(5, 1), scale.of(150, 50) / 100
    rates: list[tuple[float, float]] = []
    async with grpc.aio.insecure_channel(address) as channel, guests(address) as sitting:
        matches = iter(await new_matches(sitting, scale.of(480, 2 * LANES)))
        async with Load(LANES, play_lane(channel, sitting, matches)) as ours:
            await ours.slice(seconds)
            await asyncio.to_thread(load.ask, seconds)
            while len(rates) < slices:
                try:
                    rate = await ours.slice(seconds)
                except OutOfWork:
                    break
                rates.append((rate, float(await asyncio.to_thread(load.ask, seconds))))
    theirs = statistics.median(other for _, other in rates)
    value = statistics.median(rate for rate, _ in rates)
    ratio = statistics.median(rate / other for rate, other in rates)
    return Figure(
        "peers.server", value, "commands/s", f"boardgame.io's server, which stores nothing ({theirs:,.0f})", ratio
    )
