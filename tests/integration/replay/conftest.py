"""The archive on real logs and real databases."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ludolog.eventlog.reveals import RNG_TOPIC
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Settings, topic_of
from ludolog.rulebooks import catalogue
from tests.integration.replay.scribe import Scribe

PARTITIONS = 3
RULEBOOK = "tempel_des_schreckens"
TOPIC = topic_of(RULEBOOK)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'archive.sqlite3'}"
    url: str = request.getfixturevalue("postgres").create_database()
    return url


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    """A log with the topics that the archive reads."""
    log = SqliteLog(tmp_path / "log")
    await log.ensure_topic(TOPIC, PARTITIONS)
    await log.ensure_topic(RNG_TOPIC, PARTITIONS)
    yield log
    await log.close()


@pytest.fixture
async def scribe(log: SqliteLog) -> AsyncIterator[Scribe]:
    """Who writes into it."""
    appender = await log.appender()
    yield Scribe(log, appender, TOPIC, catalogue.load(RULEBOOK), PARTITIONS, seed=7)
    await appender.close()


@pytest.fixture
def settings(tmp_path: Path, database: str) -> Settings:
    """An embedded platform's, on the database under test."""
    return Settings(data=tmp_path, sql_url=database, partitions=PARTITIONS)


@pytest.fixture
async def platform(settings: Settings, log: SqliteLog) -> AsyncIterator[Platform]:
    """A process without services; the log is the test's."""
    async with await Platform.create(settings, log=log) as platform:
        yield platform
