"""A cluster for measuring: real Kafka, Redis, PostgreSQL; one process of each service, one engine, no house players."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.embedded import WITHOUT_LIMITS
from bench.openings import RULEBOOK
from deploy.dev.platform import Cluster, Externals, ServiceProcess
from deploy.dev.servers import Kafka, PostgreSQL, Redis

KEY_ID = "dev1"
SETTINGS = {**WITHOUT_LIMITS, "LUDOLOG_PARTITIONS": "8"}
"""Fewer partitions than by default: one broker makes them in seconds."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What runs, and how long its services took to serve, in seconds."""

    cluster: Cluster
    kafka: Kafka
    start_s: float

    @property
    def engine(self) -> ServiceProcess:
        """The one engine."""
        return self.cluster.engines[0]


@contextmanager
def staged() -> Iterator[Stage]:
    """The cluster, running. Missing where a server isn't installed."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ludolog-", ignore_cleanup_errors=True)))
        folder.chmod(0o711)
        kafka = stack.enter_context(Kafka(folder / "kafka"))
        redis = stack.enter_context(Redis(folder / "redis"))
        postgres = stack.enter_context(PostgreSQL(folder / "postgres"))
        externals = Externals(kafka.bootstrap, redis.url, postgres.url)
        cluster = Cluster(folder / "cluster", externals, engines=1, rulebooks=[RULEBOOK], settings=SETTINGS)
        cluster.keys.make()
        needed = [
            cluster.rng,
            cluster.replay,
            *cluster.spectators,
            cluster.matchmaking,
            *cluster.engines,
            *cluster.gateways,
        ]
        began = time.perf_counter()
        for process in needed:
            stack.callback(process.stop)
            process.launch()
        for process in needed:
            process.wait_until_ready()
        yield Stage(cluster, kafka, time.perf_counter() - began)
