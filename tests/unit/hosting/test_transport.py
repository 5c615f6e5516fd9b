"""Connections to other services."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from ludolog.hosting import Settings, transport


async def test_an_address_that_nobody_calls_any_more_is_left_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "UNUSED_MS", 1000)
    listener = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with transport.open_channel(f"127.0.0.1:{port}", settings, "engine") as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/test.Echo/Unary")
        with pytest.raises(grpc.aio.AioRpcError):
            await call(b"", timeout=5)
        async with asyncio.timeout(30):
            while (state := channel.get_state()) is not grpc.ChannelConnectivity.IDLE:
                await channel.wait_for_state_change(state)
    listener.close()
    await listener.wait_closed()
