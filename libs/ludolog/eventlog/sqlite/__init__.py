"""A log in one SQLite file, for one process."""

from ludolog.eventlog.sqlite.log import SqliteLog

__all__ = ["SqliteLog"]
