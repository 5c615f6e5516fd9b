"""A tenure's side to the log: which of its commits count. Protocol sections 3 and 4.

`known` is the offset up to which the partition has been read and judged. A commit counts when everything before it is
known: by its acknowledgement if nothing came between, else by reading what did. Nothing else may call a commit good.
"""

from __future__ import annotations

import asyncio
import enum
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ludolog.eventlog.answers import LogAway, Unavailable
from ludolog.eventlog.appenders import Appenders
from ludolog.eventlog.book import Book
from ludolog.eventlog.port import UNKNOWN_OFFSET, Appender, LogError, LogOverloaded, RecordTooLarge, Stored
from ludolog.eventlog.ports import Ports
from ludolog.eventlog.takeovers import Counted
from ludolog.record.commits import UnreadableRecord, parse_record, record_hash

S = TypeVar("S")
log = logging.getLogger(__name__)


class End(enum.Enum):
    """Why a tenure ended."""

    DISPLACED = "another takeover came"
    UNKNOWN_OUTCOME = "nobody knows what became of an append"
    UNREADABLE = "the log can't be read"
    LOG_AWAY = "the log doesn't answer"
    MISLED = "what was found in the cache contradicts the log"
    ANOTHER_LOG = "the log isn't the one that was read"
    REVOKED = "the partition was given up"
    LOST = "the partition is somebody else's"


@dataclass(slots=True, eq=False)
class Pending:
    """A commit that was sent and isn't known to count yet."""

    value: bytes
    appender: Appender
    since_s: float
    confirmed: bool = False
    waiter: asyncio.Future[None] | None = None


class Tenure(Generic[S]):
    """One takeover of one partition, from its own record to whatever ends it."""

    def __init__(self, ports: Ports[S], appenders: Appenders, partition: int, book: Book[S]) -> None:
        """Begin under the takeover that the book has just read."""
        self.book = book
        self.partition = partition
        self.takeover = book.fence.in_force
        self.alive = True
        self.began_s = ports.clock.monotonic()
        self.pending: dict[str, Pending] = {}
        self.on_end: Callable[[End], None] = lambda _why: None
        self._ports = ports
        self._appenders = appenders
        self._held: dict[int, Pending] = {}
        self._unplaced: list[Pending] = []
        self._barrier: asyncio.Future[None] | None = None
        self._wanted = asyncio.Event()
        self._resolver = asyncio.create_task(self._resolve_for_ever())

    # ---- appending

    async def append(self, stream_id: str, value: bytes) -> None:
        """Append a commit of a stream that has none under way; return when it is known to count.

        LogOverloaded and RecordTooLarge where nothing was sent; Unavailable where nobody knows.
        """
        try:
            appender = self._appenders.current or await self._appenders.get()
        except LogError as error:
            raise LogAway from error
        if not self.alive:
            raise self.over()
        pending = self.pending[stream_id] = Pending(value, appender, self._ports.clock.monotonic())
        try:
            offset = await appender.append(self._ports.topic, self.partition, stream_id.encode(), value)
        except (LogOverloaded, RecordTooLarge):
            self.pending.pop(stream_id, None)
            raise
        except Exception as error:
            self._ports.tally.add("outcomes_unknown")
            self._appenders.fail(appender)
            if pending.confirmed:
                return
            raise LogAway("nobody knows whether the commit is in the log") from error
        self._acknowledged(pending, offset)
        if pending.waiter is not None:
            await pending.waiter

    def _acknowledged(self, pending: Pending, offset: int) -> None:
        if pending.confirmed or not self.alive:
            return
        known = self.book.known
        if offset == known + 1:
            self._confirm_at(offset, pending.value)
            while (held := self._held.pop(self.book.known + 1, None)) is not None:
                self._confirm_at(self.book.known + 1, held.value)
        elif offset == UNKNOWN_OFFSET:
            self._ports.tally.add("acknowledged_without_offset")
            self._unplaced.append(pending)
            self._wait(pending)
        elif offset > known:
            self._held[offset] = pending
            self._wait(pending)
        else:
            self.end(End.ANOTHER_LOG)
            raise self.over()

    def _wait(self, pending: Pending) -> None:
        pending.waiter = asyncio.get_running_loop().create_future()
        self._wanted.set()

    def _confirm_at(self, offset: int, value: bytes) -> None:
        digest = record_hash(value)
        self.book.fence.mark(offset, digest)
        self._count(Counted(offset, parse_record(value).commit, value), digest)

    def _count(self, counted: Counted, digest: bytes) -> None:
        commit = counted.commit
        stream_id = commit.stream_id
        pending = self.pending.get(stream_id)
        try:
            applied = self.book.count(counted, digest)
        except Exception:
            about = {"match": stream_id, "sequence": commit.sequence, "offset": counted.offset}
            log.exception("a counted commit can't be applied", extra=about)
            self._ports.tally.add("unreadable_commits")
            applied = None
        self._ports.tally.add("broken_streams" if stream_id in self.book.broken else "commits")
        if applied is not None:
            try:
                self._ports.hooks.confirmed(stream_id, applied.before, commit, applied.after, applied.head)
            except Exception:
                log.exception("a hook failed", extra={"match": stream_id, "sequence": commit.sequence})
                self._ports.tally.add("hook_errors")
        if pending is not None and pending.value == counted.value:
            del self.pending[stream_id]
            pending.confirmed = True
            if pending.waiter is not None and not pending.waiter.done():
                pending.waiter.set_result(None)

    # ---- reading

    async def barrier(self) -> None:
        """Return when everything is read up to an end of the log that was asked for after this call.

        One query serves all who wait when it starts. Unavailable if that can't be, or if the tenure ends.
        """
        if not self.alive:
            raise self.over()
        if self._barrier is None:
            self._barrier = asyncio.get_running_loop().create_future()
            self._wanted.set()
        await asyncio.shield(self._barrier)

    async def _resolve_for_ever(self) -> None:
        while self.alive:
            await self._wanted.wait()
            await asyncio.sleep(0)  # acknowledgements that arrive together close most gaps by themselves
            self._wanted.clear()
            barrier, self._barrier = self._barrier, None
            try:
                await self._resolve(asked=barrier is not None)
            except UnreadableRecord:
                log.exception("%s/%d: stopped at %d", self._ports.topic, self.partition, self.book.fence.position)
                self.end(End.UNREADABLE)
            except LogError as error:
                log.warning("%s/%d can't be read: %r", self._ports.topic, self.partition, error)
                self.end(End.LOG_AWAY)
            except Exception as error:  # noqa: BLE001 - whatever keeps us from reading keeps us from serving
                log.warning("%s/%d can't be read: %r", self._ports.topic, self.partition, error)
                self.end(End.UNREADABLE)
            finally:
                self._pass(barrier)

    def _pass(self, barrier: asyncio.Future[None] | None) -> None:
        if barrier is not None:
            _settle(barrier, None if self.alive else self.over())

    async def _resolve(self, *, asked: bool) -> None:
        unplaced, self._unplaced = self._unplaced, []
        target = max(self._held, default=self.book.known)
        if asked or unplaced:
            self._ports.tally.add("barriers")
            target = max(target, await self._ports.log.end_offset(self._ports.topic, self.partition) - 1)
        await self._absorb(target)
        self._held = {offset: held for offset, held in self._held.items() if not held.confirmed}
        misplaced = any(offset <= self.book.known for offset in self._held)
        if misplaced or not all(pending.confirmed for pending in unplaced):
            self.end(End.ANOTHER_LOG)

    async def _absorb(self, target: int) -> None:
        """Read on to an offset, by position and not by count."""
        if self.book.known < target:
            self._ports.tally.add("gaps_read")
        while self.alive and self.book.known < target:
            position = self.book.fence.position
            batch = await self._ports.log.read(
                self._ports.topic, self.partition, position, self._ports.limits.read_batch
            )
            if not batch and self.book.fence.position == position:
                raise LogError(f"nothing at offset {position}, but the log goes on to {target}")
            for stored in batch:
                if stored.offset >= self.book.fence.position and not self._see(stored):
                    return

    def _see(self, stored: Stored) -> bool:
        """Judge the next record. False where the tenure is over."""
        seen = self.book.fence.see(stored)
        if seen.record is None:
            return True
        if seen.record.HasField("takeover"):
            if stored.offset != self.takeover:
                self.end(End.DISPLACED)
                return False
        elif seen.counts and stored.value is not None:
            self._count(Counted(stored.offset, seen.record.commit, stored.value), record_hash(stored.value))
        elif seen.record.HasField("commit"):
            self._ports.tally.add("void_commits")
        return True

    # ---- the end

    def over(self) -> Unavailable:
        """What everybody is told when the tenure is over."""
        return Unavailable(f"partition {self.partition} is being taken over")

    def waits_since(self, moment_s: float) -> bool:
        """True if a commit has been under way since before a moment of the clock."""
        return bool(self.pending) and next(iter(self.pending.values())).since_s < moment_s

    def has_appends_on(self, appender: Appender) -> bool:
        """True if a commit is under way on that appender."""
        return any(pending.appender is appender for pending in self.pending.values())

    def end(self, why: End) -> None:
        """End the tenure, once. What is under way is nobody's any more."""
        if not self.alive:
            return
        self.alive = False
        self._ports.tally.add(f"ended_{why.name.lower()}")
        about = {"topic": self._ports.topic, "partition": self.partition, "offset": self.takeover}
        level = logging.DEBUG if why is End.REVOKED else logging.WARNING
        log.log(level, "a tenure ends: %s", why.value, extra=about)
        if self._resolver is not asyncio.current_task():
            self._resolver.cancel()
        if self._barrier is not None:
            _settle(self._barrier, self.over())
        for pending in self.pending.values():
            if pending.waiter is not None:
                _settle(pending.waiter, self.over())
        self.on_end(why)


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
        future.exception()  # it may be that nobody waits any more
