"""The near end of a partition, in memory: readers that keep up read from here."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import islice

from ludolog.eventlog.port import LogError, OutOfRange, Stored

TAIL_RECORDS = 1024
TAIL_BYTES = 1024 * 1024

Place = tuple[str, int]
"""Topic and partition."""


class Tail:
    """The last records of a partition, one for every offset, and who waits for the next. Belongs to one event loop."""

    def __init__(self, place: Place, end: int) -> None:
        """Begin with an end, the offset of the next record, and nothing in memory."""
        self.name = f"{place[0]}/{place[1]}"
        self.end = end
        self._records: deque[Stored] = deque()
        self._bytes = 0
        self._waiting: set[asyncio.Future[None]] = set()
        self._failure: LogError | None = None

    def add(self, stored: Stored) -> None:
        """A record follows."""
        if stored.offset != self.end:
            self._clear()
        self.end = stored.offset + 1
        self._records.append(stored)
        self._bytes += len(stored.value or b"")
        while self._bytes > TAIL_BYTES or len(self._records) > TAIL_RECORDS:
            self._bytes -= len(self._records.popleft().value or b"")
        self._wake()

    def reset(self, end: int) -> None:
        """The log was looked at anew, and this is its end."""
        if end != self.end:
            self.end = end
            self._clear()
            self._wake()

    def check(self, offset: int) -> None:
        """OutOfRange unless a record is at that offset, or the next one will be."""
        if not 0 <= offset <= self.end:
            raise OutOfRange(f"{self.name}: offset {offset}, and the log ends at {self.end}")

    def recent(self, offset: int, limit: int) -> list[Stored] | None:
        """Up to `limit` records from an offset on; None where memory doesn't go back so far."""
        if offset >= self.end:
            return []
        if not self._records or offset < self._records[0].offset:
            return None
        # From the right: readers that keep up want the last few, and a deque is walked from its nearer end.
        newest = list(islice(reversed(self._records), self.end - offset))
        newest.reverse()
        return newest[:limit]

    async def grown(self, offset: int) -> None:
        """Wait until there is a record at the offset. Raises what `close` was given."""
        while self._failure is None and self.end <= offset:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.add(waiter)
            try:
                await waiter
            finally:
                self._waiting.discard(waiter)
        if self._failure is not None:
            raise self._failure

    def close(self, failure: LogError) -> None:
        """Nothing will come any more: whoever waits, now or later, gets the error."""
        self._failure = failure
        self._wake()

    def _clear(self) -> None:
        self._records.clear()
        self._bytes = 0

    def _wake(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
