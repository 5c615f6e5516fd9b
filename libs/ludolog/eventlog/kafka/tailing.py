"""One consumer for a topic follows the ends of all partitions that somebody reads, and keeps their tails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError, LogTruncationError, OffsetOutOfRangeError

from ludolog.eventlog.kafka.clients import Clients
from ludolog.eventlog.kafka.holes import filled
from ludolog.eventlog.port import LogError, LogUnavailable, OutOfRange, Stored
from ludolog.eventlog.tail import Tail

_LOG = logging.getLogger(__name__)
# A partition that is to be followed too waits for the fetch under way, so long at most.
_FETCH_WAIT_MS = 100
_POLL_MS = 100
_BACKOFF_S = 0.5
_MAX_RECORDS = 2000


@dataclass(frozen=True, slots=True)
class _Watch:
    """A partition to follow, from an offset on. Compared by identity: watched anew is another watch."""

    tail: Tail
    start: int


class Tailing:
    """Follows one topic. Belongs to one event loop; its thread only polls and hands over."""

    def __init__(self, clients: Clients, topic: str) -> None:
        """The thread starts with the first partition to follow."""
        self._clients = clients
        self._topic = topic
        self._loop = asyncio.get_running_loop()
        self._watched: Mapping[int, _Watch] = {}
        self._readers: dict[int, int] = {}
        self._changed = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None

    def tail(self, partition: int) -> Tail | None:
        """The tail of a partition that is followed."""
        watch = self._watched.get(partition)
        return None if watch is None else watch.tail

    def open(self, partition: int, end: int) -> Tail:
        """Count a reader in; `end` is where to begin if nobody has followed the partition."""
        if partition not in self._watched:
            watch = _Watch(Tail((self._topic, partition), end), end)
            self._watched = {**self._watched, partition: watch}
            self._changed.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"kafka-tail-{self._topic}", daemon=True)
            self._thread.start()
        self._readers[partition] = self._readers.get(partition, 0) + 1
        return self._watched[partition].tail

    def close_reader(self, partition: int, tail: Tail) -> None:
        """Count a reader out; the last one ends the following."""
        watch = self._watched.get(partition)
        if watch is None or watch.tail is not tail:
            return
        self._readers[partition] -= 1
        if not self._readers[partition]:
            self._drop(partition)

    async def close(self) -> None:
        """Stop; readers get LogUnavailable."""
        self._closing = True
        self._changed.set()
        for watch in self._watched.values():
            watch.tail.close(LogUnavailable("the log was closed"))
        if self._thread is not None:
            await self._loop.run_in_executor(None, self._thread.join)

    # ---- on the loop

    def _grow(self, grown: Sequence[tuple[_Watch, list[Stored]]]) -> None:
        for watch, stored in grown:
            for record in stored:
                watch.tail.add(record)

    def _fail(self, partitions: Sequence[int], failure: LogError) -> None:
        for partition in partitions:
            watch = self._watched.get(partition)
            if watch is not None:
                watch.tail.close(failure)
                self._drop(partition)

    def _drop(self, partition: int) -> None:
        self._watched = {other: watch for other, watch in self._watched.items() if other != partition}
        del self._readers[partition]
        self._changed.set()

    # ---- on the thread

    def _run(self) -> None:
        """Follow, with a new consumer after each error that isn't a partition's own."""
        positions: dict[_Watch, int] = {}
        while not self._closing:
            consumer = None
            try:
                consumer = self._clients.consumer(fetch_max_wait_ms=_FETCH_WAIT_MS, max_poll_records=_MAX_RECORDS)
                self._follow(consumer, positions)
            except (KafkaError, OSError, RuntimeError) as error:
                if not self._closing:
                    _LOG.warning("following %s: %s: %s", self._topic, type(error).__name__, error)
                    self._changed.wait(_BACKOFF_S)
            finally:
                if consumer is not None:
                    with contextlib.suppress(KafkaError, OSError, RuntimeError):
                        consumer.close(autocommit=False)

    def _follow(self, consumer: KafkaConsumer, positions: dict[_Watch, int]) -> None:
        """Poll for as long as the consumer lives. `positions` survives it."""
        applied: Mapping[int, _Watch] = {}
        while not self._closing:
            watched = self._watched
            if watched is not applied:
                self._apply(consumer, applied, watched, positions)
                applied = watched
            if not watched:
                self._changed.wait()
                self._changed.clear()
                continue
            try:
                found = consumer.poll(timeout_ms=_POLL_MS)
            except (OffsetOutOfRangeError, LogTruncationError) as error:
                self._call(self._fail, _partitions_of(error), OutOfRange(f"{self._topic}: {error}"))
                self._changed.wait(_BACKOFF_S)
                continue
            self._hand_over(consumer, watched, found, positions)

    def _apply(
        self,
        consumer: KafkaConsumer,
        applied: Mapping[int, _Watch],
        watched: Mapping[int, _Watch],
        positions: dict[_Watch, int],
    ) -> None:
        self._changed.clear()
        consumer.assign([TopicPartition(self._topic, partition) for partition in watched])
        for partition, watch in watched.items():
            if applied.get(partition) is not watch:
                consumer.seek(TopicPartition(self._topic, partition), positions.setdefault(watch, watch.start))
        for watch in set(positions).difference(watched.values()):
            del positions[watch]

    def _hand_over(
        self,
        consumer: KafkaConsumer,
        watched: Mapping[int, _Watch],
        found: Mapping[TopicPartition, Sequence[object]],
        positions: dict[_Watch, int],
    ) -> None:
        """One call to the loop for all that a poll brought, holes at the ends included."""
        grown = []
        for partition, watch in watched.items():
            place = TopicPartition(self._topic, partition)
            before = positions[watch]
            # Asking for a position makes the client look at all its partitions: only where something can be new.
            if place not in found and (consumer.highwater(place) or 0) <= before:
                continue
            after = consumer.position(place)
            if after > before:
                grown.append((watch, filled(before, found.get(place, ()), after)))
                positions[watch] = after
        if grown:
            self._call(self._grow, grown)

    def _call(self, callback: object, *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody reads any more
            self._loop.call_soon_threadsafe(callback, *arguments)  # type: ignore[arg-type]


def _partitions_of(error: OffsetOutOfRangeError | LogTruncationError) -> list[int]:
    """The partitions that the error is about."""
    offsets = error.divergent_offsets if isinstance(error, LogTruncationError) else error.args[0]
    return [place.partition for place in offsets]
