"""The platform as separate processes on real servers: latency of a command, commands of one engine, its memory."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import grpc
from kafka import KafkaProducer

from bench import watchers
from bench.embedded import RECORD
from bench.engine_load import EngineClient
from bench.figures import Figure, aimed
from bench.floor import CALL, Floor
from bench.load import Load
from bench.memory import MATCH_BYTES, resident_bytes
from bench.openings import commands
from bench.plan import Scale
from bench.platform_load import guests, new_matches, seated, submit_request
from bench.stage import KEY_ID, Stage, staged
from ludolog.api.gateway.v1 import play_pb2_grpc

LANES = 64
COMMANDS_AIM = 2000
NAMES = (
    "cluster.start",
    "cluster.command_latency",
    "cluster.play_latency",
    "engine.stream",
    "engine.unary",
    "engine.memory_per_match",
)
BY_CALL = (0, 1)
"""Of each four commands, those that are submitted by a call: one talk and one move, as on the stream."""
T = TypeVar("T")
TOPIC = "ludolog.bench.log"


def names() -> tuple[str, ...]:
    """The section's figures."""
    return NAMES + watchers.NAMES


def measure(scale: Scale) -> Iterator[Figure]:
    """All of them, on one cluster."""
    with staged() as stage:
        yield aimed("cluster.start", stage.start_s, "s", 20)
        with Floor("echo") as echo, Floor("relay", echo.address) as relay:
            yield from asyncio.run(latencies(stage, relay.address, scale))
        yield from asyncio.run(_engine(stage, scale))
        yield from watchers.measure(stage, scale)


class Stopwatch:
    """How long each of several things took, each time."""

    def __init__(self) -> None:
        self._took_s: dict[str, list[float]] = {}

    async def time(self, what: str, work: Awaitable[T]) -> T:
        """Wait for something, and note how long it took."""
        began = time.perf_counter()
        answer = await work
        self._took_s.setdefault(what, []).append(time.perf_counter() - began)
        return answer

    def median_ms(self, what: str) -> float:
        """The median of one of them."""
        return statistics.median(self._took_s[what]) * 1000


async def latencies(stage: Stage, floor_address: str, scale: Scale) -> list[Figure]:
    """One command at a time, by a call and on a Play stream. In turns with each: an echo over two hops, an append."""
    watch = Stopwatch()
    raw = _raw_append(stage)
    address = stage.cluster.gateway_address
    async with (
        grpc.aio.insecure_channel(floor_address) as bare,
        grpc.aio.insecure_channel(address) as channel,
        guests(address) as sitting,
    ):
        stub = play_pb2_grpc.PlayServiceStub(channel)
        echo: Any = bare.unary_unary(CALL)
        for match in await new_matches(sitting, scale.of(24, 2)):
            async with seated(stub, sitting, match) as seats:
                for number, (seat, command) in enumerate(commands()):
                    await watch.time("echo", echo(RECORD))
                    await watch.time("raw", raw())
                    if number % 4 in BY_CALL:
                        request = submit_request(f"{match}/seats/{seat}", command)
                        call: Any = stub.SubmitCommand(request, metadata=sitting.metadata(seat))
                        sequence = (await watch.time("call", call)).sequence
                    else:
                        sequence = await watch.time("play", seats[seat].submit(command))
                    if not all([await other.shown(sequence) for other in seats.values()]):
                        break
    floor = watch.median_ms("echo") + watch.median_ms("raw")
    against = f"an echo over two hops + a raw Kafka append ({floor:.2f} ms)"
    found = (("cluster.command_latency", watch.median_ms("call")), ("cluster.play_latency", watch.median_ms("play")))
    return [Figure(name, value, "ms", against, value / floor) for name, value in found]


def _raw_append(stage: Stage) -> Callable[[], Awaitable[None]]:
    """kafka-python by itself: one append, acknowledged by all replicas."""
    admin = stage.kafka.admin()
    admin.create_topics({TOPIC: {"num_partitions": 1, "replication_factor": 1}})
    admin.close()
    producer = KafkaProducer(
        bootstrap_servers=stage.kafka.bootstrap, acks="all", enable_idempotence=True, linger_ms=0, metrics_enabled=False
    )

    async def append() -> None:
        producer.send(TOPIC, value=RECORD, key=b"match", partition=0).get(10)

    return append


async def _engine(stage: Stage, scale: Scale) -> list[Figure]:
    """Commands a second of one engine process at its port, and what a live match takes in it."""
    figures = []
    seconds = scale.of(200, 50) / 100
    async with (
        grpc.aio.insecure_channel(stage.engine.address) as channel,
        EngineClient(channel, stage.cluster.keys, KEY_ID) as client,
    ):
        for name, lane in (("engine.stream", client.lane), ("engine.unary", client.unary_lane)):
            async with Load(LANES, lane) as load:
                await load.slice(seconds)
                rates = [await load.slice(seconds) for _ in range(scale.of(3, 1))]
            figures.append(aimed(name, statistics.median(rates), "commands/s", COMMANDS_AIM))
        figures.append(await _memory(stage, client, scale.of(1000, 200)))
    return figures


async def _memory(stage: Stage, client: EngineClient, count: int) -> Figure:
    pid = int((stage.engine.folder / "pid").read_text())
    before = resident_bytes(pid)
    room = asyncio.Semaphore(LANES)

    async def played() -> None:
        async with room:
            await client.play(await client.found(), 8)

    await asyncio.gather(*(played() for _ in range(count)))
    return aimed("engine.memory_per_match", (resident_bytes(pid) - before) / count, "bytes", MATCH_BYTES)
