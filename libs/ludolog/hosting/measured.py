"""Log and cache with their metrics: what services are given instead of the bare ones."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import TypeAlias, TypeVar

from prometheus_client import Counter, Histogram

from ludolog.eventlog.port import Appender, EventLog, Listener, LogError, Membership, Reader, Stored
from ludolog.hosting.metrics import Metrics
from ludolog.sessions.port import CacheUnavailable, SessionCache

T = TypeVar("T")
OfTopic: TypeAlias = Callable[[str], tuple[Histogram, Counter, Counter]]

# ruff: noqa: D102 - the methods of the ports, documented there


class MeasuredLog:
    """Implements EventLog: times and counts appends."""

    def __init__(self, log: EventLog, metrics: Metrics) -> None:
        self._log = log
        topic = ("topic",)
        seconds = metrics.histogram("ludolog_log_append_seconds", "Seconds from an append to its answer.", topic)
        failures = metrics.counter("ludolog_log_append_failures", "Appends that failed: nobody knows of them.", topic)
        written = metrics.counter("ludolog_log_appended_bytes", "Bytes of records that were acknowledged.", topic)
        self._of: OfTopic = cache(lambda name: (seconds.labels(name), failures.labels(name), written.labels(name)))

    async def ensure_topic(self, topic: str, partitions: int) -> None:
        await self._log.ensure_topic(topic, partitions)

    async def partitions(self, topic: str) -> int:
        return await self._log.partitions(topic)

    async def appender(self) -> Appender:
        return _MeasuredAppender(await self._log.appender(), self._of)

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        return await self._log.read(topic, partition, offset, limit)

    async def end_offset(self, topic: str, partition: int) -> int:
        return await self._log.end_offset(topic, partition)

    async def reader(self, topic: str, partition: int, offset: int) -> Reader:
        return await self._log.reader(topic, partition, offset)

    async def join(self, topic: str, group: str, instance: str, listener: Listener) -> Membership:
        return await self._log.join(topic, group, instance, listener)

    async def close(self) -> None:
        await self._log.close()


class _MeasuredAppender:
    def __init__(self, appender: Appender, of: OfTopic) -> None:
        self._appender = appender
        self._of = of

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        seconds, failures, written = self._of(topic)
        began = time.perf_counter()
        try:
            offset = await self._appender.append(topic, partition, key, value)
        except LogError:
            failures.inc()
            raise
        seconds.observe(time.perf_counter() - began)
        written.inc(len(value))
        return offset

    async def close(self) -> None:
        await self._appender.close()


class MeasuredCache:
    """Implements SessionCache: counts what is asked of it by how it answers."""

    def __init__(self, inner: SessionCache, metrics: Metrics) -> None:
        self._inner = inner
        requests = metrics.counter(
            "ludolog_cache_requests", "Requests to the cache: hit, miss, done, unavailable.", ("operation", "result")
        )
        self._count = cache(requests.labels)

    async def get(self, key: str) -> bytes | None:
        found = await self._asked("get", self._inner.get(key))
        self._count("get", "miss" if found is None else "hit").inc()
        return found

    async def put(self, key: str, value: bytes, ttl_ms: int) -> None:
        await self._done("put", self._inner.put(key, value, ttl_ms))

    async def delete(self, *keys: str) -> None:
        await self._done("delete", self._inner.delete(*keys))

    async def get_many(self, keys: list[str]) -> Mapping[str, bytes]:
        found = await self._asked("get", self._inner.get_many(keys))
        self._count("get", "hit").inc(len(found))
        self._count("get", "miss").inc(len(keys) - len(found))
        return found

    async def count(self, key: str, window_ms: int) -> int:
        return await self._done("count", self._inner.count(key, window_ms))

    async def take(self, key: str, rate: float, burst: float, tokens: float = 1, *, debt: bool = False) -> float:
        return await self._done("take", self._inner.take(key, rate, burst, tokens, debt=debt))

    async def touch(self, group: str, member: str, ttl_ms: int) -> None:
        await self._done("touch", self._inner.touch(group, member, ttl_ms))

    async def members(self, group: str) -> frozenset[str]:
        return await self._done("members", self._inner.members(group))

    async def wake(self, channel: str, hint: bytes) -> None:
        await self._done("wake", self._inner.wake(channel, hint))

    def wakes(self, *channels: str) -> AsyncIterator[tuple[str, bytes]]:
        return self._inner.wakes(*channels)

    async def close(self) -> None:
        await self._inner.close()

    async def _done(self, operation: str, answer: Awaitable[T]) -> T:
        result = await self._asked(operation, answer)
        self._count(operation, "done").inc()
        return result

    async def _asked(self, operation: str, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except CacheUnavailable:
            self._count(operation, "unavailable").inc()
            raise
