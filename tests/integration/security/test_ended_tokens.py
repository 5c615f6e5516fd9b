"""A token that ends, or whose player is erased, takes the open streams along; nobody else's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc, tables_pb2, tables_pb2_grpc
from ludolog.client import Client
from ludolog.hosting import Platform
from ludolog.hosting.errors import Told, told
from services.gateway.erase import erase
from tests.integration.matchmaking.house import EVERYTHING, RULEBOOK, guests, running
from tests.integration.security.test_other_peoples import World, mover, signed

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
SHORT_S = 2
SOON_S = 20.0
"""A gateway hears within two seconds of who was erased elsewhere."""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Three people in a public match."""
    async with (
        running(tmp_path, EVERYTHING, bots=0) as platform,
        guests(platform, "Ann", "Bob", "Cid", "Dora") as [ann, bob, cid, dora],
    ):
        table = await ann.tables.create(RULEBOOK, 3, decision_time_s=0)
        for person in (ann, bob, cid):
            await person.tables.join(table)
        await ann.tables.start(table)
        playing = await ann.tables.until_playing(table)
        yield World(platform, tmp_path, [ann, bob, cid], dora, table.name, "", playing.match)


class Streams:
    """One of each kind that a player may have open; and all of them have said something."""

    def __init__(self, world: World, seat: int) -> None:
        self._world, self._seat = world, seat
        self.calls: dict[str, Any] = {}

    async def open(self, metadata: Any) -> None:
        play, watch = (
            self._world.stub(kind) for kind in (play_pb2_grpc.PlayServiceStub, play_pb2_grpc.WatchServiceStub)
        )
        tables = self._world.stub(tables_pb2_grpc.TableServiceStub)
        name = self._world.seat(self._seat)
        self.calls = {
            "Play": play.Play(metadata=metadata),
            "a seat": watch.Watch(play_pb2.WatchRequest(name=name), metadata=metadata),
            "a match": watch.Watch(play_pb2.WatchRequest(name=self._world.match), metadata=metadata),
            "tables": tables.WatchTables(tables_pb2.WatchTablesRequest(), metadata=metadata),
        }
        await self.calls["Play"].write(play_pb2.PlayRequest(open=play_pb2.PlayRequest.Open(name=name)))
        for call in self.calls.values():
            await asyncio.wait_for(call.read(), SOON_S)

    async def ends(self) -> dict[str, Told]:
        """The errors that they end with."""
        answers = await asyncio.wait_for(asyncio.gather(*map(the_end, self.calls.values())), SOON_S)
        return dict(zip(self.calls, answers, strict=True))

    def close(self) -> None:
        for call in self.calls.values():
            call.cancel()


async def the_end(call: Any) -> Told:
    """The error of a stream, after whatever it still says."""
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return told(error)
    raise AssertionError("the stream has ended without an error")


def token_of(platform: Platform, person: Client, ttl_s: float) -> Any:
    """Metadata with another token of the same person."""
    assert person.player
    player_id = person.player.name.removeprefix("players/")
    token = platform.keys.sign(player_id, name=person.player.display_name, roles=("player",), ttl_s=ttl_s)
    return (("authorization", f"Bearer {token}"),)


async def seat_of(world: World, number: int) -> int:
    """Where the person of that number sits."""
    player = world.people[number].player
    assert player
    table = await world.people[number].tables.get(world.table)
    return next(one.seat for one in table.seats if one.player == player.name)


async def go_on(world: World) -> None:
    """Something happens in the match."""
    seat, legal = await mover(world)
    await world.people[seat - 1].submit(world.match, seat, legal)


async def test_streams_end_with_the_token_that_they_were_opened_with(world: World) -> None:
    async with AsyncExitStack() as stack:
        short, other = Streams(world, await seat_of(world, 0)), Streams(world, await seat_of(world, 1))
        for streams in (short, other):
            stack.callback(streams.close)
        # First the short ones: what others share with them was opened with their token.
        await short.open(metadata := token_of(world.platform, world.people[0], SHORT_S))
        await other.open(signed(world.people[1]))
        answers = await short.ends()
        assert {(kind, answer.code, answer.reason) for kind, answer in answers.items()} == {
            (kind, UNAUTHENTICATED, "TOKEN_EXPIRED") for kind in short.calls
        }
        late = world.stub(play_pb2_grpc.WatchServiceStub).Watch(
            play_pb2.WatchRequest(name=world.match), metadata=metadata
        )
        assert (await the_end(late)).reason == "TOKEN_EXPIRED"
        await go_on(world)
        for kind in ("a seat", "a match"):
            assert (await asyncio.wait_for(other.calls[kind].read(), SOON_S)).sequence == 2
        again = Streams(world, await seat_of(world, 0))
        stack.callback(again.close)
        await again.open(token_of(world.platform, world.people[0], 600))


@pytest.mark.parametrize("by", ["the person", "an operator"])
async def test_streams_of_an_erased_player_end_soon(world: World, by: str) -> None:
    async with AsyncExitStack() as stack:
        gone, other = Streams(world, await seat_of(world, 0)), Streams(world, await seat_of(world, 1))
        for streams in (gone, other):
            stack.callback(streams.close)
        await gone.open(signed(world.people[0]))
        await other.open(signed(world.people[1]))
        person = world.people[0].player
        assert person
        if by == "the person":
            await world.people[0].delete_player()
        else:
            # Past the gateway, as another one does it.
            url = f"sqlite+aiosqlite:///{world.folder / 'accounts.sqlite3'}"
            assert await erase(url, person.name.removeprefix("players/"), 3600)
        answers = await gone.ends()
        assert {(kind, answer.code, answer.reason) for kind, answer in answers.items()} == {
            (kind, UNAUTHENTICATED, "NO_SUCH_PLAYER") for kind in gone.calls
        }
        assert not other.calls["Play"].done()
        assert not other.calls["tables"].done()
