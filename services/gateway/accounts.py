"""Players, in SQL: the only personal data there is.

A schema of its own (`accounts`), backed up, never rebuilt from the log.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from ludolog.eventlog.private import for_owner_only
from ludolog.hosting import Unavailable, names
from ludolog.hosting.errors import no_such_player

SCHEMA = "accounts"
CREATION_LOCK = 0x6C75646F  # any number that no other program locks
ID_CHARACTERS = 26
FORGOTTEN_AFTER_MS = 30 * 24 * 3600 * 1000
"""So long after the end of its last token an erased id is deleted: no clock is trusted to be right to the day."""

NOW_IN_SQL, NOW_IN_SQLITE = "extract(epoch FROM clock_timestamp())", "(julianday('now') - 2440587.5) * 86400.0"

metadata = sql.MetaData(schema=SCHEMA)
players = sql.Table(
    "players",
    metadata,
    sql.Column("player_id", sql.String(64), primary_key=True),
    sql.Column("display_name", sql.String(40), nullable=False),
    sql.Column("house_player", sql.Boolean, nullable=False),
    sql.Column("create_time_ms", sql.BigInteger, nullable=False),
)
# Kept for longer than tokens of theirs could be shown; an id alone leads to nobody. Without an end: for ever.
erased = sql.Table(
    "erased",
    metadata,
    sql.Column("player_id", sql.String(64), primary_key=True),
    sql.Column("erase_time_ms", sql.BigInteger, nullable=False),
    sql.Column("token_end_ms", sql.BigInteger, nullable=True),
)


@dataclass(frozen=True, slots=True)
class Account:
    """A player. `create_time_ms` is Unix time."""

    player_id: str
    display_name: str
    house_player: bool
    create_time_ms: int


class Accounts:
    """The table of players."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # SQLite lets one write, and whoever waits for its lock may starve: here they wait in a queue.
        self._turn = asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()

    @classmethod
    async def open(cls, url: str) -> Accounts:
        """Connect, and make schema and tables where they are missing. Several gateways may do so at once."""
        sqlite = url.startswith("sqlite")
        engine = create_async_engine(url, pool_pre_ping=not sqlite)
        if sqlite:
            sql.event.listen(engine.sync_engine, "connect", _overwrite_what_is_deleted)
            # A file of its own is SQLite's schema.
            engine = engine.execution_options(schema_translate_map={SCHEMA: None})
        async with engine.begin() as connection:
            if not sqlite:
                await connection.execute(sql.text("SELECT pg_advisory_xact_lock(:key)"), {"key": CREATION_LOCK})
                await connection.execute(sql.schema.CreateSchema(SCHEMA, if_not_exists=True))
            await connection.run_sync(_make_tables)
        return cls(engine)

    async def add_guest(self, display_name: str, now_ms: int) -> Account:
        """Make a new player."""
        account = Account(names.new_id("p"), display_name, house_player=False, create_time_ms=now_ms)
        async with self._connected() as connection:
            await connection.execute(players.insert().values(**_row(account)))
        return account

    async def house_player(self, display_name: str, now_ms: int) -> Account:
        """The house player of that name: one and the same at every sign-in."""
        return await self._once(Account(house_id(display_name), display_name, house_player=True, create_time_ms=now_ms))

    async def known_player(self, player_id: str, display_name: str, now_ms: int) -> Account:
        """The player of that id, made with that name at the first sign-in. Unauthenticated for one that was erased."""
        return await self._once(Account(player_id, display_name, house_player=False, create_time_ms=now_ms))

    async def _once(self, account: Account) -> Account:
        if found := await self.get(account.player_id):
            return found
        try:
            async with self._connected() as connection:
                gone = sql.select(erased).where(erased.c.player_id == account.player_id)
                if (await connection.execute(gone)).first():
                    raise no_such_player()
                await connection.execute(players.insert().values(**_row(account)))
        except sql.exc.IntegrityError:
            # Somebody else signed the same one in just now.
            return await self.get(account.player_id) or account
        return account

    async def get(self, player_id: str) -> Account | None:
        """One player."""
        return next(iter(await self.get_many([player_id])), None)

    async def get_many(self, player_ids: Iterable[str]) -> list[Account]:
        """Those players that there are."""
        query = sql.select(players).where(players.c.player_id.in_(list(player_ids)))
        async with self._connected() as connection:
            return [Account(*row) for row in await connection.execute(query)]

    async def erase(self, player_id: str, token_ttl_s: float) -> bool:
        """Delete a person for good, and note that its tokens aren't to be taken. False where there is none.

        `token_ttl_s`: for how long, from now, there may be tokens that haven't ended.
        """
        person = sql.and_(players.c.player_id == player_id, players.c.house_player.is_(False))
        async with self._connected() as connection:
            found = await connection.execute(players.delete().where(person))
            if not found.rowcount:
                return False
            now_ms = await _now_ms(connection)
            row = {"erase_time_ms": now_ms, "token_end_ms": now_ms + int(token_ttl_s * 1000)}
            await connection.execute(erased.insert().values(player_id=player_id, **row))
        return True

    async def erased(self) -> frozenset[str]:
        """Players who were erased and may have tokens still."""
        async with self._connected() as connection:
            return frozenset((await connection.execute(sql.select(erased.c.player_id))).scalars())

    async def forget_erased(self) -> None:
        """Delete the ids of the erased whose tokens have ended long ago, by the database's clock."""
        async with self._connected() as connection:
            before_ms = await _now_ms(connection) - FORGOTTEN_AFTER_MS
            await connection.execute(erased.delete().where(erased.c.token_end_ms < before_ms))

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection]:
        """A transaction. Unavailable where the database doesn't answer."""
        try:
            async with self._turn, self._engine.begin() as connection:
                yield connection
        except (sql.exc.OperationalError, sql.exc.InterfaceError, sql.exc.TimeoutError) as error:
            raise Unavailable("the accounts' database doesn't answer", reason="ACCOUNTS_UNAVAILABLE") from error

    async def close(self) -> None:
        """Let go of the connections."""
        await self._engine.dispose()


def _make_tables(connection: sql.Connection) -> None:
    """Tables, and the columns that they didn't have once."""
    metadata.create_all(connection)
    schema = None if connection.dialect.name == "sqlite" else SCHEMA
    there = {column["name"] for column in sql.inspect(connection).get_columns(erased.name, schema)}
    if erased.c.token_end_ms.name not in there:
        table = f"{schema}.{erased.name}" if schema else erased.name
        connection.execute(sql.text(f"ALTER TABLE {table} ADD COLUMN {erased.c.token_end_ms.name} BIGINT"))


async def _now_ms(connection: AsyncConnection) -> int:
    """Unix time in milliseconds, by the one clock that all gateways share."""
    seconds = NOW_IN_SQLITE if connection.dialect.name == "sqlite" else NOW_IN_SQL
    return int((await connection.execute(sql.text(f"SELECT {seconds}"))).scalar_one() * 1000)


def _overwrite_what_is_deleted(connection: Any, _: object) -> None:
    """Otherwise SQLite leaves deleted rows in the file until their pages are used again."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def house_id(display_name: str) -> str:
    """Id of a house player, a function of its name."""
    digest = hashlib.sha256(b"ludolog/house/v1\0" + display_name.encode()).digest()
    return "p-" + base64.b32encode(digest).decode().lower()[:ID_CHARACTERS]


def database_url(sql_url: str, data: Path) -> str:
    """The URL for SQLAlchemy: as set, by the driver that we have; or a file in the data folder."""
    if not sql_url:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        return f"sqlite+aiosqlite:///{for_owner_only(data / 'accounts.sqlite3')}"
    for scheme, driver in (("postgresql://", "postgresql+psycopg://"), ("sqlite://", "sqlite+aiosqlite://")):
        if sql_url.startswith(scheme):
            return driver + sql_url.removeprefix(scheme)
    return sql_url


def _row(account: Account) -> dict[str, object]:
    return {name: getattr(account, name) for name in Account.__slots__}
