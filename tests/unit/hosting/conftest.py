"""A server with all four kinds of methods, called in-process and over a socket: what holds for one holds for both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.hosting import Keyring, LocalChannel, LocalServer, Metrics, Settings, SystemClock, authorisation, caller
from ludolog.hosting.guard import Guard
from ludolog.hosting.identity import load_keyring
from ludolog.kernel import Refusal
from tests.infra.lines import heard, lines

__all__ = ["heard", "lines"]

SERVICE = "test.Echo"


class Echo:
    """Echoes, fails and waits as it is told to; remembers what was cancelled."""

    def __init__(self) -> None:
        self.cancelled = asyncio.Event()
        self.started = asyncio.Event()
        self.sent = 0
        self.metadata: dict[str, Any] = {}

    async def unary(self, request: bytes, context: Any) -> bytes:
        self.metadata = dict(context.invocation_metadata())
        match request:
            case b"wait":
                await self._wait()
            case b"refuse":
                raise Refusal("NOT_KEY_PLAYER", "Gameplay 1", expected_seat=3, late=True)
            case b"bug":
                raise ZeroDivisionError("secret detail")
            case b"who":
                return f"{caller().player_id}|{caller().sender}|{caller().display_name}".encode()
            case b"left":
                return str(context.time_remaining()).encode()
            case b"trailing":
                context.set_trailing_metadata((("x-count", "7"), ("x-blob-bin", b"\x00\xff")))
        return request

    async def _wait(self) -> None:
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def down(self, request: bytes, context: Any) -> AsyncIterator[bytes]:
        for number in range(int(request.split()[0])):
            self.sent += 1
            yield str(number).encode()
        if b"refuse" in request:
            raise Refusal("NOT_KEY_PLAYER", "Gameplay 1")
        if b"wait" in request:
            await self._wait()

    async def up(self, requests: AsyncIterator[bytes], context: Any) -> bytes:
        return b",".join([request async for request in requests])

    async def both(self, requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        async for request in requests:
            if request == b"wait":
                await self._wait()
            yield request.upper()


class Stub:
    """The callables of Echo on a channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.unary: Any = channel.unary_unary(f"/{SERVICE}/Unary")
        self.down: Any = channel.unary_stream(f"/{SERVICE}/Down")
        self.up: Any = channel.stream_unary(f"/{SERVICE}/Up")
        self.both: Any = channel.stream_stream(f"/{SERVICE}/Both")
        self.none: Any = channel.unary_unary(f"/{SERVICE}/None")


def register(server: grpc.aio.Server, echo: Echo) -> None:
    handlers: dict[str, Any] = {
        "Unary": grpc.unary_unary_rpc_method_handler(echo.unary),
        "Down": grpc.unary_stream_rpc_method_handler(echo.down),
        "Up": grpc.stream_unary_rpc_method_handler(echo.up),
        "Both": grpc.stream_stream_rpc_method_handler(echo.both),
    }
    server.add_registered_method_handlers(SERVICE, handlers)


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods that are made up here are for anybody."""
    for service in ("Echo", "Outer", "Only", "Front", "Slow", "Engine", "Watch", "Text"):
        monkeypatch.setitem(authorisation.RULES, f"/test.{service}/*", authorisation.ANYBODY)


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def keys(tmp_path: Path) -> Keyring:
    return load_keyring(tmp_path / "identity.pem", SystemClock(), embedded=True)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def guard(keys: Keyring, metrics: Metrics, settings: Settings) -> Guard:
    return Guard("test", keys, metrics, settings, public=False)


@pytest.fixture
async def server(guard: Guard) -> LocalServer:
    return LocalServer(guard.wrap, request_bytes=1 << 20)


@pytest.fixture
async def echo(server: LocalServer) -> Echo:
    echo = Echo()
    register(server, echo)
    return echo


@pytest.fixture(params=["in-process", "socket"])
async def stub(request: pytest.FixtureRequest, server: LocalServer, echo: Echo) -> AsyncIterator[Stub]:
    if request.param == "in-process":
        async with LocalChannel(server) as local:
            yield Stub(local)
        return
    listening = grpc.aio.server(options=(("grpc.max_receive_message_length", 1 << 20),))
    listening.add_generic_rpc_handlers((server.generic_handler(),))
    port = listening.add_insecure_port("127.0.0.1:0")
    await listening.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Stub(channel)
    await listening.stop(None)
