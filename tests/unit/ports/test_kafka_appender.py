"""What the bridge makes of outcomes that a healthy broker doesn't produce."""

import asyncio
from typing import Any

import pytest
from kafka.errors import NotEnoughReplicasError
from kafka.future import Future
from kafka.producer.future import RecordMetadata

from ludolog.eventlog.kafka.appender import KafkaAppender
from ludolog.eventlog.limits import InFlight, Limits
from ludolog.eventlog.port import UNKNOWN_OFFSET, AppendFailed

TOPIC = "ludolog.test.log"


class Producer:
    """Stands for kafka-python's: answers when it is told to."""

    def __init__(self) -> None:
        self.sent: list[Future] = []
        self.closed = False
        self._sender = self

    def partitions_for(self, topic: str) -> set[int]:
        return {0, 1}

    def send(self, topic: str, *, value: bytes, key: bytes | None, partition: int) -> Future:
        self.sent.append(Future())
        return self.sent[-1]

    def force_close(self) -> None:
        self.closed = True

    def close(self, timeout: float) -> None:
        assert self.closed


def acknowledged(offset: int) -> RecordMetadata:
    return RecordMetadata(TOPIC, 0, None, offset, 0, None, 0, 0, 0)


class Bench:
    """An appender on such a producer, with appends under way."""

    def __init__(self, patience_ms: int = 6000) -> None:
        self.producer = Producer()
        self.in_flight = InFlight(Limits())
        self.offsets: list[Any] = []
        self.appender = KafkaAppender(
            self.producer,
            in_flight=self.in_flight,
            check=self._check,
            appended=lambda place, offset: self.offsets.append((place, offset)),
            patience_ms=patience_ms,
        )

    async def _check(self, topic: str) -> int:
        return 2

    async def start(self, count: int) -> list[asyncio.Task[int]]:
        appends = [asyncio.create_task(self.appender.append(TOPIC, 0, b"k", b"%d" % n)) for n in range(count)]
        async with asyncio.timeout(5):
            while len(self.producer.sent) < count:  # noqa: ASYNC110 - a stand-in wakes nobody
                await asyncio.sleep(0)
        return appends


async def test_acknowledged_without_offset() -> None:
    bench = Bench()
    append, another = await bench.start(2)
    bench.producer.sent[0].success(acknowledged(-1))
    bench.producer.sent[1].success(acknowledged(7))
    assert await append == UNKNOWN_OFFSET
    assert await another == 7
    assert bench.offsets == [((TOPIC, 0), 7)]
    assert bench.in_flight.bytes == 0
    await bench.appender.close()


async def test_one_failure_ends_them_all() -> None:
    bench = Bench()
    appends = await bench.start(3)
    bench.producer.sent[1].failure(NotEnoughReplicasError("two brokers down"))
    outcomes = await asyncio.gather(*appends, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {AppendFailed}
    assert "NotEnoughReplicas" in str(outcomes[0])
    assert bench.appender.finished
    assert bench.producer.closed
    assert bench.in_flight.bytes == 0
    # What the producer says later is nobody's business any more.
    bench.producer.sent[0].success(acknowledged(3))
    await asyncio.sleep(0)
    with pytest.raises(AppendFailed):
        await bench.appender.append(TOPIC, 0, b"k", b"never")
    assert len(bench.producer.sent) == 3


async def test_acknowledgements_before_a_failure_stand() -> None:
    bench = Bench()
    first, second = await bench.start(2)
    bench.producer.sent[0].success(acknowledged(3))
    bench.producer.sent[1].failure(NotEnoughReplicasError())
    assert await first == 3
    with pytest.raises(AppendFailed):
        await second


async def test_a_producer_that_forgets_an_append_is_given_up() -> None:
    bench = Bench(patience_ms=-3000)
    (append,) = await bench.start(1)
    with pytest.raises(AppendFailed, match="no answer"):
        await append
    assert bench.appender.finished


async def test_a_cancelled_append_counts_until_it_is_answered() -> None:
    bench = Bench()
    (append,) = await bench.start(1)
    append.cancel()
    await asyncio.wait([append])
    assert bench.in_flight.bytes > 0
    bench.producer.sent[0].success(acknowledged(0))
    await asyncio.sleep(0)
    assert bench.in_flight.bytes == 0
    await bench.appender.close()
