"""Each server that the other suites rely on is real, answers, and comes back with its data after kill -9."""

import asyncio
import uuid

import redis.asyncio as aioredis
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from playwright.async_api import Page
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from deploy.dev.process import wait_until
from deploy.dev.servers import Kafka, PostgreSQL, Prometheus, Redis


def append(kafka: Kafka, topic: str, value: bytes) -> int:
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    try:
        return int(producer.send(topic, value, partition=0).get(timeout=30).offset)
    finally:
        producer.close()


def read_all(kafka: Kafka, topic: str) -> list[bytes]:
    consumer = KafkaConsumer(bootstrap_servers=kafka.bootstrap, auto_offset_reset="none")
    try:
        partition = TopicPartition(topic, 0)
        consumer.assign([partition])
        consumer.seek(partition, 0)
        end = consumer.end_offsets([partition])[partition]
        values: list[bytes] = []
        while consumer.position(partition) < end:
            for records in consumer.poll(timeout_ms=1000).values():
                values += [record.value for record in records]
        return values
    finally:
        consumer.close()


def test_kafka_keeps_an_acknowledged_record_over_kill_minus_9(kafka: Kafka) -> None:
    topic = f"smoke-{uuid.uuid4().hex[:8]}"
    admin = kafka.admin()
    admin.create_topics([NewTopic(topic, num_partitions=1, replication_factor=1)])
    admin.close()
    assert append(kafka, topic, b"first") == 0
    kafka.restart()
    assert append(kafka, topic, b"second") == 1
    assert read_all(kafka, topic) == [b"first", b"second"]


async def test_redis_sets_and_gets(redis_server: Redis) -> None:
    async with aioredis.from_url(redis_server.url) as client:
        await client.set("smoke", "1")
        assert await client.get("smoke") == b"1"


async def test_redis_comes_back_empty_at_the_same_address(redis_server: Redis) -> None:
    async with aioredis.from_url(redis_server.url) as client:
        await client.set("smoke", "1")
    await asyncio.to_thread(redis_server.restart)
    async with aioredis.from_url(redis_server.url) as client:
        assert await client.get("smoke") is None


async def test_postgres_keeps_a_committed_row_over_kill_minus_9(postgres: PostgreSQL) -> None:
    url = postgres.create_database()
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE smoke (n integer)"))
        await connection.execute(text("INSERT INTO smoke VALUES (1)"))
    await engine.dispose()
    await asyncio.to_thread(postgres.restart)
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        assert (await connection.execute(text("SELECT n FROM smoke"))).scalar_one() == 1
    await engine.dispose()


def test_prometheus_answers_a_query(prometheus: Prometheus) -> None:
    prometheus.configure(None)
    wait_until(lambda: bool(prometheus.query("up == 1")), timeout_s=20)


async def test_chromium_draws_a_page(page: Page) -> None:
    await page.set_content("<p>not yet</p><script>document.querySelector('p').textContent = 'drawn'</script>")
    assert await page.inner_text("p") == "drawn"
