"""The archive as of its first version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    schema = context.get_context().opts["archive_schema"]
    _make_log_tables(schema)
    _make_match_tables(schema)
    op.create_index("matches_place", "matches", ["topic", "partition"], schema=schema)
    op.create_index("matches_end", "matches", ["end_ms", "match_id"], schema=schema)
    op.create_index("seats_player", "seats", ["player_id", "match_id"], schema=schema)
    op.create_index("seeds_place", "seeds", ["topic", "partition"], schema=schema)


def downgrade() -> None:
    """Drop the tables: the archive is rebuilt from the logs."""
    schema = context.get_context().opts["archive_schema"]
    for table in ("seeds", "seats", "matches", "commits", "positions"):
        op.drop_table(table, schema=schema)


def _make_log_tables(schema: str | None) -> None:
    op.create_table(
        "positions",
        sa.Column("topic", sa.String(100), primary_key=True),
        sa.Column("partition", sa.Integer, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("in_force", sa.BigInteger, nullable=False),
        sa.Column("bookmark", sa.LargeBinary, nullable=False),
        schema=schema,
    )
    op.create_table(
        "commits",
        sa.Column("match_id", sa.String(64), primary_key=True),
        sa.Column("sequence", sa.BigInteger, primary_key=True),
        sa.Column("topic", sa.String(100), nullable=False),
        sa.Column("partition", sa.Integer, nullable=False),
        sa.Column("log_offset", sa.BigInteger, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("commit_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("topic", "partition", "log_offset", name="commits_place"),
        schema=schema,
    )


def _make_match_tables(schema: str | None) -> None:
    op.create_table(
        "matches",
        sa.Column("match_id", sa.String(64), primary_key=True),
        sa.Column("topic", sa.String(100), nullable=False),
        sa.Column("partition", sa.Integer, nullable=False),
        sa.Column("rulebook", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("founded", sa.Boolean, nullable=False),
        sa.Column("spectators_allowed", sa.Boolean, nullable=False),
        sa.Column("last_sequence", sa.BigInteger, nullable=False),
        sa.Column("last_hash", sa.LargeBinary, nullable=False),
        sa.Column("awaiting", sa.LargeBinary, nullable=False),
        sa.Column("outcome", sa.LargeBinary),
        sa.Column("create_ms", sa.BigInteger, nullable=False),
        sa.Column("update_ms", sa.BigInteger, nullable=False),
        sa.Column("end_ms", sa.BigInteger),
        schema=schema,
    )
    op.create_table(
        "seats",
        sa.Column("match_id", sa.String(64), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("to_move", sa.SmallInteger, nullable=False),
        schema=schema,
    )
    op.create_table(
        "seeds",
        sa.Column("match_id", sa.String(64), primary_key=True),
        sa.Column("topic", sa.String(100), nullable=False),
        sa.Column("partition", sa.Integer, nullable=False),
        sa.Column("key_id", sa.String(100), nullable=False),
        sa.Column("seed", sa.LargeBinary, nullable=False),
        schema=schema,
    )
