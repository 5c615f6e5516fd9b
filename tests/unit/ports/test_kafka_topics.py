"""A broker that takes long to make a topic is waited for; one that says no isn't."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from kafka.errors import (
    InvalidReplicationFactorError,
    KafkaError,
    KafkaTimeoutError,
    TopicAlreadyExistsError,
)

from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.eventlog.kafka.clients import Clients
from ludolog.eventlog.kafka.topics import FOR_EVER, NO_UNCLEAN_LEADERS
from ludolog.eventlog.port import LogUnavailable, UnsafeLog

PARTITIONS = 4
UNKNOWN_TOPIC = 3
BIG = "2000000"


class SlowBroker:
    """Answers what is asked of it one failure after the other; the topic is there once all have been raised."""

    def __init__(self, *failures: tuple[str, KafkaError]) -> None:
        """`failures`: (which method, what it raises), in order. A method that isn't up next does its work."""
        self._failures = list(failures)
        self.created = 0

    def _stumble(self, method: str) -> None:
        if self._failures and self._failures[0][0] == method:
            raise self._failures.pop(0)[1]

    def admin(self) -> SlowBroker:
        self._stumble("connect")
        return self

    def close(self) -> None:
        pass

    def create_topics(self, topics: Any, **_: Any) -> None:
        self.created += 1
        self._stumble("create")

    def wait_for_topics(self, topics: Any) -> None:
        self._stumble("wait")

    def describe_topics(self, topics: Sequence[str]) -> list[dict[str, Any]]:
        if self._failures or not self.created:
            return [{"error_code": UNKNOWN_TOPIC, "partitions": []}]
        partition = {"replica_nodes": [1], "leader_id": 1}
        return [{"error_code": 0, "partitions": [partition] * PARTITIONS}]

    def describe_configs(self, resources: Any, **_: Any) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
        kind = resources[0].resource_type.name.lower()
        topic = {**FOR_EVER, **NO_UNCLEAN_LEADERS, "min.insync.replicas": "1", "max.message.bytes": BIG}
        settings = topic if kind == "topic" else {"delete.topic.enable": "false"}
        return {kind: {resources[0].name: {name: {"value": value} for name, value in settings.items()}}}


@pytest.fixture
def log_on(monkeypatch: pytest.MonkeyPatch) -> Callable[[SlowBroker, int], KafkaLog]:
    def made(broker: SlowBroker, topic_timeout_ms: int) -> KafkaLog:
        monkeypatch.setattr(Clients, "admin", lambda _: broker.admin())
        settings = KafkaSettings(single_broker=True, connect_timeout_ms=200, topic_timeout_ms=topic_timeout_ms)
        return KafkaLog("nowhere:1", settings)

    return made


async def test_a_topic_that_takes_long_to_be_made_is_waited_for(log_on: Callable[[SlowBroker, int], KafkaLog]) -> None:
    slow = SlowBroker(
        ("connect", KafkaTimeoutError("nobody there")),
        ("create", KafkaTimeoutError("10 s are over")),
        ("create", TopicAlreadyExistsError("it is being made")),
        ("wait", KafkaTimeoutError("not there yet")),
    )
    log = log_on(slow, 60_000)
    await log.ensure_topic("slow", PARTITIONS)
    assert await log.partitions("slow") == PARTITIONS
    assert slow.created >= 2
    await log.close()


async def test_one_that_never_comes_is_an_error_in_the_end(log_on: Callable[[SlowBroker, int], KafkaLog]) -> None:
    log = log_on(SlowBroker(*[("create", KafkaTimeoutError("never"))] * 100), 300)
    with pytest.raises(LogUnavailable, match="never"):
        await log.ensure_topic("slow", PARTITIONS)
    await log.close()


async def test_a_topic_that_cant_be_as_it_must_is_an_error_at_once(
    log_on: Callable[[SlowBroker, int], KafkaLog],
) -> None:
    broker = SlowBroker(("create", InvalidReplicationFactorError("there is one broker")))
    log = log_on(broker, 60_000)
    with pytest.raises(UnsafeLog):
        await log.ensure_topic("unsafe", PARTITIONS)
    assert broker.created == 1
    await log.close()
