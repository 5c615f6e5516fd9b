"""What only the log on SQLite does: a process that dies, a full disk, a folder that is taken, partitions taken away."""

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ludolog.eventlog.port import FolderInUse, UnsafeLog
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.eventlog.sqlite.groups import shares
from tests.contract.ports.worlds import Recorder

TOPIC = "ludolog.test.log"

# Appends for ever from 20 tasks, and says what was acknowledged.
APPENDING = """
import asyncio, json, sys
from pathlib import Path
from ludolog.eventlog.sqlite import SqliteLog

async def main():
    log = SqliteLog(Path(sys.argv[1]))
    await log.ensure_topic("ludolog.test.log", 4)
    appender = await log.appender()
    async def one(task):
        for number in range(1_000_000):
            value = f"{task}/{number}"
            offset = await appender.append("ludolog.test.log", task % 4, b"k", value.encode())
            print(json.dumps([task % 4, offset, value]), flush=True)
    await asyncio.gather(*map(one, range(20)))

asyncio.run(main())
"""

# Appends until the file can't grow, then with room again.
FILLING = """
import asyncio, json, resource, signal, sys
from pathlib import Path
from ludolog.eventlog.port import AppendFailed
from ludolog.eventlog.sqlite import SqliteLog

async def main():
    log = SqliteLog(Path(sys.argv[1]))
    await log.ensure_topic("ludolog.test.log", 1)
    reader = await log.reader("ludolog.test.log", 0, 0)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    acknowledged, failed = {}, 0
    appender = await log.appender()
    for number in range(2000):
        value = f"{number}".encode() + b"x" * 1000
        try:
            acknowledged[await appender.append("ludolog.test.log", 0, b"k", value)] = value
        except AppendFailed:
            failed += 1
            if failed == 3:
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            await appender.close()
            appender = await log.appender()
    end = await log.end_offset("ludolog.test.log", 0)
    found = []
    while len(found) < end:
        found += await reader.batch()
    assert [stored.offset for stored in found] == list(range(end))
    for offset, value in acknowledged.items():
        assert found[offset].value == value, offset
    assert len(acknowledged) + failed == 2000
    await log.close()
    print(json.dumps({"failed": failed, "acknowledged": len(acknowledged)}))

asyncio.run(main())
"""


def script(text: str, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", text, str(folder)], stdout=subprocess.PIPE, text=True)


async def test_what_a_killed_process_acknowledged_is_there(tmp_path: Path) -> None:
    process = script(APPENDING, tmp_path)
    assert process.stdout is not None
    acknowledged = [json.loads(process.stdout.readline()) for _ in range(500)]
    process.send_signal(signal.SIGKILL)
    acknowledged += [json.loads(line) for line in process.stdout if line.endswith("\n")]
    process.wait()
    process.stdout.close()
    log = SqliteLog(tmp_path)
    for partition, offset, value in acknowledged:
        assert (await log.read(TOPIC, partition, offset, 1))[0].value == value.encode()
    await log.close()


def test_a_full_disk_fails_appends_and_loses_nothing(tmp_path: Path) -> None:
    process = script(FILLING, tmp_path)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    outcome = json.loads(output)
    assert outcome["failed"] >= 3
    assert outcome["acknowledged"] > 1000


async def test_a_folder_belongs_to_one_process(tmp_path: Path) -> None:
    process = script(APPENDING, tmp_path)
    assert process.stdout is not None
    process.stdout.readline()
    with pytest.raises(FolderInUse, match=str(process.pid)):
        SqliteLog(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    log = SqliteLog(tmp_path)
    with pytest.raises(FolderInUse):
        SqliteLog(tmp_path)
    await log.close()
    await SqliteLog(tmp_path).close()


async def test_the_folder_is_for_its_owner_only(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").stat().st_mode & 0o777 == 0o700
    await log.close()


def test_files_are_for_their_owner_only_in_an_open_folder_and_from_earlier_versions(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    async def modes() -> dict[str, int]:
        log = SqliteLog(tmp_path)
        await log.ensure_topic("t", 1)
        found = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("log.sqlite3*")}  # noqa: ASYNC240
        await log.close()
        return found

    private = {"log.sqlite3": 0o600, "log.sqlite3-wal": 0o600, "log.sqlite3-shm": 0o600}
    assert asyncio.run(modes()) == private
    (tmp_path / "log.sqlite3").chmod(0o644)
    assert asyncio.run(modes()) == private


async def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    await SqliteLog(tmp_path).close()
    with sqlite3.connect(tmp_path / "log.sqlite3") as file:
        file.execute("PRAGMA user_version = 99")
    file.close()
    with pytest.raises(UnsafeLog, match="later version"):
        SqliteLog(tmp_path)


async def test_a_log_belongs_to_one_event_loop(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path)
    await log.ensure_topic(TOPIC, 1)
    with pytest.raises(RuntimeError, match="one event loop"):
        await asyncio.to_thread(lambda: asyncio.run(log.end_offset(TOPIC, 0)))
    await log.close()


@pytest.mark.parametrize("lost", [False, True])
async def test_partitions_can_be_given_out_anew(tmp_path: Path, *, lost: bool) -> None:
    log = SqliteLog(tmp_path)
    await log.ensure_topic(TOPIC, 4)
    recorder = Recorder()
    membership = await log.join(TOPIC, "engines", "a", recorder.listener)
    await recorder.until(lambda: len(recorder.mine) == 4)
    await log.reassign(TOPIC, "engines", {1, 2}, lost=lost)
    assert recorder.calls == [
        ("assigned", frozenset(range(4))),
        ("lost" if lost else "revoked", frozenset({1, 2})),
        ("assigned", frozenset({1, 2})),
    ]
    assert membership.assigned() == frozenset(range(4))
    await log.close()


def test_shares_are_even_and_move_little() -> None:
    assert shares([], 8) == []
    assert shares([frozenset()], 8) == [frozenset(range(8))]
    owned = [frozenset(range(8)), frozenset[int](), frozenset[int]()]
    for _ in range(3):
        after = shares(owned, 8)
        assert sorted(map(len, after)) == [2, 3, 3]
        assert frozenset().union(*after) == frozenset(range(8))
        assert sum(len(new - old) for new, old in zip(after, owned, strict=True)) in (0, 5)
        owned = after
    assert shares(owned[1:], 8)[0] > owned[1]
