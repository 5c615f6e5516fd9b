"""Worlds that a viewer can't tell apart, through real processes on Kafka, Redis and PostgreSQL (issue 4, section 2).

Two clusters, a broker and a Redis each. Every pair's first commit is in the log before the processes start.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import grpc
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from deploy.dev.platform import Cluster, Externals, ServiceProcess
from deploy.dev.process import LOCALHOST
from deploy.dev.servers import Kafka, PostgreSQL, Redis
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.hosting.identity import Keyring, load_keyring
from ludolog.hosting.trust import SIGNERS
from ludolog.rulebooks import catalogue
from tests.contract.secrecy import harness
from tests.contract.secrecy.harness import alike, check_recall, compare, labels_of, scan
from tests.contract.secrecy.looking import Transcript, lists, look, look_back
from tests.contract.secrecy.pairs import Pair, pairs_of
from tests.contract.secrecy.worlds import PARTITIONS, StandingClock, plant, write_keys
from tests.infra.provide import provided

NAME = "tempel_des_schreckens"
PAIRS = 100
SETTINGS = {
    "LUDOLOG_PARTITIONS": str(PARTITIONS),
    "LUDOLOG_LOG_LEVEL": "DEBUG",
    "LUDOLOG_BUSY_WAIT_MS": "600000",
    "LUDOLOG_PLAYER_CALLS_PER_SECOND": "0",
    "LUDOLOG_ADDRESS_CALLS_PER_SECOND": "0",
    "LUDOLOG_PLAYER_STREAMS": "0",
    "LUDOLOG_ADDRESS_STREAMS": "0",
    "LUDOLOG_BOTS": "0",
}


class PlantedProcess(ServiceProcess):
    """A service that folds planted states, at a time that stands still."""

    def command(self) -> list[str]:
        """The service's module, by way of the test's."""
        return [sys.executable, "-m", "tests.contract.secrecy.planted", f"services.{self.service}"]


class PlantedCluster(Cluster):
    """The services that hold matches."""

    process_type = PlantedProcess

    @property
    def processes(self) -> tuple[ServiceProcess, ...]:
        """Without tables, and without those that are clients of the platform: they see what others see."""
        left_out = {"matchmaking", "bots", "web"}
        return tuple(process for process in super().processes if process.service not in left_out)


@dataclass
class Door:
    """What the harness needs of a platform: its public port, and tokens."""

    keys: Keyring
    public: grpc.aio.Channel
    failed: asyncio.Future[BaseException] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def channel(self, _: str) -> grpc.aio.Channel:
        return self.public


@dataclass(frozen=True)
class Seen:
    """All that came out of one world."""

    transcripts: list[Transcript]
    lists: Transcript
    metrics: dict[str, Counter[str]]
    said: str
    """Log and metrics of all processes."""


async def visit(
    folder: Path, identity: bytes, pairs: Sequence[Pair], world: int, database: str, stack: ExitStack
) -> Seen:
    """Run one world and look at every match in it."""
    redis, broker = Redis(folder / "redis"), Kafka(folder / "kafka")
    await asyncio.to_thread(lambda: [stack.enter_context(provided(server)) for server in (redis, broker)])
    log = KafkaLog(broker.bootstrap, KafkaSettings(single_broker=True))
    await plant(log, catalogue.load(NAME), pairs, world)
    await log.close()
    externals = Externals(broker.bootstrap, redis.url, database)
    cluster = PlantedCluster(folder / "processes", externals, engines=1, rulebooks=[NAME], settings=SETTINGS)
    write_keys(cluster.keys.folder, identity, sorted(SIGNERS))
    await asyncio.to_thread(stack.enter_context, cluster)
    keys = load_keyring(cluster.keys.private("gateway"), StandingClock())
    async with grpc.aio.insecure_channel(cluster.gateway_address) as channel:
        door: Any = Door(keys, channel)
        live = await with_room(door, look, pairs)
        later = await with_room(door, look_back, pairs)
        found = await lists(door, pairs[0])
    pages = await metrics(cluster)
    logs = "\n".join(process.log.read_text(errors="replace") for process in cluster.processes)
    transcripts = [one + other for one, other in zip(live, later, strict=True)]
    counted = {name: labels_of(page) for name, page in pages.items()}
    return Seen(transcripts, found, counted, logs + "".join(pages.values()))


async def with_room(door: Any, way: harness.Look, pairs: Sequence[Pair]) -> list[Transcript]:
    """What is seen of all matches, some of them side by side."""
    room = asyncio.Semaphore(harness.AT_ONCE)

    async def one(pair: Pair) -> Transcript:
        async with room:
            return await way(door, pair)

    return await harness.unless_it_fails(door, [one(pair) for pair in pairs])


async def metrics(cluster: Cluster) -> dict[str, str]:
    """The page of each process."""
    pages = {}
    async with aiohttp.ClientSession() as session:
        for process in cluster.processes:
            async with session.get(f"http://{LOCALHOST}:{process.ports['metrics_port']}/metrics") as answer:
                pages[process.name] = await answer.text()
    return pages


async def test_a_viewer_cant_tell_them_apart_on_a_cluster(
    tmp_path: Path, postgres: PostgreSQL, record_property: Callable[[str, object], None]
) -> None:
    rulebook = catalogue.load(NAME)
    pairs = pairs_of(rulebook, PAIRS, "cluster")
    assert len(pairs) == PAIRS
    assert any(pair.steps for pair in pairs)
    key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with ExitStack() as stack:
        visits = [
            visit(tmp_path / name, key, pairs, world, postgres.create_database(), stack)
            for world, name in enumerate(("real", "imagined"))
        ]
        real, imagined = await asyncio.gather(*visits)
    for pair, one, other in zip(pairs, real.transcripts, imagined.transcripts, strict=True):
        compare(f"{pair.setting.match_id} ({pair.case}), {pair.viewer}", one, other)
        check_recall(pair, one)
    compare("lists", real.lists, imagined.lists)
    for process, lines in real.metrics.items():
        alike(f"metrics of {process}", lines, imagined.metrics[process])
    for seen in (real, imagined):
        assert '"message": "serving"' in seen.said, "there is a log"
        scan(rulebook, pairs, seen.said, key)
    record_property("messages", sum(map(len, real.transcripts)) + len(real.lists))
