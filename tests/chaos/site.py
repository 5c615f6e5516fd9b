"""The whole platform on real servers, two processes of each that clients hold on to; and what is done to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import redis as redis_client

from deploy.dev.platform import SESSION_S, Cluster, Externals
from deploy.dev.process import Server
from deploy.dev.servers import Kafka, PostgreSQL, Redis
from ludolog.eventlog.partitioning import partition_of
from services.replay.tables import SCHEMA
from tests.chaos.plan import (
    BROKER,
    ENGINE,
    GATEWAY,
    KILL,
    MATCHMAKING,
    PAUSE,
    POSTGRES,
    REDIS,
    REPLAY,
    RNG,
    SPECTATOR,
    Attack,
)
from tests.infra.playing import RULEBOOK, TOPIC

PARTITIONS = 8
PAUSE_S = float(SESSION_S) + 1.5
"""Longer than a session lasts: whoever wakes up is a former owner."""


@dataclass(slots=True)
class Site:
    """Servers and processes, running."""

    broker: Kafka
    redis: Redis
    postgres: PostgreSQL
    database: str
    cluster: Cluster

    @property
    def everything(self) -> list[Server]:
        """All that is there to be killed, and what isn't."""
        return [self.broker, self.redis, self.postgres, *self.cluster.processes]

    def victim(self, attack: Attack) -> Server:
        """Whom an attack hits."""
        cluster = self.cluster
        candidates: dict[str, list[Server]] = {
            ENGINE: [*cluster.engines],
            GATEWAY: [*cluster.gateways],
            SPECTATOR: [*cluster.spectators],
            REPLAY: [cluster.replay],
            RNG: [cluster.rng],
            MATCHMAKING: [cluster.matchmaking],
            REDIS: [self.redis],
            POSTGRES: [self.postgres],
            BROKER: [self.broker],
        }
        found = candidates[attack.victim]
        return found[int(attack.which * len(found))]

    async def strike(self, attack: Attack) -> None:
        """Do it: kill, stop, or freeze for longer than a session lasts. Returns when that is done."""
        victim = self.victim(attack)
        match attack.how:
            case _ if attack.how == KILL:
                await asyncio.to_thread(victim.kill)
            case _ if attack.how == PAUSE:
                victim.pause()
            case _:
                await asyncio.to_thread(victim.stop)

    async def mend(self, attack: Attack) -> None:
        """Start the victim again, or wake it up, after its time."""
        victim = self.victim(attack)
        if attack.how == PAUSE:
            await asyncio.sleep(PAUSE_S + attack.down_s / 3)
            victim.resume()
        else:
            await asyncio.sleep(attack.down_s)
            await asyncio.to_thread(victim.start)

    def owned_by(self, address: str) -> frozenset[int]:
        """The partitions of the game's log that an engine has."""
        return frozenset(number for number, owner in self.owners().items() if owner == address)

    def owners(self) -> dict[int, str]:
        """Addresses of the engines that have the partitions of the game's log by the cache; none while it is away."""
        found: dict[int, bytes | None] = {}
        with redis_client.Redis.from_url(self.redis.url) as connection, suppress(redis_client.ConnectionError):
            found = {number: connection.get(f"ludolog:owner:{TOPIC}:{number}") for number in range(PARTITIONS)}
        return {number: owner.decode() for number, owner in found.items() if owner}

    def flush(self) -> None:
        """Empty the cache; one that was just killed has nothing to be emptied of."""
        with redis_client.Redis.from_url(self.redis.url) as connection, suppress(redis_client.ConnectionError):
            connection.flushall()

    def drop(self) -> None:
        """Drop the archive's tables."""
        self._execute(f"DROP SCHEMA {SCHEMA} CASCADE")

    def rebuild(self) -> None:
        """Have the archive begin again from the start of the log."""
        self._execute(f"TRUNCATE {SCHEMA}.positions")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.database.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(statement.encode())


def partition_of_match(match: str) -> int:
    """The partition of the game's log that a match is in."""
    return partition_of(match.removeprefix("matches/"), PARTITIONS)


@contextmanager
def standing(folder: Path) -> Iterator[Site]:
    """A site under a folder, for the time of the context. Raises Missing where a server isn't installed."""
    with ExitStack() as stack:
        redis = stack.enter_context(Redis(folder / "redis"))
        postgres = stack.enter_context(PostgreSQL(folder / "postgres"))
        broker = stack.enter_context(Kafka(folder / "kafka"))
        database = postgres.create_database()
        settings = {
            "LUDOLOG_PARTITIONS": str(PARTITIONS),
            "LUDOLOG_BOT_DELAY_MS": "100",
            "LUDOLOG_SIGN_INS_PER_MINUTE": "0",
            "LUDOLOG_PLAYER_CALLS_PER_SECOND": "0",
            "LUDOLOG_ADDRESS_CALLS_PER_SECOND": "0",
            "LUDOLOG_PLAYER_STREAMS": "0",
            "LUDOLOG_TABLES_PER_MINUTE": "0",
        }
        cluster = Cluster(
            folder / "platform",
            Externals(broker.bootstrap, redis.url, database),
            gateways=2,
            spectators=2,
            rulebooks=[RULEBOOK],
            settings=settings,
        )
        yield Site(broker, redis, postgres, database, stack.enter_context(cluster))
