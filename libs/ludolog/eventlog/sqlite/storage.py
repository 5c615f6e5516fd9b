"""The file of the log: its lock, its tables, and the statements on them. Synchronous; one thread at a time.

WAL with synchronous=FULL: a commit returns after its pages are on the disk (https://sqlite.org/pragma.html#pragma_synchronous).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from ludolog.eventlog.port import FolderInUse, NoSuchTopic, Stored, UnsafeLog
from ludolog.eventlog.private import for_owner_only
from ludolog.eventlog.tail import Place

FILE = "log.sqlite3"
LOCK = "log.lock"
SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 5.0

Row = tuple[int, int, int, bytes | None, bytes]
"""Topic's number, partition, offset, key, value."""

_SCHEMA = """
CREATE TABLE topics (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    partitions INTEGER NOT NULL
) STRICT;
CREATE TABLE records (
    topic INTEGER NOT NULL REFERENCES topics (id),
    partition INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    "key" BLOB,
    "value" BLOB NOT NULL,
    PRIMARY KEY (topic, partition, "offset")
) STRICT, WITHOUT ROWID;
"""


class FolderLock:
    """Keeps other processes out of a data folder, for as long as this one lives: the system lifts it after a crash."""

    def __init__(self, folder: Path) -> None:
        """Take the lock; makes the folder (mode 0700) where there is none. FolderInUse, naming the holder."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._file, 32).decode(errors="replace").strip()
            os.close(self._file)
            raise FolderInUse(f"{folder} is in use by another Ludolog (process {holder or 'unknown'})") from error
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._file)


class Storage:
    """One connection to the file."""

    def __init__(self, folder: Path) -> None:
        """Open the file in a folder, or make it. UnsafeLog where a later version wrote it."""
        self._connection = sqlite3.connect(
            for_owner_only(folder / FILE),
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        run = self._connection.execute
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")
        run("PRAGMA fullfsync=ON")
        run("PRAGMA checkpoint_fullfsync=ON")
        version = run("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise UnsafeLog(
                f"{FILE} was written by a later version (schema {version}, this one knows {SCHEMA_VERSION})"
            )
        if version == 0:
            self._connection.executescript(f"BEGIN;{_SCHEMA}PRAGMA user_version={SCHEMA_VERSION};COMMIT;")

    def ensure_topic(self, topic: str, partitions: int) -> None:
        """Make the topic if it isn't there. UnsafeLog where it is there with another number of partitions."""
        self._connection.execute("INSERT OR IGNORE INTO topics (name, partitions) VALUES (?, ?)", (topic, partitions))
        found = self.topics()[topic][1]
        if found != partitions:
            raise UnsafeLog(f"topic {topic} has {found} partitions, the settings say {partitions}: streams would move")

    def topics(self) -> dict[str, tuple[int, int]]:
        """Number and partitions of each topic."""
        rows = self._connection.execute("SELECT name, id, partitions FROM topics")
        return {name: (number, partitions) for name, number, partitions in rows}

    def ends(self) -> dict[Place, int]:
        """The offset of the next record in every partition."""
        query = 'SELECT coalesce(max("offset") + 1, 0) FROM records WHERE topic = ? AND partition = ?'
        return {
            (name, partition): end
            for name, (number, partitions) in self.topics().items()
            for partition in range(partitions)
            for (end,) in self._connection.execute(query, (number, partition))
        }

    def insert(self, rows: Sequence[Row]) -> None:
        """Add records, all or none; returns when they are on the disk.

        One statement, hence one transaction: each statement gives the interpreter's lock away and waits to get it back,
        which takes milliseconds beside a busy thread.
        """
        values = ",".join(["(?,?,?,?,?)"] * len(rows))
        statement = f"INSERT INTO records VALUES {values}"  # noqa: S608 - question marks only
        self._connection.execute(statement, [field for row in rows for field in row])

    def read(self, place: Place, offset: int, end: int, max_bytes: int) -> list[Stored]:
        """Records from `offset` up to before `end`; fewer, but at least one, where they are longer than `max_bytes`."""
        topic = self.topics().get(place[0])
        if topic is None:
            raise NoSuchTopic(f"no topic {place[0]}")
        query = (
            'SELECT "offset", "key", "value" FROM records '
            'WHERE topic = ? AND partition = ? AND "offset" >= ? AND "offset" < ? ORDER BY "offset"'
        )
        found: list[Stored] = []
        total = 0
        cursor = self._connection.execute(query, (topic[0], place[1], offset, end))
        for row in cursor:
            found.append(Stored(*row))
            total += len(found[-1].value or b"")
            if total >= max_bytes:
                break
        cursor.close()
        return found

    def close(self) -> None:
        """Close the file; the last one to do so folds the write-ahead log into it."""
        self._connection.close()
