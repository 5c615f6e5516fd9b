"""Owners on a real Kafka: they hand over under load, and no acknowledged command is lost or applied twice."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator

import pytest

from deploy.dev.servers import Kafka
from ludolog.eventlog.kafka import KafkaLog
from ludolog.eventlog.owner import NotOwner, Owner, OwnerLimits, Receipt, Unavailable
from ludolog.eventlog.takeovers import Checkpoint, Fence
from tests.contract.ports.worlds import PATIENCE_S, new_topic
from tests.infra.caches import DictCache
from tests.integration.ports.test_eventlog_kafka import SETTINGS
from tests.unit.eventlog.instant import Adder, Heard, Sum, WallClock, cause

PARTITIONS = 4
STREAMS = [f"s{number}" for number in range(24)]
COMMANDS = 100


@pytest.fixture
async def log(kafka: Kafka) -> AsyncIterator[KafkaLog]:
    log = KafkaLog(kafka.bootstrap, SETTINGS)
    yield log
    await log.close()


def make_owner(log: KafkaLog, cache: DictCache, topic: str, instance: str) -> Owner[Sum]:
    return Owner(
        log=log,
        cache=cache,
        topic=topic,
        group="owners",
        instance=instance,
        aggregate=Adder(),
        clock=WallClock(),
        address=f"{instance}:1",
        hooks=Heard(),
        limits=OwnerLimits(checkpoint_s=1.0),
    )


async def insist(owners: list[Owner[Sum]], stream_id: str, number: int) -> Receipt:
    """Send a command to whoever serves the stream, until there is a receipt."""
    while True:
        for owner in owners:
            try:
                return await owner.submit(stream_id, cause(f"c{number}", number + 1))
            except (NotOwner, Unavailable):
                continue
        await asyncio.sleep(0.02)


async def counted_ids(log: KafkaLog, topic: str) -> dict[str, list[str]]:
    """The command ids that count, by stream, as any reader finds them."""
    ids = defaultdict(list)
    for partition in range(PARTITIONS):
        fence, end = Fence(Checkpoint()), await log.end_offset(topic, partition)
        while fence.position < end:
            for counted in fence.count(await log.read(topic, partition, fence.position, 500)):
                ids[counted.commit.stream_id].append(counted.commit.cause.command_id)
    return dict(ids)


async def test_owners_hand_over_under_load_and_lose_nothing(log: KafkaLog, kafka: Kafka) -> None:
    topic, cache = await new_topic(log, PARTITIONS), DictCache()
    other_log = KafkaLog(kafka.bootstrap, SETTINGS)
    first, second = make_owner(log, cache, topic, "first"), make_owner(other_log, cache, topic, "second")
    owners = [first, second]
    await first.start()

    async def play(stream_id: str) -> list[int]:
        return [(await insist(owners, stream_id, number)).sequence for number in range(COMMANDS)]

    async with asyncio.timeout(PATIENCE_S + 30):
        assert await insist([first], STREAMS[0], 0) == Receipt(1)
        plays = [asyncio.create_task(play(stream_id)) for stream_id in STREAMS]
        await second.start()
        while not second.serving():  # noqa: ASYNC110 - the group decides when
            await asyncio.sleep(0.02)
        await first.drain()
        for task in plays:
            assert await task == list(range(1, COMMANDS + 1))
        while len(second.serving()) < PARTITIONS:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)
    expected = [f"c{number}" for number in range(COMMANDS)]
    assert await counted_ids(log, topic) == dict.fromkeys(STREAMS, expected)
    await second.drain()
    await other_log.close()


async def test_two_who_both_think_they_own_a_partition(log: KafkaLog) -> None:
    topic, cache = await new_topic(log, PARTITIONS), DictCache()
    former, owner = make_owner(log, cache, topic, "former"), make_owner(log, cache, topic, "owner")
    owner._group = "a group of its own"  # noqa: SLF001 - so that both are assigned everything
    async with asyncio.timeout(PATIENCE_S + 30):
        await former.start()
        await insist([former], "s", 0)
        await owner.start()
        await insist([owner], "s", 1)
        with pytest.raises(Unavailable):
            await former.submit("s", cause("c9", -1))
        await insist([former, owner], "s", 2)
    assert (await counted_ids(log, topic))["s"] == ["c0", "c1", "c2"]
    await former.drain()
    await owner.drain()
