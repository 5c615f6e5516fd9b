"""The port on one SQLite file. Belongs to one process (a lock on the folder) and to one event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ludolog.eventlog.limits import InFlight, Limits
from ludolog.eventlog.port import AppendFailed, Listener, LogUnavailable, NoSuchTopic, Stored
from ludolog.eventlog.sqlite.groups import Group, Member
from ludolog.eventlog.sqlite.storage import FolderLock, Storage
from ludolog.eventlog.sqlite.writer import Append, NewTopic, TopicMade, Writer, Written
from ludolog.eventlog.tail import Place, Tail


@dataclass(slots=True)
class _Ticket:
    """An append or a new topic on its way."""

    done: asyncio.Future[int]
    size: int = 0


class SqliteLog:
    """Topics of partitions in `log.sqlite3`. A record is acknowledged when it is on the disk."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        """Open the log of a data folder, or make it (blocks for milliseconds).

        FolderInUse, UnsafeLog, or LogUnavailable.
        """
        self.limits = limits or Limits()
        self._in_flight = InFlight(self.limits)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._groups: dict[tuple[str, str], Group] = {}
        self._lock = FolderLock(folder)
        try:
            self._writer = Writer[_Ticket](folder, self._report)
            self._reading = Storage(folder)
        except BaseException as error:
            self._lock.release()
            if isinstance(error, sqlite3.Error):
                raise LogUnavailable(f"the log in {folder} can't be opened: {error}") from error
            raise
        self._reader_thread = ThreadPoolExecutor(1, thread_name_prefix="log-reader")
        self._tails = {place: Tail(place, end) for place, end in self._writer.starting_ends.items()}

    # ---- topics

    async def ensure_topic(self, topic: str, partitions: int) -> None:
        """Make the topic if it isn't there. UnsafeLog where it is there with another number of partitions."""
        if partitions < 1:
            raise ValueError("a topic has at least one partition")
        done = self._here().create_future()
        self._writer.put(NewTopic(topic, partitions, _Ticket(done)))
        await done

    async def partitions(self, topic: str) -> int:
        """Number of partitions. NoSuchTopic."""
        self._here()
        count = sum(name == topic for name, _ in self._tails)
        if not count:
            raise NoSuchTopic(f"no topic {topic}")
        return count

    # ---- appending

    async def appender(self) -> SqliteAppender:
        """Make a producer."""
        self._here()
        return SqliteAppender(self)

    def send(self, place: Place, key: bytes | None, value: bytes) -> asyncio.Future[int]:
        """Queue a record; the future has its offset, or what the port says of `append`."""
        loop = self._here()
        self._tail(place)
        size = self._in_flight.admit(key, value)
        done = loop.create_future()
        self._writer.put(Append(place, key, value, _Ticket(done, size)))
        return done

    def _report(self, outcome: Written[_Ticket] | TopicMade[_Ticket]) -> None:
        """On the writer's thread: hand the outcome to the loop."""
        if self._loop is None or self._loop.is_closed():
            return
        settle: Callable[[], None] = (
            (lambda: self._written(outcome)) if isinstance(outcome, Written) else (lambda: self._topic_made(outcome))
        )
        try:
            self._loop.call_soon_threadsafe(settle)
        except RuntimeError:  # the loop was closed in between: nobody waits any more
            return

    def _topic_made(self, made: TopicMade[_Ticket]) -> None:
        for place, end in made.ends.items():
            self._tails.setdefault(place, Tail(place, end))
        _settle(made.ticket.done, 0, made.failure)

    def _written(self, written: Written[_Ticket]) -> None:
        """Move the ends and acknowledge, in one step: no reader is behind an acknowledgement."""
        for place, end in (written.reloaded or {}).items():
            self._tail(place).reset(end)
        failure = None
        if written.failure is not None:
            failure = AppendFailed(f"{type(written.failure).__name__}: {written.failure}")
        else:
            for append, offset in zip(written.appends, written.offsets, strict=True):
                self._tail(append.place).add(Stored(offset, append.key, append.value))
        offsets = written.offsets or [0] * len(written.appends)
        for append, offset in zip(written.appends, offsets, strict=True):
            self._in_flight.release(append.ticket.size)
            _settle(append.ticket.done, offset, failure)

    # ---- reading

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        """Up to `limit` records from `offset` on; empty at the end. OutOfRange, NoSuchTopic."""
        loop = self._here()
        place = topic, partition
        known = self._tail(place)
        known.check(offset)
        limit = min(limit, self.limits.max_batch_records)
        found = known.recent(offset, limit)
        if found is None:
            # No further than what has been acknowledged: the file may be a step ahead.
            end = min(offset + limit, known.end)
            query = (place, offset, end, self.limits.max_batch_bytes)
            try:
                found = await loop.run_in_executor(self._reader_thread, self._reading.read, *query)
            except sqlite3.Error as error:
                raise LogUnavailable(f"{known.name} can't be read: {error}") from error
        return found

    async def end_offset(self, topic: str, partition: int) -> int:
        """Offset of the next record."""
        self._here()
        return self._tail((topic, partition)).end

    async def reader(self, topic: str, partition: int, offset: int) -> SqliteReader:
        """Open a reader at an offset. OutOfRange, NoSuchTopic."""
        self._here()
        known = self._tail((topic, partition))
        known.check(offset)
        return SqliteReader(self, known, topic, partition, offset)

    # ---- groups

    async def join(self, topic: str, group: str, instance: str, listener: Listener) -> Member:
        """Become a member of a group of this process. NoSuchTopic."""
        partitions = await self.partitions(topic)
        members = self._groups.setdefault((topic, group), Group(partitions))
        return members.join(instance, listener)

    async def reassign(self, topic: str, group: str, partitions: Collection[int], *, lost: bool) -> None:
        """For tests: take partitions from whoever has them, by `lost` or else in order, and assign them anew.

        Returns after the callbacks.
        """
        await self._groups[topic, group].reassign(frozenset(partitions), lost=lost)

    # ---- the end

    async def close(self) -> None:
        """Store what is queued, and let go of the file. Waiting readers get LogUnavailable."""
        if self._closed:
            return
        loop = self._here()
        self._closed = True
        for group in self._groups.values():
            await group.close()
        await loop.run_in_executor(None, self._writer.close)
        self._reader_thread.shutdown(wait=True)
        self._reading.close()
        self._lock.release()
        for tail in self._tails.values():
            tail.close(LogUnavailable("the log was closed"))

    def _here(self) -> asyncio.AbstractEventLoop:
        """The loop that the log belongs to: the one that uses it first."""
        if self._closed:
            raise LogUnavailable("the log was closed")
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
        elif self._loop is not loop:
            raise RuntimeError("a SqliteLog belongs to one event loop")
        return loop

    def _tail(self, place: Place) -> Tail:
        try:
            return self._tails[place]
        except KeyError:
            raise NoSuchTopic(f"no {place[0]}/{place[1]}") from None


class SqliteAppender:
    """A producer on the log of this process."""

    def __init__(self, log: SqliteLog) -> None:
        """Made by the log."""
        self._log = log
        self._finished = ""
        self._pending: set[asyncio.Future[int]] = set()

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        """Append durably; return the offset. Errors as the port says."""
        if self._finished:
            raise AppendFailed(self._finished)
        done = self._log.send((topic, partition), key, value)
        self._pending.add(done)
        try:
            return await done
        except AppendFailed as error:
            self._finished = str(error)
            raise
        finally:
            self._pending.discard(done)

    async def close(self) -> None:
        """Let go at once: pending appends raise AppendFailed, their records may be stored all the same."""
        self._finished = "the appender was closed"
        for done in self._pending:
            _settle(done, 0, AppendFailed(self._finished))


class SqliteReader:
    """A position in one partition."""

    def __init__(self, log: SqliteLog, known: Tail, topic: str, partition: int, offset: int) -> None:
        """Made by the log."""
        self._log = log
        self._known = known
        self._place = topic, partition
        self._offset = offset

    async def batch(self) -> Sequence[Stored]:
        """Wait for the next records, at least one, in order. LogUnavailable once the log is closed."""
        await self._known.grown(self._offset)
        found = await self._log.read(*self._place, self._offset, self._log.limits.max_batch_records)
        self._offset = found[-1].offset + 1
        return found

    async def close(self) -> None:
        """Let go."""


def _settle(done: asyncio.Future[int], result: int, failure: Exception | None) -> None:
    """Answer whoever still waits."""
    if done.done():
        return
    if failure is None:
        done.set_result(result)
    else:
        done.set_exception(failure)
