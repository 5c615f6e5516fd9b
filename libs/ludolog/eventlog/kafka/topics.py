"""Making topics, and comparing those that are there with what the commit protocol assumes of Kafka.

Synchronous: called on a thread.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from typing import Any

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import (
    InvalidReplicationFactorError,
    PolicyViolationError,
    TopicAlreadyExistsError,
)

from ludolog.eventlog.kafka.clients import Clients, translated
from ludolog.eventlog.kafka.settings import KafkaSettings
from ludolog.eventlog.port import LogUnavailable, NoSuchTopic, UnsafeLog

_LOG = logging.getLogger(__name__)
_UNKNOWN_TOPIC = 3
_LOOK_S = 0.1
# What a batch with one record of the largest size may take beyond it.
_BATCH_OVERHEAD_BYTES = 1000
FOR_EVER = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
"""Nothing is ever removed."""

_DELETING = "delete.topic.enable"
NO_UNCLEAN_LEADERS = {"unclean.leader.election.enable": "false"}


class Topics:
    """Topics of one cluster."""

    def __init__(self, clients: Clients, settings: KafkaSettings, max_record_bytes: int) -> None:
        """`max_record_bytes`: what a topic must take."""
        self._clients = clients
        self._settings = settings
        self._max_record_bytes = max_record_bytes

    def ensure(self, topic: str, partitions: int) -> None:
        """Make the topic if it isn't there; then compare it. UnsafeLog names every setting that is wrong."""
        with self._admin(f"making {topic}") as admin:
            if not self._describe(admin, topic):
                self._create(admin, topic, partitions)
            wrong = self._wrong(admin, *self._seen(admin, topic), partitions)
        if wrong:
            raise UnsafeLog(f"topic {topic}: {'; '.join(wrong)}")
        if self._settings.single_broker:
            _LOG.warning("one-broker development: acknowledged records of %s may be lost with its disk", topic)

    def partitions(self, topic: str) -> int:
        """Number of partitions. NoSuchTopic."""
        with self._admin(f"describing {topic}") as admin:
            found = self._describe(admin, topic)
        if not found:
            raise NoSuchTopic(f"no topic {topic}")
        return len(found)

    @contextlib.contextmanager
    def _admin(self, doing: str) -> Iterator[KafkaAdminClient]:
        with translated(doing):
            admin = self._clients.admin()
            try:
                yield admin
            finally:
                admin.close()

    def _describe(self, admin: KafkaAdminClient, topic: str) -> list[dict[str, Any]]:
        """The topic's partitions; none where there is no such topic."""
        described = admin.describe_topics([topic])[0]
        if described["error_code"] == _UNKNOWN_TOPIC:
            return []
        return list(described["partitions"])

    def _create(self, admin: KafkaAdminClient, topic: str, partitions: int) -> None:
        replicas = self._settings.needed_replicas
        in_sync = {"min.insync.replicas": str(self._settings.needed_in_sync)}
        wanted = {
            "num_partitions": partitions,
            "replication_factor": replicas,
            "configs": {**FOR_EVER, **NO_UNCLEAN_LEADERS, **in_sync},
        }
        try:
            admin.create_topics({topic: wanted}, timeout_ms=self._settings.connect_timeout_ms, wait_for_metadata=True)
        except TopicAlreadyExistsError:
            # Another process was quicker; its topic is compared like any.
            admin.wait_for_topics([topic])
        except (InvalidReplicationFactorError, PolicyViolationError) as error:
            raise UnsafeLog(f"topic {topic} can't have {replicas} replicas: {error}") from error

    def _seen(self, admin: KafkaAdminClient, topic: str) -> tuple[list[dict[str, Any]], dict[str, str]]:
        """Partitions and settings of a topic that is there. Any broker answers, and one may know a new topic later."""
        deadline = time.monotonic() + self._settings.connect_timeout_ms / 1000
        while time.monotonic() < deadline:
            found = self._describe(admin, topic)
            configured = _configs(admin, ConfigResourceType.TOPIC, topic)
            if found and configured:
                return found, configured
            time.sleep(_LOOK_S)
        raise LogUnavailable(f"the brokers don't agree yet that there is a topic {topic}")

    def _wrong(
        self, admin: KafkaAdminClient, found: list[dict[str, Any]], configured: dict[str, str], partitions: int
    ) -> list[str]:
        """What is wrong with a topic, in words."""
        wrong = []
        if len(found) != partitions:
            wrong.append(f"has {len(found)} partitions, the settings say {partitions}: streams would move")
        replicas = min((len(partition["replica_nodes"]) for partition in found), default=0)
        if replicas < self._settings.needed_replicas:
            wrong.append(f"replication factor is {replicas}, must be {self._settings.needed_replicas} at least")
        for setting, value in {**FOR_EVER, **NO_UNCLEAN_LEADERS}.items():
            if configured[setting] != value:
                wrong.append(f"{setting} is {configured[setting]}, must be {value}")
        least = {
            "min.insync.replicas": self._settings.needed_in_sync,
            "max.message.bytes": self._max_record_bytes + _BATCH_OVERHEAD_BYTES,
        }
        for setting, fewest in least.items():
            if int(configured[setting]) < fewest:
                wrong.append(f"{setting} is {configured[setting]}, must be {fewest} at least")
        if any(_configs(admin, ConfigResourceType.BROKER, broker)[_DELETING] != "false" for broker in _leaders(found)):
            wrong.append(f"{_DELETING} of a broker is true, must be false: a topic could be replaced unnoticed")
        return wrong


def _leaders(partitions: list[dict[str, Any]]) -> set[str]:
    """The brokers that lead partitions."""
    return {str(partition["leader_id"]) for partition in partitions if partition["leader_id"] >= 0}


def _configs(admin: KafkaAdminClient, kind: ConfigResourceType, name: str) -> dict[str, str]:
    """All settings of a topic or broker; none of a topic that the broker asked doesn't know."""
    described = admin.describe_configs([ConfigResource(kind, name)], config_filter="all")
    settings = described.get(kind.name.lower(), {}).get(name, {})
    return {setting: str(config["value"]) for setting, config in settings.items()}
