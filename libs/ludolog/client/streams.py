"""Update streams that outlive their connections: every sequence number once, in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import grpc

from ludolog.api.match.v1 import match_pb2
from ludolog.client.connection import is_temporary, pause_s
from ludolog.client.errors import ApiError, OutOfRange, Unavailable, from_call

Open = Callable[[int], Awaitable[Any]]


class Progress:
    """Where a stream stands, and how long it has been getting nowhere."""

    def __init__(self, from_sequence: int, patience_s: float) -> None:
        self.following = from_sequence
        """The number to ask for next."""
        self._began = from_sequence
        self._patience_s = patience_s
        self._tries = 0
        self._moved = asyncio.get_running_loop().time()

    def is_new(self, update: match_pb2.Update) -> bool:
        """Note an update; False for one that was there already."""
        if update.sequence < self.following:
            return False
        self._tries, self._moved = 0, asyncio.get_running_loop().time()
        self.following = update.sequence + 1
        return True

    async def pause(self, failed: grpc.aio.AioRpcError) -> None:
        """Wait before the next attempt. Raises the error where another one wouldn't help, or patience is at its end."""
        error = from_call(failed)
        # A server that has told more than it knows of now is catching up.
        behind = isinstance(error, OutOfRange) and self.following > self._began
        if not (behind or is_temporary(error)):
            raise error from failed
        if asyncio.get_running_loop().time() - self._moved > self._patience_s:
            raise self._lost(error) from failed
        self._tries += 1
        await asyncio.sleep(pause_s(self._tries, error.retry_after_s))

    def _lost(self, error: ApiError) -> ApiError:
        return Unavailable(
            f"the stream can't be resumed at {self.following}: {error.message}", code=error.code, reason=error.reason
        )


async def resumed(open_call: Open, from_sequence: int, patience_s: float) -> AsyncGenerator[match_pb2.Update, None]:
    """Updates over as many calls as it takes. `open_call(number)` opens one. Close the generator to let go."""
    progress = Progress(from_sequence, patience_s)
    while True:
        call = await open_call(progress.following)
        try:
            async for update in call:
                if progress.is_new(update):
                    yield update
            return
        except grpc.aio.AioRpcError as failed:
            error = failed
        finally:
            call.cancel()
        await progress.pause(error)
