"""How long calls wait in line, as a canary finds it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

import grpc
import pytest

from ludolog.hosting import TooMuch
from ludolog.hosting.canary import Canary, back_door
from ludolog.hosting.clock import SystemClock
from ludolog.hosting.limits import Admission, Limiter
from ludolog.hosting.settings import load
from ludolog.sessions.memory import MemoryCache


class Line:
    """A line in which each call waits as long as it is told; its clock moves by nothing else."""

    def __init__(self, *waits_s: float) -> None:
        self.now_s = 0.0
        self._waits_s: Iterable[float] = iter(waits_s)
        self.out: asyncio.Event = asyncio.Event()
        self.answer: asyncio.Event = asyncio.Event()

    async def call(self) -> None:
        for wait_s in self._waits_s:
            self.now_s += wait_s
            return
        self.out.set()
        await self.answer.wait()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludolog.hosting.canary.EVERY_S", 0.0)


async def flown(line: Line) -> AsyncIterator[Canary]:
    canary = Canary(line.call, lambda: line.now_s)
    flight = asyncio.create_task(canary.fly(0.5))
    await line.out.wait()
    yield canary
    flight.cancel()


@pytest.mark.parametrize(
    ("waits_s", "out_s", "found_s"),
    [
        pytest.param([0.01, 0.02], 0.0, 0.01, id="nobody waits"),
        pytest.param([0.01, 3.0], 0.0, 0.01, id="one pause is no queue"),
        pytest.param([3.0, 2.0], 0.0, 2.0, id="two are"),
        pytest.param([3.0, 2.0, 0.01], 0.0, 0.01, id="the queue is gone"),
        pytest.param([0.01, 0.01], 4.0, 2.0, id="one that doesn't come back"),
    ],
)
async def test_what_calls_wait(waits_s: list[float], out_s: float, found_s: float) -> None:
    line = Line(*waits_s)
    async for canary in flown(line):
        line.now_s += out_s
        assert canary.wait_s == pytest.approx(found_s)


def test_nobody_is_let_in_while_calls_wait_too_long() -> None:
    limiter = Limiter(MemoryCache(lambda: 0.0), SystemClock(), lambda _, coro: coro.close(), shared=False)
    door = Admission(load({"LUDOLOG_BUSY_WAIT_MS": "200"}), limiter)
    waits_s = [0.2]
    door.wait_s = lambda: waits_s[0]
    with door.busy("Method"):
        waits_s[0] = 0.201
        with pytest.raises(TooMuch) as caught, door.busy("Method"):
            pass
    assert caught.value.reason == "OVERLOADED"
    assert caught.value.retry_after_ms


async def test_the_back_door_leads_to_the_queue_of_the_server() -> None:
    server = grpc.aio.server()
    async with back_door(server) as call:
        await server.start()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call()
        await server.stop(None)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
