"""The archive's tables. A projection of the logs: every row can be dropped at any moment and comes back from there."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    UniqueConstraint,
)

SCHEMA = "archive"
"""Name of the schema on PostgreSQL; SQLite has none."""

metadata = MetaData(schema=SCHEMA)

LIVE, FINISHED, CORRUPT = "live", "finished", "corrupt"
"""What a match is: on, over, or stopped because its stored commits don't chain."""

positions = Table(
    "positions",
    metadata,
    Column("topic", String(100), primary_key=True),
    Column("partition", Integer, primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("in_force", BigInteger, nullable=False),
    Column("bookmark", LargeBinary, nullable=False),
)

commits = Table(
    "commits",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("sequence", BigInteger, primary_key=True),
    Column("topic", String(100), nullable=False),
    Column("partition", Integer, nullable=False),
    Column("log_offset", BigInteger, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Column("commit_ms", BigInteger, nullable=False),
    UniqueConstraint("topic", "partition", "log_offset", name="commits_place"),
)

matches = Table(
    "matches",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("topic", String(100), nullable=False),
    Column("partition", Integer, nullable=False),
    Column("rulebook", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("founded", Boolean, nullable=False),
    Column("spectators_allowed", Boolean, nullable=False),
    Column("last_sequence", BigInteger, nullable=False),
    Column("last_hash", LargeBinary, nullable=False),
    Column("awaiting", LargeBinary, nullable=False),  # a serialised Update that holds decisions only
    Column("outcome", LargeBinary),  # a serialised Outcome
    Column("create_ms", BigInteger, nullable=False),
    Column("update_ms", BigInteger, nullable=False),
    Column("end_ms", BigInteger),
    Index("matches_place", "topic", "partition"),
    Index("matches_end", "end_ms", "match_id"),
)

seats = Table(
    "seats",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", String(64), nullable=False),
    Column("to_move", SmallInteger, nullable=False),  # 1 if the seat is to decide something
    Index("seats_player", "player_id", "match_id"),
)

seeds = Table(
    "seeds",
    metadata,
    Column("match_id", String(64), primary_key=True),
    Column("topic", String(100), nullable=False),
    Column("partition", Integer, nullable=False),
    Column("key_id", String(100), nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Index("seeds_place", "topic", "partition"),
)
