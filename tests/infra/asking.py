"""A clock that tests move, and what callers who are refused are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import grpc

from ludolog.hosting.errors import Told, told


@dataclass
class SimulatedClock:
    """A clock that stands still until it is moved; `since_ms`: Unix time at its second 0."""

    seconds: float = 1000.0
    since_ms: int = 1_800_000_000_000

    def now_ms(self) -> int:
        return self.since_ms + int(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds


async def refused(call: Any) -> Told:
    """The error that a call or a stream gets. AssertionError where it gets none."""
    try:
        answer = [each async for each in call] if hasattr(call, "__aiter__") else await call
    except grpc.aio.AioRpcError as error:
        return told(error)
    raise AssertionError(f"it was accepted: {answer}")


async def refused_for(call: Any) -> tuple[grpc.StatusCode, str]:
    """Status and reason for which a call or a stream is refused. AssertionError where it isn't."""
    error = await refused(call)
    return error.code, error.reason
