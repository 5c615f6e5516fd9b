"""Watch: many clients, one stream behind them, and each sees every number once."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.hosting import Unauthenticated
from ludolog.hosting.errors import told
from ludolog.sessions.hints import watchers_group
from services.gateway import wire
from tests.unit.gateway.conftest import MATCH, NAME, World

SOON_S = 5
PATIENCE_S = 60


def watch(world: World, from_sequence: int = 0, metadata: Any = None, name: str = NAME) -> Any:
    return world.watch.Watch(play_pb2.WatchRequest(name=name, from_sequence=from_sequence), metadata=metadata)


async def read(call: Any, count: int) -> list[int]:
    async with asyncio.timeout(SOON_S):
        return [(await call.read()).sequence for _ in range(count)]


async def everything(call: Any) -> list[int]:
    # Streams that break twenty times are opened again after a pause each time: 5 s went by on a busy machine.
    async with asyncio.timeout(PATIENCE_S):
        return [update.sequence async for update in call]


async def collect(call: Any, seen: list[int]) -> None:
    async for update in call:
        seen.append(update.sequence)  # noqa: PERF401 - what came before an error counts


async def until(condition: Any) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - other tasks' steps
            await asyncio.sleep(0)


async def test_one_client_has_a_stream_of_its_own(world: World) -> None:
    world.spectator.commit(3)
    call = watch(world)
    first = await call.read()
    assert (first.sequence, first.snapshot) == (3, True)
    world.spectator.commit(2)
    assert await read(call, 2) == [4, 5]
    assert world.spectator.open == 1
    world.spectator.commit(over=True)
    assert await everything(call) == [6]
    assert await call.code() is grpc.StatusCode.OK


async def test_many_clients_share_one_stream(world: World) -> None:
    world.spectator.commit(2)
    calls = [watch(world) for _ in range(10)]
    assert [await read(call, 1) for call in calls] == [[2]] * 10
    for number in range(3, 8):
        world.spectator.commit()
        assert [await read(call, 1) for call in calls] == [[number]] * 10
    await until(lambda: world.spectator.open == 1)
    late = watch(world, from_sequence=1)
    assert await read(late, 7) == [1, 2, 3, 4, 5, 6, 7]
    world.spectator.commit()
    assert [await read(call, 1) for call in (*calls, late)] == [[8]] * 11
    await until(lambda: world.spectator.open == 1)
    world.spectator.commit(over=True)
    assert [await everything(call) for call in (*calls, late)] == [[9]] * 11
    await until(lambda: world.spectator.open == 0)


async def test_a_shared_stream_that_was_lost_is_shared_again(world: World) -> None:
    world.spectator.commit()
    calls = [watch(world) for _ in range(3)]
    assert [await read(call, 1) for call in calls] == [[1]] * 3
    world.spectator.commit()
    assert [await read(call, 1) for call in calls] == [[2]] * 3
    await until(lambda: world.spectator.open == 1)
    world.spectator.break_streams(Unauthenticated("ended", reason="TOKEN_EXPIRED"))
    world.spectator.commit()
    assert [await read(call, 1) for call in calls] == [[3]] * 3
    world.spectator.commit()
    assert [await read(call, 1) for call in calls] == [[4]] * 3
    await until(lambda: world.spectator.open == 1)


async def test_nothing_is_lost_or_seen_twice_when_streams_break(world: World) -> None:
    world.spectator.commit()
    calls = [watch(world, from_sequence=1) for _ in range(3)]
    seen = [asyncio.create_task(everything(call)) for call in calls]
    for _ in range(20):
        world.spectator.commit()
        await asyncio.sleep(0.005)
        opened = len(world.spectator.streams)
        world.spectator.break_streams()
        # On a busy machine all twenty would come at once otherwise, to readers who would be too slow for that. Not
        # "exactly one stream": who is behind has one of their own until the next update.
        await until(lambda: len(world.spectator.streams) > opened and world.spectator.open)  # noqa: B023 - used at once
    world.spectator.commit(over=True)
    assert await asyncio.gather(*seen) == [list(range(1, 23))] * 3


async def test_a_slow_client_is_ended_with_the_number_to_go_on_from(world: World) -> None:
    world.spectator.commit()
    slow, quick = watch(world), watch(world)
    assert await read(slow, 1) == await read(quick, 1) == [1]
    world.spectator.commit()
    assert await read(slow, 1) == await read(quick, 1) == [2]
    await until(lambda: world.spectator.open == 1)
    for number in range(3, 103):
        world.spectator.commit()
        assert await read(quick, 1) == [number]
    seen = [2]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await collect(slow, seen)
    answer = told(caught.value)
    assert answer.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert answer.reason == "SLOW_READER"
    assert seen == list(range(2, seen[-1] + 1))
    assert (answer.metadata or {})["next_sequence"] == str(seen[-1] + 1)
    resumed = watch(world, from_sequence=seen[-1] + 1)
    assert await read(resumed, 1) == [seen[-1] + 1]


async def test_a_seat_is_watched_with_its_own_token_only(world: World) -> None:
    world.spectator.commit()
    player, metadata = await world.sign_in("Ann")
    seat = f"{NAME}/seats/1"
    assert await read(watch(world, metadata=metadata, name=seat), 1) == [1]
    assert world.spectator.streams[-1] == (0, player)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watch(world, name=seat).read()
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_client_that_leaves_takes_its_stream_along(world: World) -> None:
    world.spectator.commit()
    calls = [watch(world), watch(world)]
    for call in calls:
        await read(call, 1)
        call.cancel()
    await until(lambda: world.spectator.open == 0)


async def test_each_spectator_counts_once_however_streams_are_shared(world: World) -> None:
    async def counted(number: int) -> None:
        async with asyncio.timeout(SOON_S):
            while len(await world.platform.cache.members(watchers_group(MATCH))) != number:  # noqa: ASYNC110 - other tasks' steps
                await asyncio.sleep(0)

    world.spectator.commit()
    _, ann = await world.sign_in("Ann")
    _, ben = await world.sign_in("Ben")
    calls = [watch(world, metadata=who) for who in (None, None, None, ann, ann, ben)]
    seat = watch(world, metadata=ann, name=f"{NAME}/seats/1")
    for _ in range(3):
        for call in (*calls, seat):
            await read(call, 1)
        await counted(5)
        world.spectator.commit()
    await until(lambda: world.spectator.open <= 2)
    for call, left in zip(calls, (4, 3, 2, 2, 1, 0), strict=True):
        call.cancel()
        await counted(left)
    seat.cancel()


async def test_whoever_isnt_let_in_doesnt_count(world: World) -> None:
    world.spectator.commit()
    with pytest.raises(grpc.aio.AioRpcError):
        await watch(world, 9).read()
    assert not await world.platform.cache.members(watchers_group(MATCH))


@pytest.mark.parametrize(("name", "number"), [("matches/nonsense", 0), (NAME, -1), (NAME, 5)])
async def test_what_cant_be_watched(world: World, name: str, number: int) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await watch(world, number, name=name).read()
    expected = grpc.StatusCode.OUT_OF_RANGE if number == 5 else grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.code() is expected


def test_the_trace_of_an_update_stands_last_and_is_taken_off() -> None:
    trace = f"00-{'a' * 32}-{'b' * 16}-01"
    update = match_pb2.Update(sequence=7, snapshot=True)
    update.view.type_url = "x"
    plain = update.SerializeToString()
    update.traceparent = trace
    assert wire.without_trace(update.SerializeToString()) == (plain, trace)
    assert wire.without_trace(plain) == (plain, "")
    assert wire.without_trace(b"") == (b"", "")
    fields = match_pb2.Update.DESCRIPTOR.fields
    assert max(fields, key=lambda field: field.number).name == "traceparent", "it must stand last on the wire"
