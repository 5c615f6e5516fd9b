"""The one thread that writes: it takes whatever has been queued, and stores it in one transaction (group commit)."""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ludolog.eventlog.port import LogError
from ludolog.eventlog.sqlite.storage import Row, Storage
from ludolog.eventlog.tail import Place

MAX_ROWS = 512
MAX_BYTES = 4 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Append(Generic[T]):
    """A record to store; `ticket` is the sender's own, and comes back with the outcome."""

    place: Place
    key: bytes | None
    value: bytes
    ticket: T


@dataclass(frozen=True, slots=True)
class NewTopic(Generic[T]):
    """A topic to make."""

    topic: str
    partitions: int
    ticket: T


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """What became of appends that were stored together: the offset of each, or why nobody knows.

    `reloaded` holds the ends of all partitions before these appends where the file had to be opened again.
    """

    appends: list[Append[T]]
    offsets: list[int]
    failure: Exception | None
    reloaded: dict[Place, int] | None


@dataclass(frozen=True, slots=True)
class TopicMade(Generic[T]):
    """What became of a topic to make: the ends of its partitions, or why not."""

    ticket: T
    ends: dict[Place, int]
    failure: Exception | None


Work = Append[T] | NewTopic[T] | None
Report = Callable[[Written[T] | TopicMade[T]], None]


class Writer(Generic[T]):
    """The thread. `report` is called on it, once for each batch, and must not block."""

    def __init__(self, folder: Path, report: Report[T]) -> None:
        """Open the file and start the thread. Raises what Storage raises."""
        self._folder = folder
        self._report = report
        self._queue: queue.SimpleQueue[Work[T]] = queue.SimpleQueue()
        self._storage: Storage | None = None
        self._open()
        self.starting_ends = dict(self._ends)
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def put(self, work: Append[T] | NewTopic[T]) -> None:
        """Queue work, from any thread. How much may wait is the sender's business."""
        self._queue.put(work)

    def close(self) -> None:
        """Finish what is queued and end the thread; blocks until then."""
        self._queue.put(None)
        self._thread.join()

    def _open(self) -> Storage:
        storage = self._storage = Storage(self._folder)
        self._numbers = {topic: number for topic, (number, _) in storage.topics().items()}
        self._ends = storage.ends()
        return storage

    def _run(self) -> None:
        backlog: deque[Work[T]] = deque()
        while True:
            self._gather(backlog)
            first = backlog[0]
            if first is None:
                break
            if isinstance(first, NewTopic):
                backlog.popleft()
                self._report(self._make_topic(first))
            else:
                self._report(self._write(_together(backlog)))
        if self._storage is not None:
            self._storage.close()

    def _gather(self, backlog: deque[Work[T]]) -> None:
        """Wait for something to do, and take all there is."""
        if not backlog:
            backlog.append(self._queue.get())
        try:
            while True:
                backlog.append(self._queue.get_nowait())
        except queue.Empty:
            return

    def _write(self, appends: list[Append[T]]) -> Written[T]:
        reloaded = None
        try:
            storage = self._storage
            if storage is None:
                storage = self._open()
                reloaded = dict(self._ends)
            ends = dict(self._ends)
            rows = [self._row(append, ends) for append in appends]
            storage.insert(rows)
        except (sqlite3.Error, LogError, OSError, MemoryError) as error:
            # What of it is in the file shows when the file is opened again.
            self._give_up_connection()
            return Written(appends, [], error, reloaded)
        self._ends = ends
        return Written(appends, [row[2] for row in rows], None, reloaded)

    def _row(self, append: Append[T], ends: dict[Place, int]) -> Row:
        """A record at the end of its partition, which moves on."""
        topic, partition = append.place
        offset = ends[append.place]
        ends[append.place] = offset + 1
        return self._numbers[topic], partition, offset, append.key, append.value

    def _make_topic(self, wanted: NewTopic[T]) -> TopicMade[T]:
        try:
            storage = self._storage or self._open()
            storage.ensure_topic(wanted.topic, wanted.partitions)
        except (sqlite3.Error, LogError, OSError) as error:
            return TopicMade(wanted.ticket, {}, error)
        self._numbers = {topic: number for topic, (number, _) in storage.topics().items()}
        places = [(wanted.topic, partition) for partition in range(wanted.partitions)]
        for place in places:
            self._ends.setdefault(place, 0)
        return TopicMade(wanted.ticket, {place: self._ends[place] for place in places}, None)

    def _give_up_connection(self) -> None:
        if self._storage is not None:
            self._storage.close()
            self._storage = None


def _together(backlog: deque[Work[T]]) -> list[Append[T]]:
    """Take the appends at the front that fit into one transaction; at least one."""
    taken: list[Append[T]] = []
    size = 0
    while backlog and len(taken) < MAX_ROWS and size < MAX_BYTES:
        work = backlog[0]
        if not isinstance(work, Append):
            break
        backlog.popleft()
        taken.append(work)
        size += len(work.value)
    return taken
