"""What only the log on Kafka meets: control records, truncation, dangerous settings."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition

from deploy.dev.servers import Kafka
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.eventlog.port import OutOfRange, Stored, UnsafeLog
from tests.contract.ports.eventlog_cases import append_all, take
from tests.contract.ports.worlds import new_topic
from tests.integration.ports.test_eventlog_kafka import SETTINGS


@pytest.fixture
async def log(kafka: Kafka) -> AsyncIterator[KafkaLog]:
    log = KafkaLog(kafka.bootstrap, SETTINGS)
    yield log
    await log.close()


def transactions(kafka: Kafka, topic: str) -> None:
    """One that is committed, one that is aborted: offsets 1, (2), 3, (4) where the topic had one record."""
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap, transactional_id=f"test-{uuid.uuid4().hex}")
    producer.init_transactions()
    for value, end in (b"committed", producer.commit_transaction), (b"aborted", producer.abort_transaction):
        producer.begin_transaction()
        producer.send(topic, value=value, key=b"k", partition=0).get(10)
        end()
    producer.close()


class TestControlRecords:
    """The marker at the end of a transaction has an offset, and isn't ours. Positions move over it."""

    async def test_reads_give_nothing_at_the_offset_of_a_marker(self, kafka: Kafka, log: KafkaLog) -> None:
        topic = await new_topic(log)
        await append_all(log, topic, [b"0"])
        await asyncio.to_thread(transactions, kafka, topic)
        assert await log.end_offset(topic, 0) == 5
        expected = [
            Stored(0, b"k", b"0"),
            Stored(1, b"k", b"committed"),
            Stored(2, None, None),
            Stored(3, b"k", b"aborted"),
            Stored(4, None, None),
        ]
        found: list[Stored] = []
        while len(found) < 5:
            found += await log.read(topic, 0, len(found), 10)
        assert found == expected
        for offset in range(5):
            assert await log.read(topic, 0, offset, 1) == [expected[offset]]
        assert not await log.read(topic, 0, 5, 1)

    async def test_a_reader_moves_over_markers_also_at_the_end(self, kafka: Kafka, log: KafkaLog) -> None:
        topic = await new_topic(log)
        behind, near = await log.reader(topic, 0, 0), await log.reader(topic, 0, 0)
        await append_all(log, topic, [b"0"])
        assert await take(near, 1) == [Stored(0, b"k", b"0")]
        await asyncio.to_thread(transactions, kafka, topic)
        for reader, start in (near, 1), (behind, 0):
            found = await take(reader, 5 - start)
            assert [stored.offset for stored in found] == list(range(start, 5))
            assert [stored.value for stored in found][-4:] == [b"committed", None, b"aborted", None]
        waiting = asyncio.create_task(take(near, 1))
        await append_all(log, topic, [b"5"])
        assert await waiting == [Stored(5, b"k", b"5")]


class TestTruncation:
    """Somebody has removed the first records."""

    async def test_what_is_gone_is_out_of_range(self, kafka: Kafka, log: KafkaLog) -> None:
        topic = await new_topic(log)
        await append_all(log, topic, [b"%d" % number for number in range(10)])
        reader = await log.reader(topic, 0, 3)
        admin = kafka.admin()
        admin.delete_records({TopicPartition(topic, 0): 6})
        admin.close()
        for offset in (0, 5):
            with pytest.raises(OutOfRange):
                await log.read(topic, 0, offset, 10)
        with pytest.raises(OutOfRange):
            await take(reader, 1)
        assert [stored.offset for stored in await log.read(topic, 0, 6, 10)] == [6, 7, 8, 9]


def make(kafka: Kafka, partitions: int = 1, configs: Mapping[str, str] | None = None) -> str:
    """A topic made by somebody else. Returns its name."""
    topic = f"ludolog.test-{uuid.uuid4().hex[:12]}.log"
    admin: KafkaAdminClient = kafka.admin()
    wanted = {"num_partitions": partitions, "replication_factor": 1, "configs": dict(configs or {})}
    admin.create_topics({topic: wanted}, wait_for_metadata=True)
    admin.close()
    return topic


class TestSettings:
    """A log that could lose acknowledged records isn't used."""

    @pytest.mark.parametrize(
        ("setting", "value"),
        [
            ("cleanup.policy", "compact"),
            ("cleanup.policy", "compact,delete"),
            ("retention.ms", "604800000"),
            ("retention.bytes", "1000000000"),
            ("unclean.leader.election.enable", "true"),
            ("max.message.bytes", "500000"),
        ],
    )
    async def test_a_dangerous_setting_is_named(self, kafka: Kafka, log: KafkaLog, setting: str, value: str) -> None:
        topic = make(kafka, configs={setting: value})
        with pytest.raises(UnsafeLog, match=f"{setting} is {value}"):
            await log.ensure_topic(topic, 1)

    async def test_everything_that_is_wrong_is_named_at_once(self, kafka: Kafka, log: KafkaLog) -> None:
        topic = make(kafka, partitions=2, configs={"retention.ms": "1000", "cleanup.policy": "compact"})
        with pytest.raises(UnsafeLog, match=r"2 partitions.*cleanup\.policy.*retention\.ms"):
            await log.ensure_topic(topic, 3)

    async def test_a_safe_topic_made_by_others_is_taken(self, kafka: Kafka, log: KafkaLog) -> None:
        await log.ensure_topic(make(kafka, partitions=3), 3)

    async def test_one_broker_is_for_development_only(
        self, kafka: Kafka, log: KafkaLog, caplog: pytest.LogCaptureFixture
    ) -> None:
        topic = make(kafka)
        await log.ensure_topic(topic, 1)
        assert "one-broker development" in caplog.text
        serious = KafkaLog(kafka.bootstrap, KafkaSettings())
        with pytest.raises(UnsafeLog, match=r"replication factor is 1.*min\.insync\.replicas is 1"):
            await serious.ensure_topic(topic, 1)
        with pytest.raises(UnsafeLog, match="can't have 3 replicas"):
            await serious.ensure_topic(f"{topic}-2", 1)
        await serious.close()
