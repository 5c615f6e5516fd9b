"""The platform as separate processes on real Kafka, Redis and PostgreSQL: matches, kills, a flushed cache."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

import psycopg
import pytest
import redis as redis_client

from deploy.dev.platform import Cluster, ServiceProcess
from deploy.dev.process import wait_until
from deploy.dev.servers import Prometheus, Redis
from deploy.prometheus.queries import queries
from ludolog.cli import main as ludolog
from ludolog.client import Client
from ludolog.client.errors import Refused, Unavailable
from ludolog.eventlog.kafka import KafkaLog
from ludolog.eventlog.partitioning import partition_of
from ludolog.rulebooks import catalogue
from services.replay.tables import SCHEMA
from tests.infra.playing import TOPIC, Journal, assert_log_keeps, match_of, new_table, play
from tests.integration.cluster.conftest import PARTITIONS, client_of

EXPORT_TRIES = 300
MATCH_S = 90
GATHERING_S = 60
SCRAPED_S = 60
MOST_S = 60.0
"""From the kill to an acknowledged command of the same player, others' moves in between included; 6 s are usual."""


class Meeting:
    """People and house players at one table of the cluster."""

    def __init__(self, cluster: Cluster, people: int, bots: int, *, decision_time_s: float | None = None) -> None:
        self._cluster = cluster
        self._decision_time_s = decision_time_s
        self._people = people
        self._bots = bots
        self._stack = AsyncExitStack()
        self.clients: list[Client] = []
        self.match = ""

    async def __aenter__(self) -> Self:
        async with asyncio.timeout(GATHERING_S):
            await self._gather()
        return self

    async def _gather(self) -> None:
        for number in range(self._people):
            client = await self._stack.enter_async_context(client_of(self._cluster))
            await client.sign_in_guest(f"Person {number + 1}")
            self.clients.append(client)
        host = self.clients[0]
        table = await new_table(host, self._people + self._bots, self._bots, decision_time_s=self._decision_time_s)
        for client in self.clients[1:]:
            await client.tables.join(table)
        self.match = await match_of(host, table)
        self.seats = {}
        for one in (await host.tables.get(table)).seats:
            for client in self.clients:
                if client.player and client.player.name == one.player:
                    self.seats[one.seat] = client

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    @property
    def partition(self) -> int:
        """The match's partition."""
        return partition_of(self.match.removeprefix("matches/"), PARTITIONS)

    async def export(self, path: Path) -> None:
        """Export the record, once the seed is revealed and the archive has heard of it."""
        for tries in range(EXPORT_TRIES):
            try:
                await self.clients[0].replays.export(self.match, path)
            except (Refused, Unavailable):
                assert tries + 1 < EXPORT_TRIES
                await asyncio.sleep(0.1)
            else:
                return


async def assert_holds(meeting: Meeting, log: KafkaLog, journals: dict[int, Journal], path: Path) -> None:
    """The log keeps what was acknowledged, and the exported record verifies."""
    await assert_log_keeps(log, meeting.match, journals)
    await meeting.export(path)
    assert await asyncio.to_thread(ludolog, ["verify", str(path)]) == 0


async def play_all(meeting: Meeting, meanwhile: Callable[[int], Awaitable[None]] | None = None) -> dict[int, Journal]:
    """Every person plays to the end; `meanwhile` goes with the first one."""
    first = min(meeting.seats)
    plays = {
        seat: play(client, meeting.match, seat, meanwhile if seat == first else None)
        for seat, client in meeting.seats.items()
    }
    journals = await asyncio.wait_for(asyncio.gather(*plays.values()), MATCH_S)
    return dict(zip(plays, journals, strict=True))


async def test_matches_of_people_and_house_players(cluster: Cluster, log: KafkaLog, tmp_path: Path) -> None:
    async def one(number: int) -> None:
        async with Meeting(cluster, 2, 2) as meeting:
            await assert_holds(meeting, log, await play_all(meeting), tmp_path / f"{number}.ludolog")

    await asyncio.gather(*(one(number) for number in range(4)))


def owner_of(cluster: Cluster, redis: Redis, partition: int) -> ServiceProcess:
    """The engine that owns a partition of the game's log."""
    with redis_client.Redis.from_url(redis.url) as connection:
        keys = list(connection.scan_iter(match=f"*owner:{TOPIC}:{partition}"))
        address = connection.get(keys[0]).decode()
    return next(engine for engine in cluster.engines if engine.address == address)


async def test_an_engine_dies_in_mid_match(
    cluster: Cluster,
    redis: Redis,
    log: KafkaLog,
    tmp_path: Path,
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    async with Meeting(cluster, 3, 0) as meeting:
        killed: list[ServiceProcess] = []
        took: list[float] = []

        async def kill(moves: int) -> None:
            if moves == 1:
                killed.append(owner_of(cluster, redis, meeting.partition))
                killed[0].kill()
                took.append(time.monotonic())
            elif moves == 2:
                took.append(time.monotonic())

        try:
            journals = await play_all(meeting, kill)
        finally:
            for engine in killed:
                engine.start()
        assert killed, "the match was over before anything happened"
        record_testsuite_property("failover_s", round(took[-1] - took[0], 1))
        assert took[-1] - took[0] < MOST_S
        await assert_holds(meeting, log, journals, tmp_path / "killed.ludolog")


async def test_the_cache_is_flushed_in_mid_match(cluster: Cluster, redis: Redis, log: KafkaLog, tmp_path: Path) -> None:
    async with Meeting(cluster, 3, 0) as meeting:

        async def flush(moves: int) -> None:
            with redis_client.Redis.from_url(redis.url) as connection:
                connection.flushall()

        await assert_holds(meeting, log, await play_all(meeting, flush), tmp_path / "flushed.ludolog")


async def test_the_archive_is_dropped_in_mid_match(
    cluster: Cluster, database: str, log: KafkaLog, tmp_path: Path
) -> None:
    async with Meeting(cluster, 3, 0) as before:
        journals = await play_all(before)
        await before.export(tmp_path / "before.ludolog")
        async with Meeting(cluster, 3, 0) as meeting:

            async def drop(moves: int) -> None:
                if moves == 1:
                    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as connection:
                        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE".encode())

            await assert_holds(meeting, log, await play_all(meeting, drop), tmp_path / "dropped.ludolog")
        await assert_holds(before, log, journals, tmp_path / "again.ludolog")
    assert (tmp_path / "again.ludolog").read_bytes() == (tmp_path / "before.ludolog").read_bytes()


async def test_the_archive_is_written_on_after_its_process_was_killed(
    cluster: Cluster, log: KafkaLog, tmp_path: Path
) -> None:
    async with Meeting(cluster, 3, 0) as meeting:

        async def kill(moves: int) -> None:
            if moves == 1:
                await asyncio.to_thread(cluster.replay.restart)

        await assert_holds(meeting, log, await play_all(meeting, kill), tmp_path / "archive.ludolog")


async def test_prometheus_scrapes_every_process_and_answers_every_query(
    cluster: Cluster, prometheus: Prometheus, tmp_path: Path
) -> None:
    await asyncio.to_thread(prometheus.configure, cluster.prometheus_configuration())
    async with Meeting(cluster, 2, 2) as meeting:
        await play_all(meeting)
        with pytest.raises(Refused):
            await meeting.clients[0].resign(meeting.match, min(meeting.seats))

        def missing() -> list[str]:
            asked = [one.query for one in queries() if not prometheus.query(one.query)]
            down = {process.name for process in cluster.processes} - {
                series["metric"]["job"] for series in prometheus.query("ludolog_build_info")
            }
            return asked + sorted(down)

        unanswered: list[str] = []

        def answered() -> bool:
            unanswered[:] = missing()
            return not unanswered

        with contextlib.suppress(TimeoutError):
            await asyncio.to_thread(wait_until, answered, timeout_s=SCRAPED_S, poll_s=0.5)
        assert not unanswered
    (matches,) = prometheus.query("sum(ludolog_engine_commands_total{kind='create',result='ok'})")
    assert float(matches["value"][1]) >= 1


def test_each_rulebook_has_two_engines(cluster: Cluster) -> None:
    expected = {f"engine-{number}-{rulebook}" for rulebook in catalogue.names() for number in (1, 2)}
    assert {engine.name for engine in cluster.engines} == expected
