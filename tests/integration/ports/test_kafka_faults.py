"""Faults of a broker: killed, frozen, gone. Appends end definitely, and what was acknowledged is there."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator

import pytest

from deploy.dev.servers import Kafka
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.eventlog.port import AppendFailed, LogError, LogUnavailable
from tests.contract.ports.eventlog_cases import append_all, take
from tests.contract.ports.worlds import new_topic
from tests.infra.provide import provided

SETTINGS = KafkaSettings(
    single_broker=True,
    request_timeout_ms=1000,
    delivery_timeout_ms=2000,
    connect_timeout_ms=1000,
    topic_timeout_ms=1000,
)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    """A broker to be hurt; it runs when a test begins."""
    with provided(Kafka(tmp_path_factory.mktemp("kafka"))) as server:
        yield server


@pytest.fixture
async def log(broker: Kafka) -> AsyncIterator[KafkaLog]:
    broker.start()
    log = KafkaLog(broker.bootstrap, SETTINGS)
    yield log
    await log.close()


async def soon(log: KafkaLog, topic: str, value: bytes) -> int:
    """Append by new producers until it succeeds."""
    async with asyncio.timeout(30):
        while True:
            try:
                appender = await log.appender()
                return await appender.append(topic, 0, b"k", value)
            except LogError:
                continue


async def test_a_killed_broker_loses_nothing_that_was_acknowledged(broker: Kafka, log: KafkaLog) -> None:
    topic = await new_topic(log)
    reader = await log.reader(topic, 0, 0)
    appender = await log.appender()
    acknowledged: dict[int, bytes] = {}
    failed = 0
    enough = asyncio.Event()

    async def append_on(task: int) -> None:
        nonlocal failed
        for number in range(1_000_000):
            value = b"%d/%d" % (task, number)
            try:
                acknowledged[await appender.append(topic, 0, b"k", value)] = value
            except AppendFailed:
                failed += 1
                return
            if len(acknowledged) > 500:
                enough.set()

    tasks = [asyncio.create_task(append_on(task)) for task in range(20)]
    await enough.wait()
    await asyncio.to_thread(broker.kill)
    async with asyncio.timeout(SETTINGS.delivery_timeout_ms / 1000 + 5):
        await asyncio.gather(*tasks)
    assert failed == 20
    assert appender.finished
    with pytest.raises(AppendFailed):
        await appender.append(topic, 0, b"k", b"never")
    await asyncio.to_thread(broker.start)
    last = await soon(log, topic, b"last")
    found = {stored.offset: stored.value for stored in await take(reader, last + 1)}
    assert sorted(found) == list(range(last + 1))
    assert found[last] == b"last"
    assert all(found[offset] == value for offset, value in acknowledged.items())
    assert b"never" not in found.values()


async def test_while_the_broker_is_down_calls_fail_soon_and_readers_wait(broker: Kafka, log: KafkaLog) -> None:
    topic = await new_topic(log)
    await append_all(log, topic, [b"0"])
    appender = await log.appender()
    await appender.append(topic, 0, b"k", b"1")
    reader = await log.reader(topic, 0, 0)
    await take(reader, 2)
    waiting = asyncio.create_task(take(reader, 1))
    await asyncio.to_thread(broker.kill)
    began = time.monotonic()
    with pytest.raises(AppendFailed):
        await appender.append(topic, 0, b"k", b"maybe")
    for call in log.end_offset(topic, 0), log.read(topic, 0, 1, 10), log.appender(), log.ensure_topic(topic, 1):
        with pytest.raises(LogUnavailable):
            await call
    assert time.monotonic() - began < 20
    assert not waiting.done()
    await asyncio.to_thread(broker.start)
    await soon(log, topic, b"back")
    values = [stored.value for stored in await waiting]
    assert values in ([b"back"], [b"maybe"], [b"maybe", b"back"])


async def test_a_frozen_broker_fails_appends_in_time_and_their_producer_ends(broker: Kafka, log: KafkaLog) -> None:
    topic = await new_topic(log)
    appender = await log.appender()
    await appender.append(topic, 0, b"k", b"0")
    broker.pause()
    try:
        began = time.monotonic()
        outcomes = await asyncio.gather(
            *(appender.append(topic, 0, b"k", b"%d" % number) for number in range(10)), return_exceptions=True
        )
        assert {type(outcome) for outcome in outcomes} == {AppendFailed}
        assert time.monotonic() - began < SETTINGS.delivery_timeout_ms / 1000 + 4
    finally:
        broker.resume()
    # The closed producer's thread goes, and takes what it still held with it.
    async with asyncio.timeout(20):
        while any("network-thread" in thread.name or "producer" in thread.name for thread in threading.enumerate()):  # noqa: ASYNC110 - a thread's end wakes nobody
            await asyncio.sleep(0.02)
    last = await soon(log, topic, b"last")
    assert (await log.read(topic, 0, last, 1))[0].value == b"last"
