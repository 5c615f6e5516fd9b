"""Many callers on one stream: requests are handled side by side, answers go out as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


async def multiplex(
    requests: AsyncIterator[Q], handle: Callable[[Q], Awaitable[A]], limit: int
) -> AsyncGenerator[A, None]:
    """Handle up to `limit` requests at once, those whose answer nobody has taken yet included; `handle` never raises.

    Requests begin in their order. Ends when the requests have ended and all is answered. If `requests` raises, or
    whoever takes the answers leaves early, what is under way is cancelled.
    """
    room = asyncio.Semaphore(limit)
    answers: asyncio.Queue[A | None] = asyncio.Queue()
    tasks: set[asyncio.Task[None]] = set()

    async def answer(request: Q) -> None:
        answers.put_nowait(await handle(request))

    async def read() -> None:
        try:
            await room.acquire()
            async for request in requests:
                task = asyncio.create_task(answer(request))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                await room.acquire()
            if tasks:
                await asyncio.wait(tasks)
        finally:
            answers.put_nowait(None)

    reader = asyncio.create_task(read())
    try:
        while (item := await answers.get()) is not None:
            yield item
            room.release()
        await reader
    finally:
        under_way = [reader, *tasks]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
