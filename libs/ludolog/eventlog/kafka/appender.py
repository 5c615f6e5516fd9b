"""One producer: kafka-python's futures bridged to asyncio, a bound on what is under way, and an end after a failure.

kafka-python 3.0.12 has no bound on memory, and an idempotent producer whose batch expired never sends again: so a
failed append ends the producer (protocol, rule "renew").
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from kafka import KafkaProducer
from kafka.errors import KafkaError

from ludolog.eventlog.kafka.clients import translated
from ludolog.eventlog.limits import InFlight
from ludolog.eventlog.port import UNKNOWN_OFFSET, AppendFailed, LogUnavailable, NoSuchTopic
from ludolog.eventlog.tail import Place

_WATCH_S = 1.0
# Beyond the delivery timeout: what kafka-python should have given up by then.
_GRACE_S = 3.0
_CLOSE_S = 10.0


@dataclass(slots=True)
class _Pending:
    """An append under way."""

    place: Place
    done: asyncio.Future[int]
    size: int
    deadline: float


class KafkaAppender:
    """Implements Appender. Belongs to one event loop."""

    def __init__(
        self,
        producer: KafkaProducer,
        *,
        in_flight: InFlight,
        check: Callable[[str], Awaitable[int]],
        appended: Callable[[Place, int], None],
        patience_ms: int,
    ) -> None:
        """`check` gives a topic's partitions or raises NoSuchTopic; `appended` is told each offset.

        `patience_ms` is the producer's delivery timeout.
        """
        self._producer = producer
        self._in_flight = in_flight
        self._check = check
        self._appended = appended
        self._patience_s = patience_ms / 1000 + _GRACE_S
        self._loop = asyncio.get_running_loop()
        self._finished = ""
        self._preparing: dict[str, asyncio.Task[int]] = {}
        self._partitions: dict[str, int] = {}
        self._pending: dict[int, _Pending] = {}
        self._numbers = 0
        self._outcomes: deque[tuple[int, Any]] = deque()
        self._settling = False
        self._watch: asyncio.TimerHandle | None = None

    @property
    def finished(self) -> bool:
        """Whether it was closed, or an append failed."""
        return bool(self._finished)

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        """Append durably; return the offset, or UNKNOWN_OFFSET. Errors as the port says; LogUnavailable: not sent."""
        place = topic, partition
        self._raise_if_finished()
        if topic not in self._partitions:
            await self._prepare(topic)
        if not 0 <= partition < self._partitions[topic]:
            raise NoSuchTopic(f"no {topic}/{partition}")
        size = self._in_flight.admit(key, value)
        try:
            sent = self._producer.send(topic, value=value, key=key, partition=partition)
        except (KafkaError, ValueError, RuntimeError) as error:
            self._in_flight.release(size)
            raise LogUnavailable(f"{topic}/{partition}: nothing was sent: {error}") from error
        self._numbers += 1
        number = self._numbers
        pending = _Pending(place, self._loop.create_future(), size, self._loop.time() + self._patience_s)
        self._pending[number] = pending
        outcome = functools.partial(self._outcome, number)
        sent.add_callback(outcome)
        sent.add_errback(outcome)
        if self._watch is None:
            self._watch = self._loop.call_later(_WATCH_S, self._look)
        return await pending.done

    async def close(self) -> None:
        """Let go at once: what is under way raises AppendFailed, and may be appended all the same."""
        self._finish("the appender was closed")

    def _raise_if_finished(self) -> None:
        if self._finished:
            raise AppendFailed(self._finished)

    async def _prepare(self, topic: str) -> None:
        """Have the producer know the topic, so that `send` never waits for metadata.

        One task for all who wait: they go on in the order in which they came.
        """
        task = self._preparing.get(topic)
        if task is None:
            task = self._preparing[topic] = self._loop.create_task(self._look_up(topic))
            task.add_done_callback(lambda _: self._preparing.pop(topic))
        await asyncio.wait([task])
        self._raise_if_finished()
        self._partitions[topic] = task.result()

    async def _look_up(self, topic: str) -> int:
        await self._check(topic)
        with translated(f"appending to {topic}"):
            return len(await self._loop.run_in_executor(None, self._producer.partitions_for, topic))

    def _outcome(self, number: int, outcome: Any) -> None:
        """On the producer's thread: one call to the loop for as many outcomes as have gathered."""
        self._outcomes.append((number, outcome))
        if not self._settling:
            self._settling = True
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        # In this order: an outcome that is added from now on calls again.
        self._settling = False
        while self._outcomes:
            number, outcome = self._outcomes.popleft()
            pending = self._pending.get(number)
            if pending is None:
                continue
            if isinstance(outcome, BaseException):
                self._finish(f"{pending.place[0]}/{pending.place[1]}: {type(outcome).__name__}: {outcome}")
                return
            del self._pending[number]
            self._in_flight.release(pending.size)
            offset = outcome.offset if outcome.offset >= 0 else UNKNOWN_OFFSET
            if offset != UNKNOWN_OFFSET:
                self._appended(pending.place, offset)
            if not pending.done.done():
                pending.done.set_result(offset)

    def _look(self) -> None:
        """Give up on a producer that has forgotten an append."""
        self._watch = None
        if not self._pending:
            return
        oldest = next(iter(self._pending.values()))
        if oldest.deadline < self._loop.time():
            self._finish(f"{oldest.place[0]}/{oldest.place[1]}: no answer in {self._patience_s} s")
        else:
            self._watch = self._loop.call_later(_WATCH_S, self._look)

    def _finish(self, why: str) -> None:
        """Nobody knows about what is under way, and nothing more goes through this producer."""
        if self._finished:
            return
        self._finished = why
        for task in self._preparing.values():
            task.cancel()
        if self._watch is not None:
            self._watch.cancel()
        for pending in self._pending.values():
            self._in_flight.release(pending.size)
            if not pending.done.done():
                pending.done.set_exception(AppendFailed(why))
        self._pending.clear()
        threading.Thread(target=_close, args=(self._producer,), name="kafka-producer-close", daemon=True).start()


def _close(producer: KafkaProducer) -> None:
    """End a producer without sending what it holds."""
    with contextlib.suppress(KafkaError, OSError, RuntimeError):
        # close(timeout=0) raises while something is under way, and then its thread goes on for ever (3.0.12).
        producer._sender.force_close()  # noqa: SLF001
        producer.close(timeout=_CLOSE_S)
