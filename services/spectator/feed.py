"""Reading one partition, for ever: the fence, the index of what is on, and whoever waits for a position."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ludolog.eventlog.keeping import Keeper, Kept, kept_key
from ludolog.eventlog.port import EventLog, LogError, OutOfRange, Stored
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Counted, Fence, resume
from ludolog.kernel import UnknownEvent
from ludolog.record.commits import UnreadableRecord
from ludolog.sessions.port import SessionCache
from services.spectator import index
from services.spectator.index import Broken, Index, Live

log = logging.getLogger(__name__)

READER = "spectator"
YIELD_EVERY = 200
"""Commits that are taken before others get the event loop again."""
RETRY_S = (0.2, 5.0)


@dataclass(frozen=True, slots=True)
class Place:
    """A partition of a topic."""

    topic: str
    partition: int


class Audience(Protocol):
    """Who is told what a feed reads."""

    def commit(self, place: Place, item: Counted) -> None:
        """A counted commit that continues its match."""

    def void(self, place: Place) -> None:
        """A commit that doesn't count. Nothing of it is shown."""

    def broken(self, place: Place, match_id: str, why: str) -> None:
        """A match is corrupt and stopped."""

    def forget(self, place: Place) -> None:
        """The partition begins again from another log: nothing that was told of it holds."""

    def stopped(self, place: Place, why: str) -> None:
        """A record can't be read: the partition stands still until a version that can is started."""


class Feed:
    """One partition."""

    def __init__(
        self,
        events: EventLog,
        cache: SessionCache,
        place: Place,
        audience: Audience,
        monotonic: Callable[[], float],
    ) -> None:
        """`monotonic` gives seconds."""
        self.place = place
        self.fence = Fence(Checkpoint())
        self.index = Index()
        self.caught_up = asyncio.Event()
        self.woken = asyncio.Event()
        """Set, and replaced, whenever an engine says that there is something new."""
        self._events = events
        self._audience = audience
        self._moved = asyncio.Event()
        self._stopped = False
        self._where = place.topic, place.partition
        self.keeper = Keeper(
            cache, kept_key(READER, index.FORMAT, *self._where), Kept[list[Live]], self._stand, monotonic
        )
        """Keeps position and index for the next start."""

    async def run(self) -> None:
        """Read until cancelled. Returns only where a record can't be read."""
        wait = RETRY_S[0]
        await self._load()
        while True:
            try:
                await self._read()
            except (UnreadableRecord, UnknownEvent) as error:
                log.critical("%s/%s stands still: %s", *self._where, error)
                self._stopped = True
                self._audience.stopped(self.place, str(error))
                return
            except (AnotherLog, OutOfRange) as error:
                log.critical("%s/%s is read again from its beginning: %s", *self._where, error)
                self._begin(Checkpoint(), Index())
                self._audience.forget(self.place)
            except LogError as error:
                log.warning("%s/%s: %s", *self._where, error)
            await asyncio.sleep(wait)
            wait = min(2 * wait, RETRY_S[1])

    async def position_reached(self, position: int) -> None:
        """Wait until everything before a position is read."""
        while self.fence.position < position:
            await self._moved.wait()

    async def end_reached(self) -> None:
        """A barrier: wait until everything is read that was in the log when this call began. LogError."""
        await self.position_reached(await self._events.end_offset(*self._where))

    def wake(self) -> None:
        """An engine says that there is something new. The truth comes from the log; this only ends waits for hints."""
        self.woken.set()
        self.woken = asyncio.Event()

    def _stand(self) -> Kept[list[Live]] | None:
        return None if self._stopped else Kept(self.fence.checkpoint(), list(self.index))

    async def _load(self) -> None:
        kept = await self.keeper.load()
        if kept is not None:
            self._begin(kept.checkpoint, Index(kept.fold))

    def _begin(self, checkpoint: Checkpoint, live: Index) -> None:
        self.fence, self.index = Fence(checkpoint), live

    async def _read(self) -> None:
        self.fence = await resume(self._events, *self._where, self.fence.checkpoint())
        until = await self._events.end_offset(*self._where)
        reader = await self._events.reader(*self._where, self.fence.position)
        try:
            self._tell_where(until)
            while True:
                for number, stored in enumerate(await reader.batch(), 1):
                    self._take(stored)
                    if number % YIELD_EVERY == 0:
                        await asyncio.sleep(0)
                self._tell_where(until)
        finally:
            await reader.close()

    def _take(self, stored: Stored) -> None:
        """Take one record. In one go: whoever looks between two records finds fence and index in step."""
        seen = self.fence.see(stored)
        if seen.record is None or stored.value is None or not seen.record.HasField("commit"):
            return
        if not seen.counts:
            self._audience.void(self.place)
            return
        item = Counted(stored.offset, seen.record.commit, stored.value)
        try:
            self.index.add(item)
        except Broken as error:
            about = {"match": item.commit.stream_id, "sequence": item.commit.sequence, "offset": stored.offset}
            log.critical("corrupt: %s", error, extra=about)
            self._audience.broken(self.place, item.commit.stream_id, str(error))
        else:
            self._audience.commit(self.place, item)

    def _tell_where(self, until: int) -> None:
        if self.fence.position >= until:
            self.caught_up.set()
        self._moved.set()
        self._moved = asyncio.Event()
