"""How long calls from outside wait before any of our code sees them.

grpc.aio takes calls off its queue one at a time, as fast as the event loop turns: under load they wait there, where
no counter of ours sees them. So one of our own goes in by the same door every so often, and is timed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from tempfile import TemporaryDirectory

import grpc

Call = Callable[[], Awaitable[object]]
EVERY_S = 0.25
HASTE = 5
"""While calls wait, canaries follow each other so many times quicker."""


class Canary:
    """Sends `call` again and again while `fly` runs; `wait_s` is what a call takes now."""

    def __init__(self, call: Call, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._call = call
        self._monotonic = monotonic
        self._before_s = self._last_s = 0.0
        self._out_since: float | None = None

    @property
    def wait_s(self) -> float:
        """Seconds: the shorter of the last two times, or half of what the next one takes already.

        One pause of the process is no queue.
        """
        out_s = 0.0 if self._out_since is None else self._monotonic() - self._out_since
        return max(min(self._before_s, self._last_s), out_s / 2)

    async def fly(self, slow_s: float) -> None:
        """For ever. `slow_s`: from then on calls wait."""
        while True:
            self._out_since = self._monotonic()
            with contextlib.suppress(grpc.aio.AioRpcError):
                await self._call()
            self._before_s, self._last_s = self._last_s, self._monotonic() - self._out_since
            self._out_since = None
            await asyncio.sleep(EVERY_S / HASTE if self.wait_s > slow_s else EVERY_S)


@contextlib.asynccontextmanager
async def back_door(server: grpc.aio.Server) -> AsyncIterator[Call]:
    """What a canary calls: a method that nobody serves, refused as soon as it is taken off the queue.

    It goes through a socket that only this user can open. Enter before the server starts.
    """
    with TemporaryDirectory(prefix="ludolog-") as folder:
        address = f"unix:{folder}/door"
        server.add_insecure_port(address)
        async with grpc.aio.insecure_channel(address) as channel:
            nobodys: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/canary")
            yield lambda: nobodys(b"")
