"""The log's suite on a real Kafka broker."""

from collections.abc import AsyncIterator

import pytest

from deploy.dev.servers import Kafka
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.eventlog.limits import Limits
from tests.contract.ports.eventlog_cases import EventLogCases
from tests.contract.ports.worlds import LogWorld, closing

SETTINGS = KafkaSettings(single_broker=True, session_timeout_ms=2000, heartbeats=10)


class KafkaWorld(LogWorld):
    """A broker."""

    def __init__(self, server: Kafka) -> None:
        super().__init__()
        self._server = server

    async def make(self, limits: Limits) -> KafkaLog:
        return KafkaLog(self._server.bootstrap, SETTINGS, limits)


class TestKafka(EventLogCases):
    """Kafka."""

    @pytest.fixture
    async def world(self, kafka: Kafka) -> AsyncIterator[LogWorld]:
        async with closing(KafkaWorld(kafka)) as world:
            yield world
