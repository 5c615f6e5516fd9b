"""The archive's database: SQLite or PostgreSQL through one async engine, and its migrations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, event, inspect, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from services.replay import tables

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x4C55444F  # "LUDO": the advisory lock that migrations of the archive hold
VERSION_TABLE = "archive_version"
BUSY_TIMEOUT_MS = 10_000
FAILED = (DBAPIError, PoolTimeout)
"""What a database raises that is away, or too busy to give a connection: the pool's own timeout is no DBAPIError."""


def connect(url: str) -> AsyncEngine:
    """Make an engine for "sqlite:///FILE" or "postgresql://…"; nothing is opened before it is used.

    ValueError for another kind of database.
    """
    address = make_url(url)
    match address.get_backend_name():
        case "sqlite":
            engine = create_async_engine(
                address.set(drivername="sqlite+aiosqlite"),
                pool_size=16,
                max_overflow=16,
                execution_options={"schema_translate_map": {tables.SCHEMA: None}},
            )
            event.listen(engine.sync_engine, "connect", _set_sqlite_up)
            event.listen(engine.sync_engine, "begin", _begin)
            return engine
        case "postgresql":
            return create_async_engine(
                address.set(drivername="postgresql+psycopg"), pool_size=8, max_overflow=8, pool_pre_ping=True
            )
        case other:
            raise ValueError(f"the archive lives in SQLite or PostgreSQL, not in {other}")


def _set_sqlite_up(connection: Any, _entry: ConnectionPoolEntry) -> None:
    # The driver's own transactions leave SELECTs and DDL outside; BEGIN is ours (see _begin).
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # The archive can be rebuilt, so a power cut may cost its last transactions, never its consistency.
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


async def migrate(engine: AsyncEngine) -> None:
    """Bring the tables up to this version, one process at a time; make them anew where some are missing."""
    async with engine.begin() as connection:
        await connection.run_sync(_migrate)


def _migrate(connection: Connection) -> None:
    schema = None
    if connection.dialect.name == "postgresql":
        schema = tables.SCHEMA
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {schema}"))
    else:
        # Takes the file's write lock, so that what is read below stays true until the end.
        connection.exec_driver_sql("PRAGMA user_version=1")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes.update(connection=connection, schema=schema)
    present = set(inspect(connection).get_table_names(schema=schema))
    wanted = {table.name for table in tables.metadata.sorted_tables}
    if VERSION_TABLE in present and not wanted <= present:
        _drop(connection, schema, (present & wanted) | {VERSION_TABLE})
    command.upgrade(config, "head")


def _drop(connection: Connection, schema: str | None, names: set[str]) -> None:
    prefix = f"{schema}." if schema else ""
    for name in sorted(names):
        connection.execute(text(f"DROP TABLE {prefix}{name}"))
