"""Spectators on a real log, with the real archive behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Settings
from tests.integration.replay.conftest import PARTITIONS, log, scribe

__all__ = ["log", "scribe"]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An embedded platform's."""
    return Settings(data=tmp_path, partitions=PARTITIONS)


@pytest.fixture
async def platform(settings: Settings, log: SqliteLog) -> AsyncIterator[Platform]:
    """A process without services; the log is the test's."""
    async with await Platform.create(settings, log=log) as platform:
        yield platform
