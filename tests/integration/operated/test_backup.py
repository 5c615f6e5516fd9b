"""Backups are taken while matches go on, and what is restored from them plays on and verifies."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import shutil
import stat
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest

from deploy.dev.embedded import Embedded
from deploy.dev.process import find_program
from deploy.dev.servers import Kafka, PostgreSQL
from ludolog.cli import main as ludolog
from ludolog.client import Client
from ludolog.eventlog.copying import CannotCopy, restore, save
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.eventlog.port import EventLog, Stored
from ludolog.eventlog.sqlite import SqliteLog
from services.gateway.accounts import Accounts, database_url
from tests.infra.playing import assert_log_keeps, commits_of, match_of, new_table, play
from tests.integration.embedded.test_killed import exported

LONG_S = 120.0


def command(module: str, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a module of the project with settings."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LUDOLOG_")}
    line = [sys.executable, "-m", module, *arguments]
    return subprocess.run(line, env={**ours, **settings}, capture_output=True, text=True, check=False)


async def test_a_live_platform_is_backed_up_and_goes_on_from_the_backup(tmp_path: Path) -> None:
    copied, record = tmp_path / "backup", tmp_path / "match.ludolog"
    with Embedded(tmp_path / "first") as first:
        async with asyncio.timeout(LONG_S), Client(first.address, timeout_s=60) as client:
            await client.sign_in_guest("Ann")
            token = client.token
            match = await match_of(client, await new_table(client, 3, 2))

            async def back_up(moves: int) -> None:
                if moves == 1:
                    done = await asyncio.to_thread(
                        command, "services.local.backup", str(copied), LUDOLOG_DATA=str(first.data)
                    )
                    assert done.returncode == 0, done.stderr
                    assert "log.sqlite3" in done.stdout

            await play(client, match, 1, back_up)
        again = command("services.local.backup", str(copied), LUDOLOG_DATA=str(first.data))
        assert again.returncode == 1, "a backup is never written over"
    assert all(not stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (copied, *copied.iterdir()))
    second = Embedded(tmp_path / "second")
    shutil.copytree(copied, second.data)
    with second:
        async with asyncio.timeout(LONG_S), Client(second.address, token=token, timeout_s=60) as client:
            assert (await client.get_player()).display_name == "Ann"
            journal = await play(client, match, 1)
            await exported(client, match, record)
        second.stop()
        log = SqliteLog(second.data)
        try:
            await assert_log_keeps(log, match, {1: journal})
        finally:
            await log.close()
    assert ludolog(["verify", str(record)]) == 0


async def everything(log: EventLog, topics: dict[str, int]) -> dict[tuple[str, int], Sequence[Stored]]:
    """All records of all partitions."""
    places = [(topic, partition) for topic, count in topics.items() for partition in range(count)]
    return {place: await log.read(*place, 0, 10_000) for place in places}


async def test_a_log_is_saved_and_restored_offset_by_offset_on_both_kinds(kafka: Kafka, tmp_path: Path) -> None:
    chance, name = random.Random(1), uuid.uuid4().hex[:8]
    topics = {f"one-{name}": 3, f"two-{name}": 1}
    logs: list[EventLog] = [
        SqliteLog(tmp_path / "first"),
        KafkaLog(kafka.bootstrap, KafkaSettings(single_broker=True)),
        SqliteLog(tmp_path / "second"),
    ]
    try:
        for topic, count in topics.items():
            await logs[0].ensure_topic(topic, count)
        appender = await logs[0].appender()
        for _ in range(1300):
            topic = chance.choice(list(topics))
            key = chance.choice([None, b"key"])
            await appender.append(topic, chance.randrange(topics[topic]), key, chance.randbytes(chance.randrange(60)))
        await appender.close()
        for number, (source, target) in enumerate(itertools.pairwise(logs)):
            saved = await save(source, [*topics, "none"], tmp_path / f"copy-{number}")
            assert sum(saved.values()) == 1300
            assert await restore(target, tmp_path / f"copy-{number}") == saved
            with pytest.raises(CannotCopy, match="isn't empty"):
                await restore(target, tmp_path / f"copy-{number}")
        found = [await everything(log, topics) for log in logs]
        assert found[0] == found[1] == found[2]
    finally:
        for log in logs:
            await log.close()


async def test_a_copy_that_is_cut_off_isnt_taken_for_a_whole_one(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log")
    await log.ensure_topic("t", 1)
    appender = await log.appender()
    await appender.append("t", 0, b"k", b"value")
    await save(log, ["t"], tmp_path / "copy")
    (part,) = (tmp_path / "copy").glob("t.*")
    part.write_bytes(part.read_bytes()[:-1])
    await log.close()
    other = SqliteLog(tmp_path / "other")
    with pytest.raises(CannotCopy, match="cut off"):
        await restore(other, tmp_path / "copy")
    (tmp_path / "copy" / "log.json").unlink()
    with pytest.raises(CannotCopy, match="isn't a copy"):
        await restore(other, tmp_path / "copy")
    await other.close()


async def test_the_log_alone_brings_matches_and_archive_back(tmp_path: Path) -> None:
    record = tmp_path / "match.ludolog"
    with Embedded(tmp_path / "first") as first:
        async with asyncio.timeout(LONG_S), Client(first.address, timeout_s=60) as client:
            await client.sign_in_guest("Ann")
            match = await match_of(client, await new_table(client, 3, 2))
            await play(client, match, 1)
            await exported(client, match, record)
    saved = command("ludolog.hosting.copylog", "save", str(tmp_path / "copy"), LUDOLOG_DATA=str(first.data))
    assert saved.returncode == 0, saved.stderr
    second = Embedded(tmp_path / "second")
    second.data.mkdir(parents=True)
    for key in ("identity.pem", "house.secret", "rng.keys"):
        shutil.copy(first.data / key, second.data / key)
    restored = command("ludolog.hosting.copylog", "restore", str(tmp_path / "copy"), LUDOLOG_DATA=str(second.data))
    assert (restored.returncode, restored.stdout) == (0, saved.stdout), restored.stderr
    with second:
        async with asyncio.timeout(LONG_S), Client(second.address, timeout_s=60) as client:
            await exported(client, match, tmp_path / "again.ludolog")
    logs = [SqliteLog(one.data) for one in (first, second)]
    try:
        assert await commits_of(logs[0], match) == await commits_of(logs[1], match)
    finally:
        for log in logs:
            await log.close()
    assert ludolog(["verify", str(tmp_path / "again.ludolog")]) == 0


async def test_accounts_come_back_from_pg_dump(postgres: PostgreSQL, tmp_path: Path) -> None:
    first, second = postgres.create_database(), postgres.create_database()
    accounts = await Accounts.open(database_url(first, tmp_path))
    ann = await accounts.add_guest("Ann", 1)
    ben = await accounts.add_guest("Ben", 2)
    assert await accounts.erase(ben.player_id, 3600)
    await accounts.close()
    with psycopg.connect(plain(first)) as connection:
        connection.execute("CREATE SCHEMA archive")
        connection.execute("CREATE TABLE archive.rebuilt (n integer)")
    dump = [find_program("pg_dump", package="postgresql-client"), "--schema=accounts", "--format=custom"]
    await asyncio.to_thread(subprocess.run, [*dump, f"--file={tmp_path / 'accounts.dump'}", plain(first)], check=True)
    load = [find_program("pg_restore", package="postgresql-client"), "--exit-on-error", f"--dbname={plain(second)}"]
    await asyncio.to_thread(subprocess.run, [*load, str(tmp_path / "accounts.dump")], check=True)
    restored = await Accounts.open(database_url(second, tmp_path))
    assert await restored.get(ann.player_id) == ann
    assert await restored.get(ben.player_id) is None
    assert await restored.erased() == {ben.player_id}
    await restored.close()
    with psycopg.connect(plain(second)) as connection:
        found = connection.execute("SELECT FROM information_schema.schemata WHERE schema_name = 'archive'")
        assert found.fetchone() is None, "the archive is rebuilt, not backed up"


def plain(url: str) -> str:
    """A database's address as PostgreSQL's own programs take it."""
    return url.replace("postgresql+psycopg://", "postgresql://")
