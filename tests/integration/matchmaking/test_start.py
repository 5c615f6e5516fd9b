"""A start of matchmaking reads little of its log: on the real servers too, and whatever became of the cache."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import redis

from deploy.dev.servers import Kafka, Redis
from ludolog.eventlog.kafka import KafkaLog
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Service
from ludolog.sessions.memory import MemoryCache
from ludolog.sessions.redis import RedisCache
from services.matchmaking.aggregate import TOPIC
from tests.contract.ports.worlds import new_topic
from tests.integration.matchmaking.house import (
    BINDS,
    RULEBOOK,
    TABLES_ONLY,
    Person,
    full_table,
    parts_of,
    settings,
    until,
)
from tests.integration.matchmaking.test_matches import abort
from tests.integration.ports.test_eventlog_kafka import SETTINGS
from tests.unit.matchmaking.logbook import Instance, Logbook
from tests.unit.matchmaking.test_tables import START, opening, sit

PARTITIONS = 2


class Watched:
    """A log that isn't closed by who uses it, and says from where on matchmaking's topic, as `topic`, was read."""

    def __init__(self, log: Any, topic: str = TOPIC) -> None:
        self.first: dict[int, int] = {}
        self._log, self._topic = log, topic

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def _renamed(self, topic: str) -> str:
        return self._topic if topic == TOPIC else topic

    def _note(self, topic: str, partition: int, offset: int) -> str:
        if topic == TOPIC:
            self.first[partition] = min(offset, self.first.get(partition, offset))
        return self._renamed(topic)

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Any:
        return await self._log.read(self._note(topic, partition, offset), partition, offset, limit)

    async def reader(self, topic: str, partition: int, offset: int) -> Any:
        return await self._log.reader(self._note(topic, partition, offset), partition, offset)

    async def end_offset(self, topic: str, partition: int) -> int:
        end: int = await self._log.end_offset(self._renamed(topic), partition)
        return end

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        """For a writer, who brings the log's appender."""
        offset: int = await self._log.append(self._renamed(topic), partition, key, value)
        return offset

    async def close(self) -> None:
        return


@contextlib.asynccontextmanager
async def started(folder: Path, log: Watched, cache: MemoryCache) -> AsyncIterator[Platform]:
    async with await Platform.create(settings(folder), log=log, cache=cache) as platform:
        for name in TABLES_ONLY:
            await platform.add(Service(name, BINDS[name], rulebook=RULEBOOK if name == "engine" else ""))
        await platform.health.wait_serving()
        yield platform


async def test_a_restart_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    log, cache = SqliteLog(tmp_path), MemoryCache()
    async with started(tmp_path, Watched(log), cache) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        over, on = await full_table(people), await full_table(people)
        for table in (over, on):
            await people[0].start(table.name)
            await people[0].playing(table.name)
        open_one = await people[1].create()
        await abort(platform, over.name)

        async def noted() -> bool:
            return bool(parts_of(platform).endings.noted)

        await until(noted)
        listed = (await people[0].list()).tables
        sources = [hall.sources for hall in parts_of(platform).lobby.halls]
    ends = {partition: await log.end_offset(TOPIC, partition) for partition in range(await log.partitions(TOPIC))}
    watched = Watched(log)
    async with started(tmp_path, watched, cache) as platform:
        again = Person(platform, "a")
        assert (await again.list()).tables == listed
        assert {table.name for table in listed} == {on.name, open_one.name}
        assert (await again.get(over.name)).match, "history that is new can still be asked for"
        assert [hall.sources for hall in parts_of(platform).lobby.halls] == sources
        assert all(watched.first[partition] >= end - 1 for partition, end in ends.items() if end), watched.first
    await log.close()


@pytest.fixture
async def log(kafka: Kafka) -> AsyncIterator[Watched]:
    log = KafkaLog(kafka.bootstrap, SETTINGS)
    yield Watched(log, await new_topic(log, PARTITIONS))
    await log.close()


@pytest.fixture
async def cache(redis_server: Redis) -> AsyncIterator[RedisCache]:
    cache = RedisCache(redis_server.url)
    yield cache
    await cache.close()


async def test_on_kafka_and_redis_that_may_be_flushed(log: Watched, cache: RedisCache, redis_server: Redis) -> None:
    appender = await log.appender()
    book = Logbook(log, Watched(appender, log._topic), PARTITIONS)  # noqa: SLF001
    for partition in range(PARTITIONS):
        await book.take_over(partition)
    for number in range(6):
        await book.does(f"toy-{number}", opening(seats=1), sit("ann"), START)
    await book.commit("toy-0", void=True)
    cold = Instance(log, cache, PARTITIONS)
    await cold.start()
    await cold.readers.stop()
    ends = await cold.readers.positions()
    await book.does("more", opening())

    async def start(*, warm: bool) -> None:
        log.first.clear()
        instance = Instance(log, cache, PARTITIONS)
        await instance.start()
        assert len(instance.lobby) == 7
        assert all((log.first[number] >= end - 1) == warm for (_, number), end in ends.items())
        await instance.readers.stop()

    await start(warm=True)
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    await start(warm=False)
    await start(warm=True)
    await appender.close()
