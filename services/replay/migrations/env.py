"""What alembic runs: the revisions, on the connection that it was handed."""

from __future__ import annotations

from alembic import context

from services.replay import tables

connection = context.config.attributes["connection"]
schema = context.config.attributes["schema"]
context.configure(
    connection=connection,
    target_metadata=tables.metadata,
    version_table="archive_version",
    version_table_schema=schema,
    archive_schema=schema,
)
with context.begin_transaction():
    context.run_migrations()
