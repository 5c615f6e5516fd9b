"""Load in turns: lanes that do one thing after the other while a gate is open, and how much they did meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

Lane = Callable[["Gate"], Awaitable[None]]


class OutOfWork(Exception):
    """A lane has ended: what would be measured now is less than all lanes."""


class Gate:
    """Closed between the slices of a measurement. Lanes wait before each thing they do and count it afterwards."""

    def __init__(self) -> None:
        self.count = 0
        self.took_s: list[float] = []
        self._open = asyncio.Event()

    async def passed(self) -> float:
        """Wait for the gate; when it was passed, on the clock of `did`."""
        if not self._open.is_set():
            await self._open.wait()
        return time.perf_counter()

    def did(self, since: float) -> None:
        """One more thing is done that began then."""
        self.count += 1
        self.took_s.append(time.perf_counter() - since)

    async def slice(self, seconds: float, lanes: Sequence[asyncio.Task[None]]) -> float:
        """Open for so long, or until a lane ends; return how much was done a second."""
        before, began = self.count, time.perf_counter()
        self._open.set()
        await asyncio.wait(lanes, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        self._open.clear()
        return (self.count - before) / (time.perf_counter() - began)


class Load:
    """Lanes at work, until one of them has nothing left to do."""

    def __init__(self, lanes: int, lane: Lane) -> None:
        self.gate = Gate()
        self._lane = lane
        self._lanes = lanes
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        """Start the lanes: they wait at the gate."""
        self._tasks = [asyncio.ensure_future(self._lane(self.gate)) for _ in range(self._lanes)]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Stop them."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def slice(self, seconds: float) -> float:
        """What the lanes do a second. Raises what a lane failed with; OutOfWork where one was at its end before."""
        if any(task.done() for task in self._tasks):
            raise OutOfWork
        rate = await self.gate.slice(seconds, self._tasks)
        for task in self._tasks:
            if task.done():
                task.result()
        return rate


async def in_turns(ours: Load, other: Load, slices: int, seconds: float) -> list[tuple[float, float]]:
    """Rates of both, slice by slice, after one slice of each that isn't counted; at least one, as far as work goes."""
    await ours.slice(seconds / 2)
    await other.slice(seconds / 2)
    rates = [(await ours.slice(seconds), await other.slice(seconds))]
    with suppress(OutOfWork):
        while len(rates) < slices:
            rates.append((await ours.slice(seconds), await other.slice(seconds)))
    return rates
