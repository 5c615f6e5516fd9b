"""Streams end when the process is told to stop, so that nobody waits for them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.hosting import Host, Platform, Service, Settings
from ludolog.hosting.errors import Told, told
from ludolog.hosting.guard import Guard
from ludolog.sessions.memory import MemoryCache
from tests.unit.hosting.conftest import Echo, Stub, register

STOPPED_S = 1.0


async def drop(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def ended(call: Any) -> Told:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await drop(call)
    return told(caught.value)


async def test_streams_end_with_a_hint_and_calls_go_on(stub: Stub, echo: Echo, guard: Guard) -> None:
    call = stub.down(b"1 wait")
    assert await call.read() == b"0"
    await echo.started.wait()
    guard.streams.drain()
    answers = [await ended(call), await ended(stub.down(b"1 wait"))]
    assert [(answer.code, answer.reason) for answer in answers] == [(grpc.StatusCode.UNAVAILABLE, "STOPPING")] * 2
    assert all(answer.retry_after_ms is not None for answer in answers)
    assert await stub.unary(b"x") == b"x"


@pytest.mark.parametrize("request_", [b"1 wait", b"100000000"], ids=["waits for news", "waits for its reader"])
async def test_a_stop_doesnt_wait_for_streams(tmp_path: Path, request_: bytes) -> None:
    async def bind(host: Host) -> None:
        register(host.public_server, Echo())

    settings = Settings(data=tmp_path, gateway_port=0, drain_s=30)
    platform = await Platform.create(settings, cache=MemoryCache(), needs_log=False)
    await platform.add(Service("gateway", bind))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{platform.ports['gateway_port']}") as channel:
        calls = [Stub(channel).down(request_) for _ in range(3)]
        for call in calls:
            assert await call.read() == b"0"
        begun = time.monotonic()
        await platform.close()
        took = time.monotonic() - begun
        for call in calls:
            call.cancel()
    assert took < STOPPED_S
