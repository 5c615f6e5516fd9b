"""The gateway's limits: by player, by the address that it is told of, by streams."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.api.gateway.v1 import play_pb2, players_pb2
from ludolog.hosting import Settings
from ludolog.hosting.errors import told
from ludolog.hosting.limits import Admission
from tests.unit.gateway.conftest import NAME, World

SIGN_IN = players_pb2.SignInGuestRequest(display_name="Ann")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, gateway_port=0, call_timeout_s=2, drain_s=0, sign_ins_per_minute=2)


def limit(world: World, settings: Settings, **changes: Any) -> Admission:
    """Give the gateway other limits."""
    host = world.platform.hosts["gateway"]
    changed = Admission(replace(settings, **changes), host.limiter)
    vars(host.admission).update(vars(changed))
    return host.admission


async def reason(call: object) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call  # type: ignore[misc]
    return told(caught.value).reason


async def test_a_stream_that_is_never_opened_ends(world: World) -> None:
    _, metadata = await world.sign_in("Ann")
    stream = world.play.Play(metadata=metadata)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stream.read()
    answer = told(caught.value)
    assert (answer.code, answer.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "NOT_OPENED")


async def test_commands_of_a_stream_count_too(world: World, settings: Settings) -> None:
    _, metadata = await world.sign_in("Ann")
    limit(world, settings, player_calls_per_second=1)

    async def requests() -> AsyncIterator[play_pb2.PlayRequest]:
        yield play_pb2.PlayRequest(open=play_pb2.PlayRequest.Open(name=f"{NAME}/seats/1", from_sequence=1))
        for number in range(5):
            yield play_pb2.PlayRequest(submit=play_pb2.PlayRequest.Submit(command_id=f"c{number}"))

    stream: Any = world.play.Play(requests(), metadata=metadata)
    answers: list[play_pb2.PlayResponse] = []
    try:
        while len(answers) < 5:
            answer = await stream.read()
            if answer.WhichOneof("kind") != "update":
                answers.append(answer)
    finally:
        stream.cancel()
    assert sum(answer.HasField("receipt") for answer in answers) == 3, "the stream itself was the first of four"
    refusals = [told(answer.refused.status) for answer in answers if answer.HasField("refused")]
    assert {(refused.code, refused.reason) for refused in refusals} == {
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
    }
    assert all(refused.retry_after_ms for refused in refusals)
    assert len(world.engine.attempts) == 3


async def test_a_player_has_so_many_streams(world: World, settings: Settings) -> None:
    _, metadata = await world.sign_in("Ann")
    limit(world, settings, player_streams=2)
    world.spectator.commit()
    request = play_pb2.WatchRequest(name=NAME, from_sequence=1)
    streams = [world.watch.Watch(request, metadata=metadata) for _ in range(2)]
    for stream in streams:
        await stream.read()
    assert await reason(world.watch.Watch(request, metadata=metadata).read()) == "TOO_MANY_STREAMS"
    for stream in streams:
        stream.cancel()
        assert await stream.code() is grpc.StatusCode.CANCELLED
    again: Any = world.watch.Watch(request, metadata=metadata)
    assert (await again.read()).sequence == 1
    again.cancel()


async def test_more_calls_than_a_process_can_do_are_refused_at_once(world: World, settings: Settings) -> None:
    door = limit(world, settings, busy_calls=2)
    with ExitStack() as stack:
        for number in range(2):
            stack.enter_context(door.busy(f"other {number}"))
        assert await reason(world.players.SignInGuest(SIGN_IN)) == "OVERLOADED"
    await world.players.SignInGuest(SIGN_IN)


def through(world: World, service: str, address: str) -> tuple[tuple[str, str], ...]:
    """Metadata of a call that a service hands on for somebody at an address."""
    token = world.platform.keys.sign(service, roles=("service",), ttl_s=60)
    return (("ludolog-service", f"Bearer {token}"), ("ludolog-client-address", address))


async def test_behind_the_page_everybody_has_an_address_of_their_own(world: World) -> None:
    for number in range(3):
        for _ in range(2):
            await world.players.SignInGuest(SIGN_IN, metadata=through(world, "web", f"192.0.2.{number}"))
        again = world.players.SignInGuest(SIGN_IN, metadata=through(world, "web", f"192.0.2.{number}"))
        assert await reason(again) == "RATE_LIMITED"


async def test_nobody_else_is_believed_about_an_address(world: World) -> None:
    port = world.platform.ports["gateway_port"]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        sign_in: Any = channel.unary_unary(
            "/ludolog.api.gateway.v1.PlayerService/SignInGuest", players_pb2.SignInGuestRequest.SerializeToString
        )
        claims = [
            (("ludolog-client-address", "192.0.2.1"),),
            (("x-forwarded-for", "192.0.2.2"),),
            through(world, "bots", "192.0.2.3"),
        ]
        for metadata in claims[:2]:
            await sign_in(SIGN_IN, metadata=metadata)
        assert await reason(sign_in(SIGN_IN, metadata=claims[2])) == "RATE_LIMITED"
        forged = (("ludolog-service", "Bearer nonsense"), ("ludolog-client-address", "192.0.2.4"))
        assert await reason(sign_in(SIGN_IN, metadata=forged)) == "BAD_SERVICE_TOKEN"
