"""The near end of a partition, in memory: readers that keep up never touch the file."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import islice

from ludolog.eventlog.port import OutOfRange, Stored

TAIL_RECORDS = 1024
TAIL_BYTES = 1024 * 1024


class Partition:
    """What the loop knows of a partition. Its `end` moves in the same step in which appends are acknowledged."""

    def __init__(self, name: str, end: int) -> None:
        """Begin with an end and nothing in memory. `name` is for messages."""
        self.name = name
        self.end = end
        self._tail: deque[Stored] = deque()
        self._tail_bytes = 0
        self._waiting: set[asyncio.Future[None]] = set()

    def add(self, stored: Stored) -> None:
        """A record was stored at the end."""
        self.end = stored.offset + 1
        self._tail.append(stored)
        self._tail_bytes += len(stored.value or b"")
        while self._tail_bytes > TAIL_BYTES or len(self._tail) > TAIL_RECORDS:
            self._tail_bytes -= len(self._tail.popleft().value or b"")
        self._wake()

    def reset(self, end: int) -> None:
        """The file was read again: this is its end now."""
        if end != self.end:
            self.end = end
            self._tail.clear()
            self._tail_bytes = 0
            self._wake()

    def check(self, offset: int) -> None:
        """OutOfRange unless a record is at that offset, or the next one will be."""
        if not 0 <= offset <= self.end:
            raise OutOfRange(f"{self.name}: offset {offset}, and the log ends at {self.end}")

    def recent(self, offset: int, limit: int) -> list[Stored] | None:
        """Up to `limit` records from an offset on; None where memory doesn't go back so far."""
        if offset == self.end:
            return []
        if not self._tail or offset < self._tail[0].offset:
            return None
        skipped = offset - self._tail[0].offset
        return list(islice(self._tail, skipped, skipped + limit))

    async def grown(self, offset: int) -> None:
        """Wait until there is a record at the offset."""
        while self.end <= offset:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)

    def close(self, error: Exception) -> None:
        """Nothing will come any more: whoever waits gets the error."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(error)

    def _wake(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
