"""The embedded platform as a process of its own: 32 matches in a closed loop through its public port, and its start.

Beside it, in turns: a bare gRPC server that appends the same number of bytes to the same kind of log and answers.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc

from bench.figures import Figure
from bench.floor import CALL, STREAM, Floor
from bench.load import Gate, Load, in_turns
from bench.plan import Scale
from bench.platform_load import guests, new_matches, play_lane, unary_lane
from deploy.dev.embedded import Embedded

LANES = 32
RECORD = b"x" * 300
"""As large as a commit."""
WITHOUT_LIMITS = {
    "LUDOLOG_TABLES_PER_MINUTE": "0",
    "LUDOLOG_SIGN_INS_PER_MINUTE": "0",
    "LUDOLOG_BUSY_WAIT_MS": "600000",
    "LUDOLOG_PLAYER_CALLS_PER_SECOND": "0",
    "LUDOLOG_ADDRESS_CALLS_PER_SECOND": "0",
    "LUDOLOG_PLAYER_STREAMS": "0",
    "LUDOLOG_BOTS": "0",
    "LUDOLOG_LOG_LEVEL": "WARNING",
}
NAMES = ("embedded.play", "embedded.unary", "embedded.start")
STARTS = 3
IMPORTS = "import services.local.service"


def names() -> tuple[str, ...]:
    """The section's figures."""
    return NAMES


def measure(scale: Scale) -> Iterator[Figure]:
    """All of them."""
    with tempfile.TemporaryDirectory(prefix="ludolog-bench-") as folder:
        platform = Embedded(Path(folder) / "platform", WITHOUT_LIMITS)
        yield _start(platform, scale)
        with platform, Floor("append", str(Path(folder) / "floor")) as floor:
            yield from asyncio.run(_closed_loops(platform.address, floor.address, scale))


async def _closed_loops(address: str, floor_address: str, scale: Scale) -> list[Figure]:
    slices, seconds = scale.of(4, 1), scale.of(150, 30) / 100
    figures = []
    async with (
        grpc.aio.insecure_channel(floor_address) as bare,
        grpc.aio.insecure_channel(address) as channel,
        guests(address) as sitting,
    ):
        matches = iter(await new_matches(sitting, scale.of(480, 2 * LANES + 8)))
        loops = (("embedded.play", play_lane, _stream_lane), ("embedded.unary", unary_lane, _call_lane))
        for name, lane, other in loops:
            async with Load(LANES, lane(channel, sitting, matches)) as ours, Load(LANES, other(bare)) as floor:
                rates = await in_turns(ours, floor, slices, seconds)
            figures.append(rate(name, rates, "a bare gRPC server that appends"))
    return figures


def rate(name: str, rates: list[tuple[float, float]], against: str) -> Figure:
    """Commands a second, from slices of both."""
    ratio = statistics.median(ours / floor for ours, floor in rates)
    return Figure(name, statistics.median(ours for ours, _ in rates), "commands/s", against, ratio)


def _stream_lane(channel: grpc.aio.Channel) -> Any:
    open_call: Any = channel.stream_stream(STREAM)

    async def lane(gate: Gate) -> None:
        call = open_call()
        try:
            while True:
                since = await gate.passed()
                await call.write(RECORD)
                await call.read()
                gate.did(since)
        finally:
            call.cancel()

    return lane


def _call_lane(channel: grpc.aio.Channel) -> Any:
    call: Any = channel.unary_unary(CALL)

    async def lane(gate: Gate) -> None:
        while True:
            since = await gate.passed()
            await call(RECORD)
            gate.did(since)

    return lane


def _start(platform: Embedded, scale: Scale) -> Figure:
    """From the start of the process until its health check says SERVING. Beside a process that only imports it."""
    took = []
    for _ in range(scale.of(STARTS, 1)):
        began = time.perf_counter()
        with platform:
            served = time.perf_counter() - began
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", IMPORTS], check=True)
        took.append((served, time.perf_counter() - began))
    ratio = statistics.median(served / imported for served, imported in took)
    return Figure("embedded.start", statistics.median(served for served, _ in took), "s", "importing it alone", ratio)
