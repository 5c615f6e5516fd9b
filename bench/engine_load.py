"""Matches at an engine's own port, as the gateway and matchmaking reach it: founded directly, one stream for all."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Self

import grpc

from bench.load import Gate
from bench.openings import OPTIONS, RULEBOOK, SEATS, commands
from deploy.dev.keys import Keys
from ludolog.api.engine.v1 import engine_pb2, engine_pb2_grpc
from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import commitment
from ludolog.hosting import names
from ludolog.hosting.callers import SERVICE_KEY
from ludolog.rulebooks.catalogue import CATALOGUE

HOUR_S = 3600.0
ENTROPY_BYTES = 32
TOKEN_BYTES = 32
PAUSE_S = 0.1


class EngineClient:
    """A service that founds matches and submits commands for their players, over one channel."""

    def __init__(self, channel: grpc.aio.Channel, keys: Keys, key_id: str) -> None:
        self._stub = engine_pb2_grpc.EngineServiceStub(channel)
        self._key_id = key_id
        self._players = [names.new_id("p") for _ in range(SEATS)]
        self._matchmaking = _bearer(keys.service_token("matchmaking", HOUR_S))
        gateway = keys.service_token("gateway", HOUR_S)
        self._gateway = _bearer(gateway)
        # A call that is handed on shows the player's token and the service's.
        handed_on = ((SERVICE_KEY, f"Bearer {gateway}"),)
        players = [keys.player_token(player, ttl_s=HOUR_S) for player in self._players]
        self._tokens = [(*_bearer(token), *handed_on) for token in players]
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[engine_pb2.SubmitCommandsResponse]] = {}
        self._requests: asyncio.Queue[engine_pb2.SubmitCommandsRequest] = asyncio.Queue()
        self._stream: Any = None
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Open the stream."""
        self._stream = self._stub.SubmitCommands(self._each(), metadata=self._gateway)
        self._reading = asyncio.ensure_future(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Close it."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._stream.cancel()

    async def found(self) -> str:
        """A new match; its name."""
        match_id = names.new_id(CATALOGUE[RULEBOOK])
        founding = log_pb2.CreateMatch(
            rulebook=RULEBOOK,
            options=OPTIONS.SerializeToString(deterministic=True),
            seats=[
                log_pb2.SeatedPlayer(seat=seat, player_id=player, entropy=secrets.token_bytes(ENTROPY_BYTES))
                for seat, player in enumerate(self._players, 1)
            ],
            commitment=commitment(secrets.token_bytes(TOKEN_BYTES)),
            key_id=self._key_id,
            spectator_policy=log_pb2.SPECTATOR_POLICY_PUBLIC,
        )
        name = names.match_name(match_id)
        request = engine_pb2.CreateMatchRequest(name=name, founding=founding)
        await _answered(lambda: self._stub.CreateMatch(request, metadata=self._matchmaking))
        return name

    async def lane(self, gate: Gate) -> None:
        """Play one match after the other over the stream. Founding them takes time, and isn't counted."""
        while True:
            match = await self.found()
            for seat, command in commands():
                request = self._request(match, seat, command)
                since = await gate.passed()
                answer = await self.submit(self._players[seat - 1], request)
                if answer.WhichOneof("kind") == "status":
                    _raise_unless_over(answer.status.message)
                    break
                gate.did(since)

    async def unary_lane(self, gate: Gate) -> None:
        """The same by unary calls."""
        while True:
            match = await self.found()
            for seat, command in commands():
                request = self._request(match, seat, command)
                since = await gate.passed()
                try:
                    metadata = self._tokens[seat - 1]
                    await _answered(lambda: self._stub.SubmitCommand(request, metadata=metadata))  # noqa: B023
                except grpc.aio.AioRpcError as error:
                    _raise_unless_over(error.details() or "")
                    break
                gate.did(since)

    async def play(self, match: str, count: int) -> None:
        """The first commands of a match; fewer where it ends before."""
        for number, (seat, command) in enumerate(commands()):
            answer = await self.submit(self._players[seat - 1], self._request(match, seat, command))
            if number + 1 == count or answer.WhichOneof("kind") == "status":
                return

    async def submit(self, player_id: str, submit: play_pb2.SubmitCommandRequest) -> engine_pb2.SubmitCommandsResponse:
        """One command's answer, over the stream."""
        while True:
            number = next(self._ids)
            answer = self._waiting[number] = asyncio.get_running_loop().create_future()
            request = engine_pb2.SubmitCommandsRequest(correlation_id=number, player_id=player_id, submit=submit)
            self._requests.put_nowait(request)
            found: engine_pb2.SubmitCommandsResponse = await answer
            if found.status.code != grpc.StatusCode.UNAVAILABLE.value[0]:
                return found
            await asyncio.sleep(PAUSE_S)

    async def _each(self) -> AsyncIterator[engine_pb2.SubmitCommandsRequest]:
        while True:
            yield await self._requests.get()

    def _request(self, match: str, seat: int, command: Any) -> play_pb2.SubmitCommandRequest:
        return play_pb2.SubmitCommandRequest(
            name=f"{match}/seats/{seat}", command_id=f"c{next(self._ids)}", command=command
        )

    async def _read(self) -> None:
        async for answer in self._stream:
            waiting = self._waiting.pop(answer.correlation_id)
            if not waiting.done():  # a lane may have been told to stop meanwhile
                waiting.set_result(answer)


async def _answered(call: Callable[[], Any]) -> None:
    """Make a call again and again while nobody knows, as every client does."""
    while True:
        try:
            await call()
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            await asyncio.sleep(PAUSE_S)
        else:
            return


def _bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def _raise_unless_over(message: str) -> None:
    if "GAME_OVER" not in message:
        raise RuntimeError(f"refused: {message}")
