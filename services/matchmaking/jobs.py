"""Work that is repeated until it has a definite answer, for streams of the partitions that are served here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import grpc

from ludolog.eventlog.answers import NotOwner, Unavailable
from ludolog.eventlog.port import LogError
from ludolog.hosting import ApiError

Key: TypeAlias = tuple[str, str]
"""What is to be done, and for which stream or table."""
Work: TypeAlias = Callable[[], Awaitable[None]]

AT_ONCE = 32
FIRST_S, LONGEST_S = 0.05, 30.0
logger = logging.getLogger(__name__)


class Jobs:
    """At most one job for a key, so many at once. A job ends when its work returns; there is no giving up."""

    def __init__(self, first_s: float = FIRST_S) -> None:
        self._first_s = first_s
        self._room = asyncio.Semaphore(AT_ONCE)
        self._tasks: dict[Key, tuple[int, asyncio.Task[None]]] = {}
        self.repeats = 0

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, key: Key, partition: int, work: Work) -> None:
        """Begin a job, unless it is under way."""
        if key not in self._tasks:
            task = asyncio.create_task(self._run(key, work))
            self._tasks[key] = partition, task
            task.add_done_callback(lambda done: self._ended(key, done))

    def drop(self, partition: int) -> None:
        """Somebody else does the jobs of a partition now. What was sent stays sent."""
        for key, (number, task) in list(self._tasks.items()):
            if number == partition:
                del self._tasks[key]
                task.cancel()

    async def close(self) -> None:
        """Give everything up."""
        tasks = [task for _, task in self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, key: Key, work: Work) -> None:
        wait_s = self._first_s
        while True:
            try:
                async with self._room:
                    await work()
                return
            except (NotOwner, Unavailable, LogError, ApiError, grpc.aio.AioRpcError, TimeoutError) as error:
                why = error.code().name if isinstance(error, grpc.aio.AioRpcError) else type(error).__name__
                logger.info("%s of %s goes on: %s", *key, why)
            except Exception:
                logger.exception("%s of %s goes on", *key)
            self.repeats += 1
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_S)

    def _ended(self, key: Key, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key, (0, None))[1] is task:
            del self._tasks[key]
