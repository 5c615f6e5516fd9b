"""Bounded reads by offset: for gaps, for loading, for readers that are behind."""

from __future__ import annotations

import time

from kafka import KafkaConsumer, TopicPartition

from ludolog.eventlog.kafka.clients import Clients, ConsumerThread
from ludolog.eventlog.kafka.holes import filled
from ludolog.eventlog.port import LogUnavailable, Stored
from ludolog.eventlog.tail import Place

_POLL_MS = 50


class Fetching:
    """A consumer that jumps to where it is asked to read. One read at a time."""

    def __init__(self, clients: Clients, timeout_ms: int) -> None:
        """`timeout_ms`: for one read."""
        # Without waiting at the end of a partition: an answer under way holds up the next jump.
        self._thread = ConsumerThread(
            "read",
            lambda: clients.consumer(fetch_max_wait_ms=1, enable_incremental_fetch_sessions=False),
        )
        self._timeout_s = timeout_ms / 1000

    async def read(self, place: Place, offset: int, limit: int) -> list[Stored]:
        """Up to `limit` records, at least one: there must be one at the offset. OutOfRange, LogUnavailable."""
        return await self._thread.run(lambda consumer: self._read(consumer, TopicPartition(*place), offset, limit))

    async def close(self) -> None:
        """Let go."""
        await self._thread.close()

    def _read(self, consumer: KafkaConsumer, place: TopicPartition, offset: int, limit: int) -> list[Stored]:
        # Going on where the last read ended finds the next records already fetched.
        if consumer.assignment() != {place} or consumer.position(place) != offset:
            consumer.assign([place])
            consumer.seek(place, offset)
        deadline = time.monotonic() + self._timeout_s
        while time.monotonic() < deadline:
            found = consumer.poll(timeout_ms=_POLL_MS, max_records=limit).get(place, [])
            position = consumer.position(place)
            if position > offset:
                return filled(offset, found, position)[:limit]
        raise LogUnavailable(f"{place.topic}/{place.partition}: nothing came at offset {offset} in {self._timeout_s} s")
