"""Repeating what is unknown (protocol, "Answers"): the same request, the same id, capped exponential delay.

While the log is away repeating helps nobody: whoever waits is told within a second or so, and asks again later.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import grpc

from ludolog.hosting.errors import LOG_UNAVAILABLE, Told, Unavailable, told

T = TypeVar("T")
FIRST_S = 0.02
MOST_S = 1.0
# These say nothing about whether the command counts. Everything else is an answer.
UNKNOWN = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})
LOG_PATIENCE_S = 1.0
"""So long it is asked again after the first answer that the log is away: another instance may reach it."""
LOG_PAUSE_MS = 200


def delay_s(attempt: int, hint_ms: int | None = None, most_s: float = MOST_S) -> float:
    """Pause after attempt `attempt` (from 1): in the upper half of a doubling bound, at least the server's hint."""
    bound: float = min(most_s, FIRST_S * 2**attempt)
    return max(bound * random.uniform(0.5, 1.0), min((hint_ms or 0) / 1000, most_s))  # noqa: S311 - jitter, not a secret


class Attempts:
    """Decides whether a request goes out again, and when. For one request, until its deadline."""

    def __init__(self, timeout_s: float, most_s: float = MOST_S) -> None:
        """`timeout_s` from now on; pauses up to `most_s`."""
        self._loop = asyncio.get_running_loop()
        self._deadline = self._no_more_s = self._loop.time() + timeout_s
        self._most_s = most_s
        self._tries = 0

    @property
    def left_s(self) -> float:
        """What is left, in seconds; never 0."""
        return max(0.001, self._deadline - self._loop.time())

    def pause_s(self, answer: Told) -> float | None:
        """The pause before the next attempt; None where there is none: it is an answer, or the time is over."""
        self._tries += 1
        hint_ms = answer.retry_after_ms
        if answer.reason == LOG_UNAVAILABLE:
            # What is under way by then may still bring an answer.
            self._no_more_s = min(self._no_more_s, self._loop.time() + LOG_PATIENCE_S)
            hint_ms = min(hint_ms or 0, LOG_PAUSE_MS)
        pause = delay_s(self._tries, hint_ms, self._most_s)
        if answer.code not in UNKNOWN or self._loop.time() + pause >= self._no_more_s:
            return None
        return pause


async def repeated(attempt: Callable[[float], Awaitable[T]], timeout_s: float, most_s: float = MOST_S) -> T:
    """Call `attempt(seconds left)` until it answers, for at most `timeout_s`, with pauses up to `most_s`.

    Raises the last error once the time is over.
    """
    attempts = Attempts(timeout_s, most_s)
    while True:
        try:
            return await attempt(attempts.left_s)
        except grpc.aio.AioRpcError as error:
            pause = attempts.pause_s(told(error))
            if pause is None:
                raise
        except Unavailable as error:
            pause = attempts.pause_s(Told(error.code, error.message, error.reason, retry_after_ms=error.retry_after_ms))
            if pause is None:
                raise
        await asyncio.sleep(pause)
