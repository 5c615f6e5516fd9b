"""A gateway on a real socket that loses streams, forgets answers and refuses, as it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_status import rpc_status

from ludolog.api.gateway.v1 import (
    play_pb2,
    play_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    replays_pb2,
    replays_pb2_grpc,
    tables_pb2,
    tables_pb2_grpc,
)
from ludolog.api.match.v1 import match_pb2
from ludolog.client import Client
from ludolog.hosting import LocalChannel, LocalServer, Unavailable, errors

END = 12


class Gateway:
    """A match of END updates; a stream is lost after `lose_after` responses, so many times as `losses` says."""

    def __init__(self) -> None:
        self.losses = 0
        self.lose_after = 3
        self.opened: list[int] = []
        self.open = 0
        self.receipts: dict[str, int] = {}
        self.attempts: list[str] = []
        self.forget_answers = 0
        self.failures: list[Exception] = []
        self.authorization: list[str] = []
        self.repeat_one = False
        self.requests: list[Any] = []
        self.commitment = b"promise"
        self.expire_s = 1_800_000_000 * 2

    async def _fail(self, context: Any) -> None:
        self.authorization.append(str(dict(context.invocation_metadata()).get("authorization", "")))
        if self.failures:
            await context.abort_with_status(rpc_status.to_status(errors.status_of(self.failures.pop(0), "gateway")))

    async def _updates(self, from_sequence: int, context: Any) -> AsyncIterator[match_pb2.Update]:
        await self._fail(context)
        self.opened.append(from_sequence)
        self.open += 1
        start = from_sequence or 1
        try:
            for sent, sequence in enumerate(range(start, END + 1)):
                if self.losses and sent == self.lose_after:
                    self.losses -= 1
                    raise Unavailable("lost", retry_after_ms=0)
                yield match_pb2.Update(sequence=sequence)
                if self.repeat_one:
                    yield match_pb2.Update(sequence=sequence)
        except Unavailable as error:
            await context.abort_with_status(rpc_status.to_status(errors.status_of(error, "gateway")))
        finally:
            self.open -= 1

    async def Watch(self, request: play_pb2.WatchRequest, context: Any) -> Any:  # noqa: N802
        async for update in self._updates(request.from_sequence, context):
            yield update

    async def StreamFrames(self, request: replays_pb2.StreamFramesRequest, context: Any) -> Any:  # noqa: N802
        async for update in self._updates(request.from_sequence, context):
            yield update

    async def ExportReplay(self, request: replays_pb2.ExportReplayRequest, context: Any) -> Any:  # noqa: N802
        yield replays_pb2.ExportReplayResponse(chunk=b"first,")
        await self._fail(context)
        yield replays_pb2.ExportReplayResponse(chunk=b"second")

    async def Play(self, requests: Any, context: Any) -> Any:  # noqa: N802
        await self._fail(context)
        opening = (await anext(requests)).open
        self.opened.append(opening.from_sequence)
        yield play_pb2.PlayResponse(update=match_pb2.Update(sequence=max(1, opening.from_sequence)))
        async for request in requests:
            self.attempts.append(request.submit.command_id)
            try:
                receipt = self._receipt(request.submit.command_id)
            except ConnectionResetError:
                lost = errors.status_of(Unavailable("lost", retry_after_ms=0), "gateway")
                await context.abort_with_status(rpc_status.to_status(lost))
            except Exception as error:  # noqa: BLE001 - in-band, as the gateway does
                refused = play_pb2.PlayResponse.Refused(command_id=request.submit.command_id)
                refused.status.CopyFrom(errors.status_of(error, "gateway"))
                yield play_pb2.PlayResponse(refused=refused)
            else:
                yield play_pb2.PlayResponse(receipt=receipt)
                yield play_pb2.PlayResponse(update=match_pb2.Update(sequence=receipt.sequence))
                if request.submit.decision_id == "last":
                    return

    def _receipt(self, command_id: str) -> play_pb2.Receipt:
        if self.failures:
            raise self.failures.pop(0)
        sequence = self.receipts.setdefault(command_id, len(self.receipts) + 2)
        if self.forget_answers:
            self.forget_answers -= 1
            raise ConnectionResetError
        return play_pb2.Receipt(sequence=sequence, command_id=command_id)

    async def SubmitCommand(self, request: play_pb2.SubmitCommandRequest, context: Any) -> Any:  # noqa: N802
        self.attempts.append(request.command_id)
        await self._fail(context)
        return self._receipt(request.command_id)

    async def SignInGuest(self, request: players_pb2.SignInGuestRequest, context: Any) -> Any:  # noqa: N802
        await self._fail(context)
        player = players_pb2.Player(name="players/p-ann", display_name=request.display_name)
        response = players_pb2.SignInResponse(token="token-1", player=player)
        response.expire_time.FromSeconds(self.expire_s)
        return response

    async def RefreshToken(self, request: players_pb2.RefreshTokenRequest, context: Any) -> Any:  # noqa: N802
        response = players_pb2.SignInResponse(token="token-2", player=players_pb2.Player(name="players/p-ann"))
        response.expire_time.FromSeconds(1_800_000_000 * 2)
        return response

    async def JoinTable(self, request: tables_pb2.JoinTableRequest, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        await self._fail(context)
        commitment = tables_pb2.CommitmentReceipt(match_id="tempel-x", commitment=self.commitment)
        return tables_pb2.Table(name=request.name, commitment=commitment)

    def register(self, server: grpc.aio.Server) -> None:
        play_pb2_grpc.add_PlayServiceServicer_to_server(_Some(self), server)  # type: ignore[arg-type]
        play_pb2_grpc.add_WatchServiceServicer_to_server(_Some(self), server)  # type: ignore[arg-type]
        players_pb2_grpc.add_PlayerServiceServicer_to_server(_Some(self), server)  # type: ignore[arg-type]
        tables_pb2_grpc.add_TableServiceServicer_to_server(_Some(self), server)  # type: ignore[arg-type]
        replays_pb2_grpc.add_ReplayServiceServicer_to_server(_Some(self), server)  # type: ignore[arg-type]


class _Some:
    """The methods that the gateway has; the others are never called."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name, None)


@pytest.fixture
def gateway() -> Gateway:
    return Gateway()


@pytest.fixture(params=["socket", "in-process"])
async def client(request: pytest.FixtureRequest, gateway: Gateway) -> AsyncIterator[Client]:
    if request.param == "in-process":
        local = LocalServer()
        gateway.register(local)
        async with Client(LocalChannel(local), timeout_s=3, patience_s=3) as client:
            yield client
        return
    server = grpc.aio.server()
    gateway.register(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with Client(f"127.0.0.1:{port}", timeout_s=3, patience_s=3) as client:
        yield client
    await server.stop(None)
