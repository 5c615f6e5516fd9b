"""A membership of a consumer group. Its consumer reads nothing: it is there to be given partitions.

Cooperative: a member keeps what it has while others come and go. The poll thread only polls, so no work of ours
ever holds up heartbeats or the poll interval.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import Future

from kafka import KafkaConsumer, TopicPartition
from kafka.consumer.subscription_state import AsyncConsumerRebalanceListener
from kafka.errors import KafkaError

from ludolog.eventlog.kafka.assigning import Assignor
from ludolog.eventlog.kafka.clients import Clients, translated
from ludolog.eventlog.kafka.settings import KafkaSettings
from ludolog.eventlog.port import Listener

_LOG = logging.getLogger(__name__)
_POLL_MS = 100
_BACKOFF_S = 0.5
_LOOK_S = 0.01

Callback = Callable[[frozenset[int]], Awaitable[None]]


class KafkaMembership:
    """Implements Membership. Callbacks run on the loop, one after the other."""

    def __init__(self, clients: Clients, settings: KafkaSettings, topic: str, group: str, listener: Listener) -> None:
        """Nothing happens before `start`."""
        self._clients = clients
        self._settings = settings
        self._topic = topic
        # The leader of a Kafka group assigns by the metadata of the topics that it wants itself: members of one group
        # that want different topics may get nothing. So a group of ours is one for each topic.
        self._group = f"{group}.{topic}"
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._turn = asyncio.Lock()
        self._mine: frozenset[int] = frozenset()
        self._share: frozenset[int] | None = None
        self._leaving = threading.Event()
        self._silent = False
        self._thread: threading.Thread | None = None

    async def start(self) -> None:
        """Connect; partitions come by the listener. LogUnavailable."""
        consumer = await self._loop.run_in_executor(None, self._connect)
        self._thread = threading.Thread(target=self._run, args=(consumer,), name=f"kafka-{self._group}", daemon=True)
        self._thread.start()

    def assigned(self) -> frozenset[int]:
        """The partitions that are mine, as the group last said."""
        return self._mine

    def share(self) -> frozenset[int] | None:
        """All that will be mine once others have given up what they have of it; None while the group doesn't say."""
        return self._share

    async def leave(self) -> None:
        """Give everything up in order (revoked is called) and leave. Nothing happens if that was done."""
        self._leaving.set()
        if self._thread is not None:
            await self._loop.run_in_executor(None, self._thread.join)
        async with self._turn:
            return  # the callbacks that were under way have ended

    async def close(self) -> None:
        """Leave without calling back."""
        self._silent = True
        await self.leave()

    # ---- on the poll thread

    def _connect(self) -> KafkaConsumer:
        with translated(f"joining {self._group}"):
            consumer = self._clients.consumer(
                group_id=self._group,
                partition_assignment_strategy=[Assignor(self._topic, self.assigned, self._told)],
                session_timeout_ms=self._settings.session_timeout_ms,
                heartbeat_interval_ms=self._settings.heartbeat_interval_ms,
                max_poll_interval_ms=self._settings.rebalance_timeout_ms,
            )
            consumer.subscribe([self._topic], listener=_Bridge(self, consumer))
            self._wait_for_metadata(consumer)
            return consumer

    def _wait_for_metadata(self, consumer: KafkaConsumer) -> None:
        """Wait until this client knows the topic's partitions: as the leader it would else assign none at all."""
        deadline = time.monotonic() + self._settings.request_timeout_ms / 1000
        while not consumer.partitions_for_topic(self._topic) and time.monotonic() < deadline:
            self._leaving.wait(_LOOK_S)

    def _run(self, consumer: KafkaConsumer | None) -> None:
        while not self._leaving.is_set():
            try:
                consumer = consumer or self._connect()
                consumer.poll(timeout_ms=_POLL_MS)
            except Exception as error:  # noqa: BLE001 - whatever it is, a membership goes on
                _LOG.warning("group %s: %s: %s", self._group, type(error).__name__, error)
                if not isinstance(error, KafkaError):
                    # The consumer may not survive it: the group will find that it is gone.
                    self._close(consumer)
                    consumer = None
                self._leaving.wait(_BACKOFF_S)
        self._close(consumer)

    def _close(self, consumer: KafkaConsumer | None) -> None:
        """Leave; what isn't given up in order is lost."""
        if consumer is not None:
            with contextlib.suppress(KafkaError, OSError, RuntimeError):
                consumer.close(autocommit=False, timeout_ms=self._settings.request_timeout_ms)
        self.lose(self._mine)
        self._share = None

    # ---- on the consumer's network thread

    def _told(self, share: frozenset[int]) -> None:
        self._share = share

    def gain(self, partitions: frozenset[int]) -> None:
        """New partitions. Doesn't wait for the callback."""
        new = partitions - self._mine
        if new:
            self._mine |= new
            self._tell(self._listener.assigned, new)

    def lose(self, partitions: frozenset[int]) -> None:
        """Partitions that are somebody else's by now. Doesn't wait for the callback."""
        lost = partitions & self._mine
        self._share = None
        if lost:
            self._mine -= lost
            self._tell(self._listener.lost, lost)

    async def give_up(self, partitions: frozenset[int], consumer: KafkaConsumer) -> None:
        """Partitions to give up in order; the group waits, for a bounded time, and heartbeats go on."""
        given_up = partitions & self._mine
        if not given_up:
            return
        told = self._tell(self._listener.revoked, given_up)
        deadline = time.monotonic() + self._settings.revoke_timeout_ms / 1000
        while told is not None and not told.done() and time.monotonic() < deadline:
            # kafka-python's own loop: nothing but its own sleep can be awaited there.
            await consumer._net.sleep(_LOOK_S)  # noqa: SLF001
        if told is not None and not told.done():
            _LOG.error("group %s: revoked %s took too long", self._group, sorted(given_up))
        self._mine -= given_up

    def _tell(self, callback: Callback, partitions: frozenset[int]) -> Future[None] | None:
        if self._silent or self._loop.is_closed():
            return None
        call = self._call(callback, partitions)
        try:
            return asyncio.run_coroutine_threadsafe(call, self._loop)
        except RuntimeError:  # the loop was closed in between
            call.close()
            return None

    # ---- on the loop

    async def _call(self, callback: Callback, partitions: frozenset[int]) -> None:
        async with self._turn:
            try:
                await callback(partitions)
            except Exception:  # noqa: BLE001 - a member's mistakes are its own: the group goes on
                _LOG.exception("group %s: a callback failed", self._group)


class _Bridge(AsyncConsumerRebalanceListener):  # type: ignore[misc]
    """What kafka-python calls."""

    def __init__(self, membership: KafkaMembership, consumer: KafkaConsumer) -> None:
        self._membership = membership
        self._consumer = consumer

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        # Any position will do, so that none is looked up; paused, so that nothing is fetched.
        for place in assigned:
            self._consumer.seek(place, 0)
        self._consumer.pause(*assigned)
        self._membership.gain(_numbers(assigned))

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        await self._membership.give_up(_numbers(revoked), self._consumer)

    async def on_partitions_lost(self, lost: Collection[TopicPartition]) -> None:
        self._membership.lose(_numbers(lost))


def _numbers(places: Collection[TopicPartition]) -> frozenset[int]:
    return frozenset(place.partition for place in places)
