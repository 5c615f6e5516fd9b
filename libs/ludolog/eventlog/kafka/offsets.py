"""Ends of partitions, fresh from their leaders: one query under way serves all who waited when it started.

kafka-python 3.0.12 doesn't look for the new leader when the old one answers that it isn't any more; it asks it again
until the time is over. So a query gets little time, and is repeated once by a new consumer.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict

from kafka import KafkaConsumer, TopicPartition

from ludolog.eventlog.kafka.clients import ConsumerThread
from ludolog.eventlog.port import LogError, LogUnavailable
from ludolog.eventlog.tail import Place


class EndOffsets:
    """Asks for ends. Belongs to one event loop."""

    def __init__(self, thread: ConsumerThread, timeout_ms: int, longest_ms: int) -> None:
        """`timeout_ms`: for an answer; a third of it for the first try.

        `longest_ms`: nobody waits longer, though the client may be connecting for longer.
        """
        self._thread = thread
        self._longest_s = longest_ms / 1000
        self._timeout_ms = timeout_ms // 3
        self._waiting: defaultdict[Place, list[asyncio.Future[int]]] = defaultdict(list)
        self._task: asyncio.Task[None] | None = None

    async def ask(self, place: Place) -> int:
        """Offset of the next record, asked after this call began. LogUnavailable."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[int] = loop.create_future()
        self._waiting[place].append(answer)
        if self._task is None:
            self._task = loop.create_task(self._serve(), name="kafka-end-offsets")
        try:
            async with asyncio.timeout(self._longest_s):
                return await answer
        except TimeoutError:
            raise LogUnavailable(f"end offsets: no answer in {self._longest_s} s") from None

    async def close(self) -> None:
        """Answer nobody any more: who waits gets LogUnavailable."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        _fail(self._waiting, LogUnavailable("the log was closed"))
        await self._thread.close()

    async def _serve(self) -> None:
        while self._waiting:
            asked = self._waiting
            self._waiting = defaultdict(list)
            places = list(asked)
            try:
                ends = await self._ask_twice(places)
            except asyncio.CancelledError:
                _fail(asked, LogUnavailable("the log was closed"))
                raise
            except Exception as error:  # noqa: BLE001 - who waits is answered whatever it is: a dead task answers nobody
                _fail(asked, error if isinstance(error, LogError) else LogUnavailable(f"end offsets: {error!r}"))
            else:
                for place, answers in asked.items():
                    for answer in answers:
                        if not answer.done():
                            answer.set_result(ends[place])
        self._task = None

    async def _ask_twice(self, places: list[Place]) -> dict[Place, int]:
        try:
            return await self._thread.run(lambda consumer: self._query(consumer, places))
        except LogUnavailable:
            return await self._thread.run(lambda consumer: self._query(consumer, places))

    def _query(self, consumer: KafkaConsumer, places: list[Place]) -> dict[Place, int]:
        try:
            found = consumer.end_offsets([TopicPartition(*place) for place in places], timeout_ms=self._timeout_ms)
        except KeyError as missing:
            # kafka-python 3.0.12 can leave a partition out of its own answer, and then looks it up there.
            raise LogUnavailable(f"end offsets: no answer for {missing}") from missing
        return {(asked.topic, asked.partition): end for asked, end in found.items()}


def _fail(asked: dict[Place, list[asyncio.Future[int]]], error: LogError) -> None:
    for answers in asked.values():
        for answer in answers:
            if not answer.done():
                answer.set_exception(error)
