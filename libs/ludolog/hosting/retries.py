"""Repeating what is unknown (protocol, "Answers"): the same request, the same id, capped exponential delay."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc

from ludolog.hosting.errors import Unavailable, told

T = TypeVar("T")
FIRST_S = 0.02
MOST_S = 1.0
# These say nothing about whether the command counts. Everything else is an answer.
UNKNOWN = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})


def is_unknown(error: grpc.aio.AioRpcError) -> bool:
    """True where the answer means "unknown, repeat with the same id"."""
    return told(error).code in UNKNOWN


def delay_s(attempt: int, hint_ms: int | None = None, most_s: float = MOST_S) -> float:
    """Pause after attempt `attempt` (from 1): in the upper half of a doubling bound, at least the server's hint."""
    bound: float = min(most_s, FIRST_S * 2**attempt)
    return max(bound * random.uniform(0.5, 1.0), min((hint_ms or 0) / 1000, most_s))  # noqa: S311 - jitter, not a secret


async def repeated(attempt: Callable[[float], Awaitable[T]], timeout_s: float, most_s: float = MOST_S) -> T:
    """Call `attempt(seconds left)` until it answers, for at most `timeout_s`, with pauses up to `most_s`.

    Raises the last error once the time is over.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    tries = 0
    while True:
        try:
            return await attempt(max(0.001, deadline - loop.time()))
        except grpc.aio.AioRpcError as error:
            pause = delay_s(tries := tries + 1, told(error).retry_after_ms, most_s)
            if not is_unknown(error) or loop.time() + pause >= deadline:
                raise
        except Unavailable as error:
            pause = delay_s(tries := tries + 1, error.retry_after_ms, most_s)
            if loop.time() + pause >= deadline:
                raise
        await asyncio.sleep(pause)
