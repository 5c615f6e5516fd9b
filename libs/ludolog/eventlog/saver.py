"""What an owner caches for the next one: address, checkpoint, sessions. Nothing rests on it."""

from __future__ import annotations

import asyncio
import logging
from typing import Generic, TypeVar

from ludolog.eventlog.book import Book, Session
from ludolog.eventlog.ports import Ports
from ludolog.eventlog.sealing import seal
from ludolog.eventlog.snapshots import (
    ADDRESS_TTL_MS,
    CHECKPOINT_TTL_MS,
    SESSION_TTL_MS,
    address_key,
    checkpoint_key,
    dump_checkpoint,
    dump_session,
    session_key,
)
from ludolog.sessions.port import CacheUnavailable

S = TypeVar("S")
log = logging.getLogger(__name__)
WRITTEN_AT_ONCE = 32
KEPT_UNLOADED = 1000


class Saver(Generic[S]):
    """Writes for one tenure."""

    def __init__(self, ports: Ports[S], partition: int, book: Book[S]) -> None:
        """Begin with nothing to write."""
        self._ports = ports
        self._partition = partition
        self._book = book
        self._unloaded: dict[str, bytes] = {}
        self._taken_at = self._written_at = book.fence.position
        self._written_s = ports.clock.monotonic()

    def keep(self, session: Session[S]) -> None:
        """Write an unloaded session when there is time; it may not be, if there are too many."""
        if session.saved < session.head.sequence and len(self._unloaded) < KEPT_UNLOADED:
            self._unloaded[session.stream_id] = dump_session(self._book, session)

    async def save_for_ever(self) -> None:
        """Publish the address again and again (the cache may be flushed); write checkpoints when they are due."""
        while True:
            for step in (self._publish, self._write_unloaded, self._save_if_due):
                try:
                    await step()
                except CacheUnavailable as error:
                    log.info("the cache doesn't answer: %s", error)
                except Exception:  # what can't be written is looked for in the log
                    log.exception("%s/%d: nothing was cached", self._ports.topic, self._partition)
                    self._ports.tally.add("save_errors")
            await asyncio.sleep(self._ports.limits.publish_s)

    async def _save_if_due(self) -> None:
        if self._is_due():
            await self.save_all()

    def _is_due(self) -> bool:
        age_s = self._ports.clock.monotonic() - self._written_s
        limits, moved = self._ports.limits, self._book.fence.position > self._written_at
        due_s = limits.checkpoint_s if moved else limits.renew_s
        return age_s >= due_s or self._book.tail_size > limits.tail

    async def _publish(self) -> None:
        key = address_key(self._ports.topic, self._partition)
        await self._ports.cache.put(key, self._ports.address.encode(), ADDRESS_TTL_MS)

    async def save_all(self) -> None:
        """Write a checkpoint, and every session that has moved since its snapshot. CacheUnavailable.

        The checkpoint is taken first: a session taken later is at its head there or at one of the commits after it, so
        that the next owner can prove it. The tail is kept from the checkpoint before this one on, written or not: it
        mustn't grow for as long as the cache is away.
        """
        position, taken_s, value = self._book.fence.position, self._ports.clock.monotonic(), dump_checkpoint(self._book)
        self._book.trim(self._taken_at)
        self._taken_at = position
        await self._write_unloaded()
        await self._write_loaded()
        await self._put(checkpoint_key(self._ports.topic, self._partition), value, CHECKPOINT_TTL_MS)
        self._written_at, self._written_s = position, taken_s
        self._ports.tally.add("checkpoints")

    async def _write_unloaded(self) -> None:
        while self._unloaded:
            stream_id, value = self._unloaded.popitem()
            await self._put(session_key(self._ports.topic, stream_id), value, SESSION_TTL_MS)

    async def _write_loaded(self) -> None:
        moved = [session for session in self._book.sessions.values() if session.saved < session.head.sequence]
        for start in range(0, len(moved), WRITTEN_AT_ONCE):
            await asyncio.gather(*map(self._write, moved[start : start + WRITTEN_AT_ONCE]))

    async def _write(self, session: Session[S]) -> None:
        value, sequence = dump_session(self._book, session), session.head.sequence
        await self._put(session_key(self._ports.topic, session.stream_id), value, SESSION_TTL_MS)
        session.saved = max(session.saved, sequence)

    async def _put(self, key: str, value: bytes, ttl_ms: int) -> None:
        await self._ports.cache.put(key, seal(key, value), ttl_ms)
