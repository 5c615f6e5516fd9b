"""Matches on a platform, through its public API: tables of guests, Play streams, unary calls."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage

from bench.load import Gate
from bench.openings import OPTIONS, RULEBOOK, SEATS, commands
from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc
from ludolog.client import Client

SETTING_UP = 8
Metadata = tuple[tuple[str, str], ...]
_ids = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Guests:
    """Those who sit at every table, and their tokens."""

    clients: tuple[Client, ...]

    def metadata(self, seat: int) -> Metadata:
        """What goes along with a call of who sits there."""
        return (("authorization", f"Bearer {self.clients[seat - 1].token}"),)


@asynccontextmanager
async def guests(address: str) -> AsyncIterator[Guests]:
    """Guests who are signed in, one for each seat."""
    clients = tuple(Client(address) for _ in range(SEATS))
    try:
        for number, client in enumerate(clients, 1):
            await client.sign_in_guest(f"Guest {number}")
        yield Guests(clients)
    finally:
        for client in clients:
            await client.close()


async def new_matches(sitting: Guests, count: int) -> list[str]:
    """So many matches, made as players make them: opened, joined, started. Names of the matches."""
    room = asyncio.Semaphore(SETTING_UP)

    async def made() -> str:
        async with room:
            host = sitting.clients[0].tables
            table = await host.create(RULEBOOK, SEATS, options=OPTIONS, decision_time_s=0)
            for client in sitting.clients:
                await client.tables.join(table)
            await host.start(table)
            return (await host.until_playing(table)).match

    return list(await asyncio.gather(*(made() for _ in range(count))))


def submit_request(seat_name: str, command: AnyMessage) -> play_pb2.SubmitCommandRequest:
    """A command with an id of its own."""
    return play_pb2.SubmitCommandRequest(name=seat_name, command_id=f"c{next(_ids)}", command=command)


def play_lane(channel: grpc.aio.Channel, sitting: Guests, matches: Iterator[str]) -> Any:
    """A lane that plays one match after the other over Play streams, one stream for each seat."""
    stub = play_pb2_grpc.PlayServiceStub(channel)

    async def lane(gate: Gate) -> None:
        for match in matches:
            async with seated(stub, sitting, match) as seats:
                for seat, command in commands():
                    since = await gate.passed()
                    sequence = await seats[seat].submit(command)
                    # The turn is over when everybody has seen it: whoever is next needs that.
                    if not all([await other.shown(sequence) for other in seats.values()]):
                        gate.did(since)
                        break
                    gate.did(since)

    return lane


def unary_lane(channel: grpc.aio.Channel, sitting: Guests, matches: Iterator[str]) -> Any:
    """A lane that plays one match after the other by unary calls."""
    stub = play_pb2_grpc.PlayServiceStub(channel)

    async def lane(gate: Gate) -> None:
        for match in matches:
            for seat, command in commands():
                since = await gate.passed()
                try:
                    await stub.SubmitCommand(
                        submit_request(f"{match}/seats/{seat}", command), metadata=sitting.metadata(seat)
                    )
                except grpc.aio.AioRpcError as error:
                    if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                        raise
                    break  # the match is over
                gate.did(since)

    return lane


@asynccontextmanager
async def seated(stub: Any, sitting: Guests, match: str) -> AsyncIterator[dict[int, SeatStream]]:
    """A Play stream for each seat of a match."""
    seats = {seat: SeatStream(stub, f"{match}/seats/{seat}", sitting.metadata(seat)) for seat in range(1, SEATS + 1)}
    try:
        for stream in seats.values():
            await stream.shown(1)
        yield seats
    finally:
        for stream in seats.values():
            await stream.close()


class SeatStream:
    """One Play stream, read as it comes."""

    def __init__(self, stub: Any, name: str, metadata: Metadata) -> None:
        self._call = stub.Play(metadata=metadata)
        self._name = name
        self._sequence = 0
        self._over = self._ended = False
        self._news = asyncio.Event()
        self._answer: asyncio.Future[int] | None = None
        self._task = asyncio.ensure_future(self._read())

    async def submit(self, command: AnyMessage) -> int:
        """Submit a command; its sequence number."""
        self._answer = asyncio.get_running_loop().create_future()
        submit = play_pb2.PlayRequest.Submit(command_id=f"c{next(_ids)}", command=command)
        await self._call.write(play_pb2.PlayRequest(submit=submit))
        return await self._answer

    async def shown(self, sequence: int) -> bool:
        """Wait until that update has come. False where it was the match's last."""
        while self._sequence < sequence:
            if self._ended:
                await self._task
                raise RuntimeError("the stream ended before its match")
            self._news.clear()
            await self._news.wait()
        return not self._over

    async def _read(self) -> None:
        await self._call.write(play_pb2.PlayRequest(open=play_pb2.PlayRequest.Open(name=self._name)))
        try:
            async for response in self._call:
                kind = response.WhichOneof("kind")
                if kind == "update":
                    self._sequence = response.update.sequence
                    self._over = response.update.HasField("outcome")
                    self._news.set()
                elif self._answer is not None and kind == "receipt":
                    self._answer.set_result(response.receipt.sequence)
                elif self._answer is not None:
                    self._answer.set_exception(RuntimeError(f"refused: {response.refused.status.message}"))
        finally:
            self._ended = True
            self._news.set()
            if self._answer is not None and not self._answer.done():
                self._answer.cancel()

    async def close(self) -> None:
        """Let go."""
        self._task.cancel()
        with suppress(asyncio.CancelledError, grpc.aio.AioRpcError):
            await self._task
        self._call.cancel()
