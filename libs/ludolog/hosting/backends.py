"""Which log and which cache: by the mode."""

from __future__ import annotations

from ludolog.eventlog.port import EventLog
from ludolog.hosting.settings import Settings
from ludolog.sessions.port import SessionCache


async def open_log(settings: Settings) -> EventLog:
    """SQLite in the data folder, or Kafka."""
    from ludolog.eventlog.sqlite import SqliteLog  # noqa: PLC0415 - a process loads the client of one log only

    return SqliteLog(settings.data)


async def open_cache(settings: Settings) -> SessionCache:
    """In memory, or Redis."""
    from ludolog.sessions.memory import MemoryCache  # noqa: PLC0415 - as above

    return MemoryCache()
