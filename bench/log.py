"""The log by itself: `python -m bench.log [sqlite] [kafka]`. Prints one JSON object a line.

Appends are 300 bytes, over 8 partitions. `raw` is kafka-python without us, for comparison.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from deploy.dev.servers import Kafka
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.eventlog.port import EventLog
from ludolog.eventlog.sqlite import SqliteLog

VALUE = b"x" * 300
PARTITIONS = 8
TOPIC = "ludolog.bench.log"
LOADS = ((1, 2_000), (32, 30_000), (512, 60_000))


def report(log: str, what: str, **figures: float) -> None:
    """Print a line."""
    print(json.dumps({"log": log, "what": what} | {name: round(figure, 3) for name, figure in figures.items()}))


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100)
    return {"p50_ms": cuts[49] * 1000, "p99_ms": cuts[98] * 1000}


async def appends(name: str, log: EventLog, in_flight: int, count: int) -> None:
    """So many appends, so many at a time."""
    appender = await log.appender()
    for partition in range(PARTITIONS):
        await appender.append(TOPIC, partition, b"match", VALUE)
    took: list[float] = []

    async def one_after_the_other(partition: int) -> None:
        for _ in range(count // in_flight):
            began = time.perf_counter()
            await appender.append(TOPIC, partition, b"match", VALUE)
            took.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(one_after_the_other(lane % PARTITIONS) for lane in range(in_flight)))
    seconds = time.perf_counter() - began
    report(name, f"append, {in_flight} in flight", per_s=len(took) / seconds, **quantiles(took))
    await appender.close()


async def reads(name: str, log: EventLog) -> None:
    """Everything that is there, by readers; then records as they come; then ends and single records by offset."""
    ends = [await log.end_offset(TOPIC, partition) for partition in range(PARTITIONS)]

    async def read(partition: int) -> None:
        reader = await log.reader(TOPIC, partition, 0)
        position = 0
        while position < ends[partition]:
            position = (await reader.batch())[-1].offset + 1
        await reader.close()

    began = time.perf_counter()
    await asyncio.gather(*map(read, range(PARTITIONS)))
    report(name, "consume from the start", per_s=sum(ends) / (time.perf_counter() - began))
    await follow(name, log)
    took = []
    for _ in range(500):
        began = time.perf_counter()
        await log.end_offset(TOPIC, 0)
        took.append(time.perf_counter() - began)
    report(name, "end offset", **quantiles(took))
    took = []
    for step in range(200):
        began = time.perf_counter()
        await log.read(TOPIC, step % PARTITIONS, step * 7, 1)
        took.append(time.perf_counter() - began)
    report(name, "read one record somewhere", **quantiles(took))


async def follow(name: str, log: EventLog) -> None:
    """How long after its append began a record reaches a reader that waits for it."""
    reader = await log.reader(TOPIC, 0, await log.end_offset(TOPIC, 0))
    appender = await log.appender()
    took = []
    for _ in range(500):
        began = time.perf_counter()
        append = asyncio.create_task(appender.append(TOPIC, 0, b"match", VALUE))
        await reader.batch()
        took.append(time.perf_counter() - began)
        await append
    report(name, "append to reader", **quantiles(took[100:]))
    await reader.close()
    await appender.close()


async def measure(name: str, log: EventLog) -> None:
    """All of it on one log."""
    await log.ensure_topic(TOPIC, PARTITIONS)
    for in_flight, count in LOADS:
        await appends(name, log, in_flight, count)
    await reads(name, log)
    await log.close()


def raw_kafka(bootstrap: str) -> None:
    """kafka-python by itself, with the same guarantees."""
    options: dict[str, Any] = {"bootstrap_servers": bootstrap, "metrics_enabled": False}
    producer = KafkaProducer(**options, enable_idempotence=True, acks="all", linger_ms=0)
    took = []
    for _ in range(LOADS[0][1]):
        began = time.perf_counter()
        producer.send(TOPIC, value=VALUE, key=b"match", partition=0).get(10)
        took.append(time.perf_counter() - began)
    report("raw kafka-python", "append, 1 in flight", per_s=len(took) / sum(took), **quantiles(took))
    count = LOADS[2][1]
    began = time.perf_counter()
    for number in range(count):
        producer.send(TOPIC, value=VALUE, key=b"match", partition=number % PARTITIONS)
    producer.flush()
    report("raw kafka-python", "append, unbounded", per_s=count / (time.perf_counter() - began))
    producer.close()
    consumer = KafkaConsumer(**options, auto_offset_reset="earliest", enable_auto_commit=False)
    places = [TopicPartition(TOPIC, partition) for partition in range(PARTITIONS)]
    consumer.assign(places)
    total = sum(consumer.end_offsets(places).values())
    began = time.perf_counter()
    seen = 0
    while seen < total:
        seen += sum(map(len, consumer.poll(timeout_ms=100, max_records=2000).values()))
    report("raw kafka-python", "consume from the start", per_s=total / (time.perf_counter() - began))
    consumer.close()


def main(logs: Sequence[str]) -> None:
    """Measure the logs that are named."""
    with tempfile.TemporaryDirectory(prefix="ludolog-bench-") as folder:
        if "sqlite" in logs:
            asyncio.run(on_sqlite(Path(folder)))
        if "kafka" in logs:
            server = Kafka(Path(folder) / "kafka")
            server.start()
            try:
                asyncio.run(on_kafka(server.bootstrap))
                raw_kafka(server.bootstrap)
            finally:
                server.stop()


async def on_sqlite(folder: Path) -> None:
    """The log in a file."""
    await measure("sqlite", SqliteLog(folder))


async def on_kafka(bootstrap: str) -> None:
    """The log on a broker."""
    await measure("kafka", KafkaLog(bootstrap, KafkaSettings(single_broker=True)))


if __name__ == "__main__":
    main(sys.argv[1:] or ["sqlite", "kafka"])
