"""Who asks for the end of a partition is answered, whatever the client library raises."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from kafka import TopicPartition

from ludolog.eventlog.kafka.clients import ConsumerThread
from ludolog.eventlog.kafka.offsets import EndOffsets
from ludolog.eventlog.port import LogUnavailable

PLACE = ("log", 3)
END = 7


class Consumer:
    """Raises what it is given, one after the other; then it answers."""

    def __init__(self, failures: Iterator[Exception]) -> None:
        self._failures = failures

    def end_offsets(self, places: list[TopicPartition], *, timeout_ms: int) -> dict[TopicPartition, int]:
        for failure in self._failures:
            raise failure
        return dict.fromkeys(places, END)


class Thread:
    """Runs the work at once."""

    def __init__(self, *failures: Exception) -> None:
        self._consumer = Consumer(iter(failures))

    async def run(self, work: Callable[[Any], Any]) -> Any:
        return work(self._consumer)


def end_offsets(*failures: Exception) -> EndOffsets:
    return EndOffsets(cast("ConsumerThread", Thread(*failures)), timeout_ms=3000, longest_ms=5000)


async def test_a_partition_left_out_of_an_answer_is_asked_for_again() -> None:
    ends = end_offsets(KeyError(TopicPartition(*PLACE)))
    assert await asyncio.wait_for(ends.ask(PLACE), 1) == END


async def test_left_out_twice_is_no_answer_and_the_next_one_who_asks_gets_one() -> None:
    ends = end_offsets(KeyError(TopicPartition(*PLACE)), KeyError(TopicPartition(*PLACE)))
    with pytest.raises(LogUnavailable):
        await asyncio.wait_for(ends.ask(PLACE), 1)
    assert await asyncio.wait_for(ends.ask(PLACE), 1) == END


async def test_nobody_waits_for_ever_after_an_error_that_nobody_thought_of() -> None:
    ends = end_offsets(ValueError("surprise"))
    with pytest.raises(LogUnavailable, match="surprise"):
        await asyncio.wait_for(ends.ask(PLACE), 1)
    assert await asyncio.wait_for(ends.ask(PLACE), 1) == END


class StuckThread:
    """A client that is connecting for ever."""

    async def run(self, work: Callable[[Any], Any]) -> Any:
        await asyncio.Event().wait()


async def test_nobody_waits_longer_than_a_client_may_take_to_connect() -> None:
    ends = EndOffsets(cast("ConsumerThread", StuckThread()), timeout_ms=3000, longest_ms=20)
    for _ in range(2):
        with pytest.raises(LogUnavailable, match=r"0\.02 s"):
            await asyncio.wait_for(ends.ask(PLACE), 1)
