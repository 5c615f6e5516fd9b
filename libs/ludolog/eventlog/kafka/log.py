"""The port on Kafka. Belongs to one event loop; kafka-python's blocking calls stay on threads."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Sequence

from ludolog.eventlog.kafka.appender import KafkaAppender
from ludolog.eventlog.kafka.clients import Clients, ConsumerThread, translated
from ludolog.eventlog.kafka.fetching import Fetching
from ludolog.eventlog.kafka.membership import KafkaMembership
from ludolog.eventlog.kafka.offsets import EndOffsets
from ludolog.eventlog.kafka.settings import KafkaSettings
from ludolog.eventlog.kafka.tailing import Tailing
from ludolog.eventlog.kafka.topics import Topics
from ludolog.eventlog.limits import InFlight, Limits
from ludolog.eventlog.port import Listener, LogUnavailable, NoSuchTopic, OutOfRange, Stored
from ludolog.eventlog.tail import Place, Tail

_LOG = logging.getLogger(__name__)
_FIRST_BACKOFF_S = 0.1
_LAST_BACKOFF_S = 2.0


class KafkaLog:
    """Topics of a Kafka cluster. A record is acknowledged when all in-sync replicas have it."""

    def __init__(
        self,
        bootstrap: str,
        settings: KafkaSettings | None = None,
        limits: Limits | None = None,
        *,
        name: str = "ludolog",
    ) -> None:
        """`bootstrap`: host:port, several separated by commas; `name` shows in the brokers' logs.

        Connects when it is used.
        """
        self.settings = settings or KafkaSettings()
        self.limits = limits or Limits()
        self._clients = Clients(bootstrap, self.settings, name)
        self._topics = Topics(self._clients, self.settings, self.limits.max_record_bytes)
        self._counts: dict[str, int] = {}
        self._in_flight = InFlight(self.limits)
        timeout_ms = self.settings.request_timeout_ms
        consumer = ConsumerThread("end offsets", self._clients.consumer)
        self._ends = EndOffsets(consumer, timeout_ms, self.settings.connect_timeout_ms)
        self._fetching = Fetching(self._clients, timeout_ms)
        self._known_ends: dict[Place, int] = {}
        self._tailing: dict[str, Tailing] = {}
        self._appenders: list[KafkaAppender] = []
        self._memberships: list[KafkaMembership] = []
        self._closed = False

    # ---- topics

    async def ensure_topic(self, topic: str, partitions: int) -> None:
        """Make the topic if it isn't there, asking again for as long as the brokers don't answer.

        UnsafeLog where it could lose acknowledged records; LogUnavailable once it has taken too long.
        """
        if partitions < 1:
            raise ValueError("a topic has at least one partition")
        loop = asyncio.get_running_loop()
        deadline_s, pause_s = loop.time() + self.settings.topic_timeout_ms / 1000, _FIRST_BACKOFF_S
        while True:
            self._raise_if_closed()
            try:
                await loop.run_in_executor(None, self._topics.ensure, topic, partitions)
            except LogUnavailable as error:
                if loop.time() + pause_s > deadline_s:
                    raise
                _LOG.warning("waiting for topic %s: %s", topic, error)
            else:
                self._counts[topic] = partitions
                return
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LAST_BACKOFF_S)

    async def partitions(self, topic: str) -> int:
        """Number of partitions. NoSuchTopic, LogUnavailable."""
        self._raise_if_closed()
        if topic not in self._counts:
            # It never changes: that is one of the settings which `ensure_topic` compares.
            loop = asyncio.get_running_loop()
            self._counts[topic] = await loop.run_in_executor(None, self._topics.partitions, topic)
        return self._counts[topic]

    # ---- appending

    async def appender(self) -> KafkaAppender:
        """Make a producer. LogUnavailable."""
        self._raise_if_closed()
        loop = asyncio.get_running_loop()
        with translated("making a producer"):
            producer = await loop.run_in_executor(None, self._clients.producer)
        appender = KafkaAppender(
            producer,
            in_flight=self._in_flight,
            check=self.partitions,
            appended=self._appended,
            patience_ms=self.settings.delivery_timeout_ms,
        )
        self._appenders = [other for other in self._appenders if not other.finished]
        self._appenders.append(appender)
        return appender

    def _appended(self, place: Place, offset: int) -> None:
        self._known_ends[place] = max(offset + 1, self._known_ends.get(place, 0))

    # ---- reading

    async def end_offset(self, topic: str, partition: int) -> int:
        """Offset of the next record, asked of the partition's leader after this call began. LogUnavailable."""
        place = topic, partition
        await self._check(place)
        end = await self._ends.ask(place)
        self._known_ends[place] = end
        return end

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        """Up to `limit` records from `offset` on; empty at the end. OutOfRange, NoSuchTopic, LogUnavailable."""
        place = topic, partition
        await self._check(place)
        limit = min(limit, self.limits.max_batch_records)
        tailing = self._tailing.get(topic)
        tail = tailing.tail(partition) if tailing else None
        recent = tail.recent(offset, limit) if tail else None
        if recent:
            return recent
        if not 0 <= offset < self._known_ends.get(place, 0):
            end = await self.end_offset(topic, partition)
            if not 0 <= offset <= end:
                raise OutOfRange(f"{topic}/{partition}: offset {offset}, and the log ends at {end}")
            if offset == end:
                return []
        return await self._fetching.read(place, offset, limit)

    async def reader(self, topic: str, partition: int, offset: int) -> KafkaReader:
        """Open a reader at an offset. OutOfRange, NoSuchTopic, LogUnavailable."""
        end = await self.end_offset(topic, partition)
        if not 0 <= offset <= end:
            raise OutOfRange(f"{topic}/{partition}: offset {offset}, and the log ends at {end}")
        self._raise_if_closed()
        if topic not in self._tailing:
            self._tailing[topic] = Tailing(self._clients, topic)
        return KafkaReader(self, self._tailing[topic], (topic, partition), offset, end)

    # ---- groups

    async def join(self, topic: str, group: str, instance: str, listener: Listener) -> KafkaMembership:
        """Become a member of a group on a topic. NoSuchTopic, LogUnavailable."""
        await self.partitions(topic)
        membership = KafkaMembership(self._clients.named(instance), self.settings, topic, group, listener)
        await membership.start()
        self._memberships.append(membership)
        return membership

    # ---- the end

    async def close(self) -> None:
        """Let go: appends under way raise AppendFailed, waiting readers LogUnavailable; groups are left silently."""
        if self._closed:
            return
        self._closed = True
        for appender in self._appenders:
            await appender.close()
        await asyncio.gather(*(membership.close() for membership in self._memberships))
        await asyncio.gather(*(tailing.close() for tailing in self._tailing.values()))
        await self._ends.close()
        await self._fetching.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def _raise_if_closed(self) -> None:
        if self._closed:
            raise LogUnavailable("the log was closed")

    async def _check(self, place: Place) -> None:
        """NoSuchTopic unless there is such a partition."""
        topic, partition = place
        if not 0 <= partition < await self.partitions(topic):
            raise NoSuchTopic(f"no {topic}/{partition}")


class KafkaReader:
    """A position in one partition: far from the end it reads by offset, near the end from the tail that all share."""

    def __init__(self, log: KafkaLog, tailing: Tailing, place: Place, offset: int, end: int) -> None:
        """Made by the log."""
        self._log = log
        self._tailing = tailing
        self._place = place
        self._offset = offset
        self._tail: Tail | None = tailing.open(place[1], end)

    async def batch(self) -> Sequence[Stored]:
        """Wait for the next records, at least one, in order; for ever where the log doesn't answer.

        OutOfRange; LogUnavailable once the log or the reader is closed.
        """
        if self._tail is None:
            raise LogUnavailable("the reader was closed")
        await self._tail.grown(self._offset)
        limit = self._log.limits.max_batch_records
        found: Sequence[Stored] | None = self._tail.recent(self._offset, limit)
        if not found:
            found = await self._read(limit)
        self._offset = found[-1].offset + 1
        return found

    async def _read(self, limit: int) -> Sequence[Stored]:
        backoff_s = _FIRST_BACKOFF_S
        while True:
            try:
                found = await self._log.read(*self._place, self._offset, limit)
            except LogUnavailable:
                if self._log.closed:
                    raise
            else:
                if found:
                    return found
            await asyncio.sleep(random.uniform(backoff_s / 2, backoff_s))  # noqa: S311 - not a secret
            backoff_s = min(2 * backoff_s, _LAST_BACKOFF_S)

    async def close(self) -> None:
        """Let go."""
        if self._tail is not None:
            self._tailing.close_reader(self._place[1], self._tail)
            self._tail = None
