"""The migrations make the tables that the code expects."""

import asyncio
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData

from services.replay import tables
from services.replay.database import VERSION_TABLE, connect, migrate


def differences(connection: Connection) -> list[object]:
    expected = MetaData()
    for table in tables.metadata.sorted_tables:
        table.to_metadata(expected, schema=None)  # type: ignore[arg-type]
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return list(compare_metadata(context, expected))


async def test_migrations_lead_to_the_tables_of_the_code(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'archive.sqlite3'}")
    await asyncio.gather(migrate(engine), migrate(engine))
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


def test_other_databases_are_refused() -> None:
    with pytest.raises(ValueError, match="SQLite or PostgreSQL"):
        connect("mysql://somewhere/archive")
