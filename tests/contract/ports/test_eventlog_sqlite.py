"""The log's suite on SQLite."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ludolog.eventlog.limits import Limits
from ludolog.eventlog.sqlite import SqliteLog
from tests.contract.ports.eventlog_cases import EventLogCases
from tests.contract.ports.worlds import LogWorld, closing


class SqliteWorld(LogWorld):
    """A data folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    async def make(self, limits: Limits) -> SqliteLog:
        return SqliteLog(self._folder, limits)


class TestSqlite(EventLogCases):
    """SQLite."""

    @pytest.fixture
    async def world(self, tmp_path: Path) -> AsyncIterator[LogWorld]:
        async with closing(SqliteWorld(tmp_path)) as world:
            yield world
