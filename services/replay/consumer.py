"""Following the logs into the archive: one task for each partition that the group gives to this instance."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from asyncio import FIRST_COMPLETED
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

from sqlalchemy.exc import IntegrityError

from ludolog.eventlog.port import EventLog, LogError, OutOfRange, Reader, Stored
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Fence, resume
from ludolog.kernel import Rulebook, UnknownEvent
from ludolog.record.commits import UnreadableRecord, parse_record
from ludolog.record.match import Match
from services.replay.database import FAILED
from services.replay.projection import Effects, Entry, Place, advance, project, reveals
from services.replay.queries import DatabaseUnavailable, Queries
from services.replay.store import Fenced, Store

log = logging.getLogger(__name__)

BATCH = 256
"""Most records of one transaction; also how many are folded before others get the event loop again."""
GATHER_S = 0.25
"""Pause between two transactions of a partition, unless it is behind: under load, commits share one."""
ENTRIES = 2000
"""Most folded matches kept in memory for one partition."""
PAGE = 1000
RETRY_S = (0.2, 5.0)
"""First and longest wait after the database or the log didn't answer."""


class Contradiction(Exception):
    """Rows that the archive's position says can't be there yet: somebody has changed the archive by hand."""

    def __init__(self, position: int) -> None:
        super().__init__(f"at {position}, it has rows from further on")
        self.position = position


class Observer(Protocol):
    """What wants to know how a partition is getting on: metrics, health, waiting readers."""

    def wrote(self, place: Place, records: int) -> None:
        """Records are archived."""

    def void(self, place: Place, commits: int) -> None:
        """Void commits were skipped."""

    def broken(self, place: Place, match_id: str) -> None:
        """A match's stored commits don't chain."""

    def caught_up(self, place: Place) -> None:
        """The end that the log had when the partition was taken on is reached."""

    def stopped(self, place: Place, why: str) -> None:
        """A record can't be read: the partition stands still until a version that can is started."""

    def restarted(self, place: Place) -> None:
        """The partition begins again: fenced, another log, a database that failed."""


class PartitionArchiver:
    """Follows one partition. `rulebook` is None for the rng log."""

    def __init__(
        self,
        *,
        events: EventLog,
        store: Store,
        queries: Queries,
        place: Place,
        rulebook: Rulebook[Any] | None,
        observer: Observer,
        repair: Callable[[], Awaitable[None]],
    ) -> None:
        """`repair` makes the tables where somebody has dropped them."""
        self._events = events
        self._store = store
        self._queries = queries
        self._place = place
        self._where = place.topic, place.partition
        self._rulebook = rulebook
        self._observer = observer
        self._repair = repair
        self._stopping = asyncio.Event()
        self._idle_at: int | None = None
        self._moved = asyncio.Event()
        self._entries: OrderedDict[str, Entry] = OrderedDict()

    def stop(self) -> None:
        """Let `run` return after the transaction that is under way: a cancelled one could hold its lock for long."""
        self._stopping.set()

    @property
    def place(self) -> Place:
        """The partition that it follows."""
        return self._place

    @property
    def idle_at(self) -> int | None:
        """The position at which it waits for records; None while it writes."""
        return self._idle_at

    def begin_again(self) -> None:
        """Somebody has changed the position under an idle archiver."""
        self._moved.set()

    async def run(self) -> None:
        """Follow until stopped. Returns also where a record can't be read."""
        wait = RETRY_S[0]
        while not self._stopping.is_set():
            try:
                await self._follow()
                continue
            except (UnknownEvent, UnreadableRecord) as error:
                log.critical("archive of %s/%s stands still: %s", *self._where, error)
                self._observer.stopped(self._place, str(error))
                return
            except Fenced:
                wait = RETRY_S[0]
            except Contradiction as error:
                log.critical("archive of %s/%s is rebuilt: %s", *self._where, error)
                await self._start_again(error.position)
            except (*FAILED, DatabaseUnavailable, LogError) as error:
                log.warning("archive of %s/%s begins again: %s", *self._where, type(error).__name__)
                await self._pause(wait)
                wait = min(wait * 2, RETRY_S[1])
                await self._try_to_repair()
            self._entries.clear()
            self._observer.restarted(self._place)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    async def _try_to_repair(self) -> None:
        try:
            await self._repair()
        except FAILED as error:
            log.warning("the archive's tables can't be made: %s", type(error).__name__)

    async def _start_again(self, position: int) -> None:
        try:
            await self._store.start_again(self._place, position)
        except (*FAILED, Fenced) as error:
            log.warning("the archive can't be rebuilt yet: %s", type(error).__name__)

    async def _follow(self) -> None:
        fence = await self._begin()
        until = await self._events.end_offset(*self._where)
        if fence.position >= until:
            self._observer.caught_up(self._place)
        reader = await self._events.reader(*self._where, fence.position)
        try:
            while records := await self._next(reader, fence):
                for start in range(0, len(records), BATCH):
                    behind = fence.position < until
                    fence = await self._archive(fence, records[start : start + BATCH])
                    if behind and fence.position >= until:
                        self._observer.caught_up(self._place)
                    if self._stopping.is_set():
                        return
                if len(records) < BATCH:
                    await self._pause(GATHER_S)
        finally:
            await reader.close()

    async def _next(self, reader: Reader, fence: Fence) -> Sequence[Stored]:
        """The next records; none once it is to stop.

        Fenced where the position is another one meanwhile: an idle archive is rebuilt, too.
        """
        self._moved.clear()
        batch = asyncio.ensure_future(reader.batch())
        others = [asyncio.ensure_future(event.wait()) for event in (self._stopping, self._moved)]
        self._idle_at = fence.position
        try:
            await asyncio.wait((batch, *others), return_when=FIRST_COMPLETED)
            if self._stopping.is_set():
                return ()
            if not batch.done():
                raise Fenced(f"{self._place.topic}/{self._place.partition}: the archive is another one")
            return batch.result()
        finally:
            self._idle_at = None
            for task in (batch, *others):
                task.cancel()

    async def _begin(self) -> Fence:
        checkpoint = await self._store.checkpoint(self._place)
        try:
            return await resume(self._events, *self._where, checkpoint)
        except (AnotherLog, OutOfRange) as error:
            log.critical("the archive starts again from the beginning of the log: %s", error)
            await self._store.start_again(self._place, checkpoint.position)
            return Fence(Checkpoint())

    async def _archive(self, fence: Fence, batch: Sequence[Stored]) -> Fence:
        """Archive a batch; where a record in it can't be read, archive what comes before it."""
        try:
            return await self._write(fence, batch)
        except (UnknownEvent, UnreadableRecord):
            if len(batch) == 1:
                raise
        for record in batch:
            fence = await self._write(fence, [record])
        return fence

    async def _write(self, fence: Fence, batch: Sequence[Stored]) -> Fence:
        after = Fence(fence.checkpoint())
        effects = await self._effects(after, batch, fence.position)
        try:
            await self._store.write(self._place, fence.position, effects, after.checkpoint())
        except IntegrityError as error:
            raise Contradiction(fence.position) from error
        self._remember(effects)
        self._tell(after, len(batch), effects)
        return after

    async def _effects(self, fence: Fence, batch: Sequence[Stored], started: int) -> Effects:
        if self._rulebook is None:
            seen = [fence.see(stored).record for stored in batch]
            return reveals(self._place, [record for record in seen if record is not None])
        counted = fence.count(batch)
        ids = dict.fromkeys(item.commit.stream_id for item in counted)
        entries = {match_id: await self._entry(match_id, started) for match_id in ids}
        return project(self._rulebook, self._place, counted, entries)

    async def _entry(self, match_id: str, started: int) -> Entry | None:
        if (known := self._entries.get(match_id)) is not None:
            return known
        row = await self._queries.match(match_id)
        if row is None or self._rulebook is None:
            return None
        entry, more = Entry(Match(self._rulebook.blank)), True
        while more:
            stretch = await self._queries.stretch(self._place, match_id, entry.head.sequence + 1, PAGE)
            if stretch.checkpoint.position != started:
                raise Fenced(f"{self._place.topic}/{self._place.partition}: no longer at {started}")
            for stored in stretch.commits:
                if stored.offset >= started:
                    raise Contradiction(started)
                entry = advance(self._rulebook, entry, stored.record, parse_record(stored.record).commit)
            more = stretch.more
        # The row's status also says what no commit says: that the match is corrupt.
        return Entry(entry.match, row.head, row.status, row.create_ms)

    def _remember(self, effects: Effects) -> None:
        for match_id, entry in effects.entries.items():
            self._entries[match_id] = entry
            self._entries.move_to_end(match_id)
        while len(self._entries) > ENTRIES:
            self._entries.popitem(last=False)

    def _tell(self, fence: Fence, records: int, effects: Effects) -> None:
        if fence.void_commits:
            self._observer.void(self._place, fence.void_commits)
        for match_id in effects.broken:
            self._observer.broken(self._place, match_id)
        self._observer.wrote(self._place, records)


async def look(archivers: Iterable[PartitionArchiver], queries: Queries) -> None:
    """Let idle archivers begin again whose position isn't in the archive any more: it is another one, or was emptied.

    One question for all of them; who writes finds out by itself. Raises DatabaseUnavailable.
    """
    idle = [(archiver, archiver.idle_at) for archiver in archivers]
    found = await queries.positions()
    for archiver, position in idle:
        if position is not None and archiver.idle_at == position != found.get(archiver.place, 0):
            archiver.begin_again()
