"""Play, and commands on their way to the engine."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage

from ludolog.api.gateway.v1 import play_pb2
from ludolog.eventlog.answers import NotOwner
from ludolog.hosting.errors import Unavailable, told
from ludolog.kernel import Refusal
from tests.unit.gateway.conftest import NAME, World

SEAT = f"{NAME}/seats/1"
SOON_S = 5


class Stream:
    """A Play stream, sorted by kind of response."""

    def __init__(self, world: World, metadata: Any, from_sequence: int = 0) -> None:
        self.call: Any = world.play.Play(metadata=metadata)
        self._from = from_sequence
        self.updates: list[int] = []

    async def open(self) -> Stream:
        opening = play_pb2.PlayRequest.Open(name=SEAT, from_sequence=self._from)
        await self.call.write(play_pb2.PlayRequest(open=opening))
        return self

    async def submit(self, command_id: str) -> None:
        submit = play_pb2.PlayRequest.Submit(command_id=command_id, command=AnyMessage(type_url="t/x", value=b"y"))
        await self.call.write(play_pb2.PlayRequest(submit=submit))

    async def answer(self, timeout_s: float = SOON_S) -> play_pb2.PlayResponse:
        """The next response that is no update."""
        async with asyncio.timeout(timeout_s):
            while (response := await self.call.read()).WhichOneof("kind") == "update":
                self.updates.append(response.update.sequence)
        answered: play_pb2.PlayResponse = response
        return answered


async def test_commands_and_updates_share_a_stream(world: World) -> None:
    world.spectator.commit()
    player, metadata = await world.sign_in("Ann")
    stream = await Stream(world, metadata, 1).open()
    for number in range(2, 6):
        await stream.submit(f"c{number}")
        receipt = (await stream.answer()).receipt
        assert (receipt.command_id, receipt.sequence) == (f"c{number}", number)
    assert world.engine.attempts[0] == (player, "c2")
    world.spectator.commit(over=True)
    async with asyncio.timeout(SOON_S):
        stream.updates += [response.update.sequence async for response in stream.call]
    assert stream.updates == [1, 2, 3, 4, 5, 6]


async def test_a_refusal_comes_in_band_and_the_stream_goes_on(world: World) -> None:
    _, metadata = await world.sign_in("Ann")
    stream = await Stream(world, metadata).open()
    world.engine.failures = [Refusal("NOT_KEY_PLAYER", "Gameplay 1", expected_seat=2)]
    await stream.submit("c1")
    refused = (await stream.answer()).refused
    answer = told(refused.status)
    assert (refused.command_id, answer.code, answer.reason) == (
        "c1",
        grpc.StatusCode.FAILED_PRECONDITION,
        "NOT_KEY_PLAYER",
    )
    await stream.submit("c2")
    assert (await stream.answer()).receipt.command_id == "c2"


async def test_what_is_unknown_is_repeated_and_never_a_refusal(world: World) -> None:
    _, metadata = await world.sign_in("Ann")
    stream = await Stream(world, metadata).open()
    world.engine.failures = [NotOwner(), Unavailable("taking over"), ConnectionResetError(), NotOwner()]
    await stream.submit("c1")
    assert (await stream.answer()).receipt.command_id == "c1"
    assert [command_id for _, command_id in world.engine.attempts] == ["c1"] * 5


async def test_a_command_that_stays_unknown_is_answered_with_unavailable(world: World) -> None:
    _, metadata = await world.sign_in("Ann")
    stream = await Stream(world, metadata).open()
    world.engine.failures = [Unavailable("never") for _ in range(1000)]
    await stream.submit("c1")
    refused = (await stream.answer(3 * SOON_S)).refused
    assert told(refused.status).code is grpc.StatusCode.UNAVAILABLE


async def test_many_players_share_one_stream_to_the_engine(world: World) -> None:
    signed_in = [await world.sign_in(f"P{number}") for number in range(8)]
    streams = [await Stream(world, metadata).open() for _, metadata in signed_in]
    await asyncio.gather(*(stream.submit(f"c{number}") for number, stream in enumerate(streams)))
    answers = [await stream.answer() for stream in streams]
    assert [answer.receipt.command_id for answer in answers] == [f"c{number}" for number in range(8)]
    asked = {command_id: player for player, command_id in world.engine.attempts}
    assert [asked[f"c{number}"] for number in range(8)] == [player for player, _ in signed_in]
    paths = [call._method.path for call in world.platform.hosts["engine/tempel_des_schreckens"].server.open]  # noqa: SLF001
    assert paths == ["/ludolog.api.engine.v1.EngineService/SubmitCommands"]


async def test_a_unary_command_is_routed_as_bytes_and_repeated(world: World) -> None:
    player, metadata = await world.sign_in("Ann")
    world.engine.failures = [NotOwner(), Unavailable("taking over")]
    request = play_pb2.SubmitCommandRequest(name=SEAT, command_id="c1", command=AnyMessage(type_url="t/x", value=b"y"))
    receipt = await world.play.SubmitCommand(request, metadata=metadata)
    assert receipt.sequence == 1
    assert world.engine.attempts == [(player, "c1")] * 3
    world.engine.failures = [Refusal("GAME_OVER", "Game End")]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await world.play.SubmitCommand(request, metadata=metadata)
    assert told(caught.value).reason == "GAME_OVER"


async def test_playing_needs_a_player(world: World) -> None:
    stream = await Stream(world, None).open()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stream.call.read()
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await world.play.SubmitCommand(play_pb2.SubmitCommandRequest(name=SEAT))
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_the_first_message_opens(world: World) -> None:
    _, metadata = await world.sign_in("Ann")
    stream = Stream(world, metadata)
    await stream.submit("c1")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stream.call.read()
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    again = await Stream(world, metadata).open()
    await again.open()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await again.answer()
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
