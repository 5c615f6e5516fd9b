"""Hints for those who watch: which partitions have something new, and when decisions are due. Never slows a commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ludolog.eventlog.partitioning import partition_of
from ludolog.hosting.clock import Clock
from ludolog.sessions.hints import Deadlines, deadlines_key, partitions_hint, wake_channel
from ludolog.sessions.port import CacheUnavailable, SessionCache

LONGEST_TTL_MS = 30 * 24 * 3600 * 1000
KEPT_AFTER_MS = 60_000
WAITING = 10_000
"""Matches whose deadlines wait to be written; more are dropped: watchers then see none."""
AT_ONCE = 64

logger = logging.getLogger(__name__)


class Hints:
    """Collects hints during a turn of the event loop and writes them afterwards."""

    def __init__(
        self, cache: SessionCache, topic: str, partitions: int, clock: Clock, dropped: Callable[[int], None]
    ) -> None:
        self._cache, self._clock, self._dropped = cache, clock, dropped
        self._channel, self._partitions = wake_channel(topic), partitions
        self._woken: set[int] = set()
        self._deadlines: dict[str, Deadlines | None] = {}
        self._something = asyncio.Event()

    def committed(self, match_id: str) -> None:
        """A match has a new commit."""
        self._woken.add(partition_of(match_id, self._partitions))
        self._something.set()

    def deadlines(self, match_id: str, deadlines: Deadlines | None) -> None:
        """A match that is played by the clock has these deadlines now; None: no longer any."""
        if match_id not in self._deadlines and len(self._deadlines) >= WAITING:
            self._dropped(1)
            return
        self._deadlines[match_id] = deadlines
        self._something.set()

    async def run(self) -> None:
        """Write hints, for ever."""
        while True:
            await self._something.wait()
            self._something.clear()
            await self.flush()

    async def flush(self) -> None:
        """Write what is there. What the cache doesn't take is dropped."""
        woken, self._woken = self._woken, set()
        deadlines, self._deadlines = self._deadlines, {}
        try:
            # Deadlines first: whoever is woken finds them.
            items = list(deadlines.items())
            for begin in range(0, len(items), AT_ONCE):
                await asyncio.gather(*(self._write(*item) for item in items[begin : begin + AT_ONCE]))
            if woken:
                await self._cache.wake(self._channel, partitions_hint(woken))
        except CacheUnavailable as error:
            self._dropped(len(deadlines) + bool(woken))
            logger.debug("hints dropped: %s", error)

    async def _write(self, match_id: str, deadlines: Deadlines | None) -> None:
        key = deadlines_key(match_id)
        if deadlines is None:
            await self._cache.delete(key)
            return
        left_ms = max(deadlines.at_ms.values()) - self._clock.now_ms() + KEPT_AFTER_MS
        await self._cache.put(key, deadlines.dump(), min(max(left_ms, KEPT_AFTER_MS), LONGEST_TTL_MS))
