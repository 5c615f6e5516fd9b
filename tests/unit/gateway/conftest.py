"""The real gateway on an embedded platform; behind it services that do as the test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.api.engine.v1 import engine_pb2, engine_pb2_grpc
from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc, players_pb2, players_pb2_grpc, tables_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.hosting import (
    Host,
    OutOfRange,
    Platform,
    Service,
    Settings,
    Unavailable,
    errors,
    names,
    require_player,
)
from ludolog.kernel import Refusal
from ludolog.sessions.memory import MemoryCache
from services.gateway.service import bind

MATCH = "tempel-" + "a2" * 13
NAME = f"matches/{MATCH}"
RULEBOOK = "tempel_des_schreckens"


class Spectator:
    """A match whose updates the test makes; streams can be broken."""

    def __init__(self) -> None:
        self.head = 0
        self.over = False
        self.streams: list[tuple[int, str]] = []
        """(from_sequence, player) of each stream that was opened."""
        self.open = 0
        self.generation = 0
        self.failure: Exception = Unavailable("restarting")
        self._news = asyncio.Event()

    def commit(self, count: int = 1, *, over: bool = False) -> None:
        self.head += count
        self.over = over
        self._wake()

    def break_streams(self, error: Exception | None = None) -> None:
        self.failure = error or Unavailable("restarting", retry_after_ms=0)
        self.generation += 1
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def Watch(self, request: play_pb2.WatchRequest, context: Any) -> AsyncIterator[match_pb2.Update]:  # noqa: N802
        _, seat = names.audience_of(request.name)
        player = require_player().player_id if seat else ""
        self.streams.append((request.from_sequence, player))
        if request.from_sequence > self.head + 1:
            raise OutOfRange("beyond the end")
        self.open += 1
        generation, following = self.generation, request.from_sequence or self.head
        snapshot = not request.from_sequence
        try:
            while True:
                while following <= self.head:
                    yield match_pb2.Update(sequence=following, snapshot=snapshot)
                    following, snapshot = following + 1, False
                if self.over:
                    return
                if generation == self.generation:
                    await self._news.wait()
                if generation != self.generation:
                    raise self.failure
        finally:
            self.open -= 1


class Engine(engine_pb2_grpc.EngineServiceServicer):
    """Counts commands; answers as the test says."""

    def __init__(self, spectator: Spectator) -> None:
        self.receipts: dict[str, int] = {}
        self.attempts: list[tuple[str, str]] = []
        self.failures: list[Exception] = []
        self.spectator = spectator

    def _judge(self, player: str, request: play_pb2.SubmitCommandRequest) -> play_pb2.Receipt:
        self.attempts.append((player, request.command_id))
        if self.failures:
            raise self.failures.pop(0)
        if request.command_id not in self.receipts:
            self.spectator.commit()
            self.receipts[request.command_id] = self.spectator.head
        return play_pb2.Receipt(match=NAME, sequence=self.receipts[request.command_id], command_id=request.command_id)

    async def SubmitCommand(self, request: play_pb2.SubmitCommandRequest, context: Any) -> play_pb2.Receipt:  # noqa: N802
        return self._judge(require_player().player_id, request)

    async def SubmitCommands(self, request_iterator: Any, context: Any) -> Any:  # noqa: N802
        async for request in request_iterator:
            answer = engine_pb2.SubmitCommandsResponse(correlation_id=request.correlation_id)
            try:
                answer.receipt.CopyFrom(self._judge(request.player_id, request.submit))
            except ConnectionResetError:
                raise Unavailable("killed") from None
            except Exception as error:  # noqa: BLE001 - as the engine does
                answer.status.CopyFrom(errors.status_of(error, "engine"))
            yield answer

    async def CreateMatch(self, request: Any, context: Any) -> Any: ...  # noqa: N802
    async def ListLegalCommands(self, request: Any, context: Any) -> Any: ...  # noqa: N802
    async def GetView(self, request: Any, context: Any) -> Any: ...  # noqa: N802
    async def Resign(self, request: Any, context: Any) -> Any: ...  # noqa: N802
    async def AbortMatch(self, request: Any, context: Any) -> Any: ...  # noqa: N802


class World:
    """The gateway and what is behind it."""

    def __init__(self, platform: Platform, spectator: Spectator, engine: Engine) -> None:
        self.platform = platform
        self.spectator = spectator
        self.engine = engine
        self.channel = platform.channel("gateway")
        self.players = players_pb2_grpc.PlayerServiceStub(self.channel)
        self.play = play_pb2_grpc.PlayServiceStub(self.channel)
        self.watch = play_pb2_grpc.WatchServiceStub(self.channel)

    async def sign_in(self, name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """(player id, metadata) of a new guest."""
        response = await self.players.SignInGuest(players_pb2.SignInGuestRequest(display_name=name))
        return response.player.name.removeprefix("players/"), (("authorization", f"Bearer {response.token}"),)


@pytest.fixture
def spectator() -> Spectator:
    return Spectator()


@pytest.fixture
def engine(spectator: Spectator) -> Engine:
    return Engine(spectator)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, gateway_port=0, call_timeout_s=2, client_queue=8, drain_s=0)


@pytest.fixture
async def world(settings: Settings, spectator: Spectator, engine: Engine) -> AsyncIterator[World]:
    async def spectate(host: Host) -> None:
        watch: Any = grpc.unary_stream_rpc_method_handler(
            spectator.Watch, play_pb2.WatchRequest.FromString, match_pb2.Update.SerializeToString
        )
        host.server.add_registered_method_handlers("ludolog.api.spectator.v1.SpectatorService", {"Watch": watch})

    async def engines(host: Host) -> None:
        engine_pb2_grpc.add_EngineServiceServicer_to_server(engine, host.server)

    async def tables(host: Host) -> None:
        async def create(request: tables_pb2.CreateTableRequest, context: Any) -> tables_pb2.Table:
            if request.request_id == "full":
                raise Refusal("TABLE_FULL", "Platform")
            return tables_pb2.Table(name=f"tables/{MATCH}", host=f"players/{require_player().player_id}")

        handler: Any = grpc.unary_unary_rpc_method_handler(
            create, tables_pb2.CreateTableRequest.FromString, tables_pb2.Table.SerializeToString
        )
        service = "ludolog.api.matchmaking.v1.MatchmakingService"
        host.server.add_registered_method_handlers(service, {"CreateTable": handler})

    async with await Platform.create(settings, cache=MemoryCache(), needs_log=False) as platform:
        await platform.add(Service("spectator", spectate))
        await platform.add(Service("engine", engines, RULEBOOK))
        await platform.add(Service("matchmaking", tables))
        await platform.add(Service("gateway", bind))
        yield World(platform, spectator, engine)
