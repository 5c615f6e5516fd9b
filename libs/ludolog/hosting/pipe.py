"""A bounded queue between two sides of an in-process stream; closing it wakes both."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class PipeClosed(Exception):
    """Nobody reads this pipe any more."""


class Pipe(Generic[T]):
    """Items in order, at most `bound` of them waiting. One reader; writers wait while it is full."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._items: deque[T] = deque()
        self._closed = False
        self._reader: asyncio.Future[None] | None = None
        self._writers: deque[asyncio.Future[None]] = deque()

    async def put(self, item: T) -> None:
        """Add an item, waiting for room. PipeClosed where nobody will read it."""
        while len(self._items) >= self._bound and not self._closed:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._writers.append(waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                # The room that this writer was told of belongs to the next one.
                if waiter.done() and not waiter.cancelled():
                    self._wake_writer()
                raise
        if self._closed:
            raise PipeClosed
        self._items.append(item)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def get(self) -> T:
        """Take the next item, waiting for it. PipeClosed once it is closed and empty."""
        while not self._items:
            if self._closed:
                raise PipeClosed
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        item = self._items.popleft()
        self._wake_writer()
        return item

    def close(self, *, drop: bool = False) -> None:
        """Let nothing more in; `drop` also throws away what waits."""
        self._closed = True
        if drop:
            self._items.clear()
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
        while self._writers:
            self._wake_writer()

    def _wake_writer(self) -> None:
        while self._writers:
            waiter = self._writers.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
