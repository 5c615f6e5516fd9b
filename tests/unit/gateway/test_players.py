"""Sign-in, profiles, names for services, limits; and what of the gateway is public."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.api.gateway.v1 import (
    directory_pb2,
    directory_pb2_grpc,
    players_pb2,
    rulebooks_pb2,
    rulebooks_pb2_grpc,
    tables_pb2,
    tables_pb2_grpc,
)
from ludolog.hosting import Settings
from ludolog.hosting.errors import told
from services.gateway.accounts import Accounts, database_url
from tests.unit.gateway.conftest import World


async def reason(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return told(caught.value).reason


async def test_a_guest_is_somebody(world: World) -> None:
    request = players_pb2.SignInGuestRequest(display_name="  Zoë  ")
    answer = await world.players.SignInGuest(request)
    assert answer.player.display_name == "Zoë"
    assert answer.player.name.startswith("players/p-")
    assert not answer.player.house_player
    metadata = (("authorization", f"Bearer {answer.token}"),)
    me = await world.players.GetPlayer(players_pb2.GetPlayerRequest(name="players/me"), metadata=metadata)
    assert me == answer.player
    other = await world.players.SignInGuest(request)
    assert other.player.name != answer.player.name
    renewed = await world.players.RefreshToken(players_pb2.RefreshTokenRequest(), metadata=metadata)
    assert renewed.player == answer.player


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "two\nlines", "\u202ereversed"])
async def test_a_name_is_one_line_of_visible_characters(world: World, name: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await world.players.SignInGuest(players_pb2.SignInGuestRequest(display_name=name))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "display_name" in (caught.value.details() or "")


async def test_house_players_need_the_secret_and_stay_the_same(world: World, settings: Settings) -> None:
    secret = world.platform.hosts["gateway"].house_secret()
    path = settings.data / "house.secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    request = players_pb2.SignInHousePlayerRequest(display_name="Robo", house_secret=secret)
    first, again = await world.players.SignInHousePlayer(request), await world.players.SignInHousePlayer(request)
    assert first.player == again.player
    assert first.player.house_player
    assert "house" in world.platform.keys.verify(first.token).roles
    request.house_secret = "guess"
    assert await reason(world.players.SignInHousePlayer(request)) == "BAD_SECRET"


async def test_services_learn_names_and_nobody_else_does(world: World) -> None:
    player, metadata = await world.sign_in("Ann")
    host = world.platform.hosts["matchmaking"]
    assert await host.player_names([player, "p-" + "a" * 26]) == {player: "Ann"}
    request = directory_pb2.BatchGetPlayersRequest(names=[f"players/{player}"])
    public = directory_pb2_grpc.PlayerDirectoryServiceStub(world.channel)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await public.BatchGetPlayers(request, metadata=metadata)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    internal = directory_pb2_grpc.PlayerDirectoryServiceStub(world.platform.channel("players"))
    assert await reason(internal.BatchGetPlayers(request, metadata=metadata)) == "NOT_A_SERVICE"


async def test_tables_go_on_with_the_callers_token(world: World) -> None:
    tables = tables_pb2_grpc.TableServiceStub(world.channel)
    player, metadata = await world.sign_in("Ann")
    table = await tables.CreateTable(tables_pb2.CreateTableRequest(), metadata=metadata)
    assert table.host == f"players/{player}"
    full = tables_pb2.CreateTableRequest(request_id="full")
    assert await reason(tables.CreateTable(full, metadata=metadata)) == "TABLE_FULL"
    assert await reason(tables.CreateTable(tables_pb2.CreateTableRequest())) == "UNAUTHENTICATED"


async def test_tables_are_limited_by_the_minute(world: World, settings: Settings) -> None:
    tables = tables_pb2_grpc.TableServiceStub(world.channel)
    _, metadata = await world.sign_in("Ann")
    _, others = await world.sign_in("Bob")
    for _ in range(settings.tables_per_minute):
        await tables.CreateTable(tables_pb2.CreateTableRequest(), metadata=metadata)
    assert await reason(tables.CreateTable(tables_pb2.CreateTableRequest(), metadata=metadata)) == "RATE_LIMITED"
    await tables.CreateTable(tables_pb2.CreateTableRequest(), metadata=others)


async def test_sign_ins_are_limited_by_address(world: World, settings: Settings) -> None:
    host = world.platform.hosts["gateway"]
    port = world.platform.ports["gateway_port"]
    host.settings = replace(settings, sign_ins_per_minute=2)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub: Any = channel.unary_unary(
            "/ludolog.api.gateway.v1.PlayerService/SignInGuest",
            players_pb2.SignInGuestRequest.SerializeToString,
            players_pb2.SignInResponse.FromString,
        )
        request = players_pb2.SignInGuestRequest(display_name="Ann")
        await stub(request)
        await stub(request)
        assert await reason(stub(request)) == "RATE_LIMITED"


async def test_the_catalogue_is_listed_in_pages(world: World) -> None:
    stub = rulebooks_pb2_grpc.RulebookServiceStub(world.channel)
    listed = await stub.ListRulebooks(rulebooks_pb2.ListRulebooksRequest())
    names = [rulebook.name for rulebook in listed.rulebooks]
    assert "rulebooks/tempel_des_schreckens" in names
    assert names == sorted(names)
    one = await stub.GetRulebook(rulebooks_pb2.GetRulebookRequest(name="rulebooks/tempel_des_schreckens"))
    assert one.printed == ""
    assert one.how_to_play.startswith("# How to play Tempel des Schreckens\n")
    warlock = await stub.GetRulebook(rulebooks_pb2.GetRulebookRequest(name="rulebooks/warlock_of_firetop_mountain"))
    boards = json.loads(warlock.printed)["boards"]
    assert [board["data_set"] for board in boards] == ["DATA_SET_TWO_HOUR", "DATA_SET_WIDE"]
    assert boards[0]["board"]["entrance"] == "c15_0"
    same = rulebooks_pb2.GetRulebookRequest(name=warlock.name, content_digest=warlock.content_digest)
    assert await stub.GetRulebook(same) == warlock
    other = rulebooks_pb2.GetRulebookRequest(name=warlock.name, content_digest=bytes(32))
    assert await reason(stub.GetRulebook(other)) == "OTHER_CONTENT"
    assert all(not book.printed and not book.how_to_play for book in listed.rulebooks)
    assert (one.minimum_seats, one.maximum_seats) == (3, 10)
    assert "random" in one.bots
    assert (
        await reason(stub.GetRulebook(rulebooks_pb2.GetRulebookRequest(name="rulebooks/chess"))) == "NO_SUCH_RULEBOOK"
    )


async def test_accounts_outlive_the_process(tmp_path: Path) -> None:
    url = database_url("", tmp_path)
    first = await Accounts.open(url)
    guest = await first.add_guest("Ann", 1_800_000_000_000)
    await first.close()
    second = await Accounts.open(url)
    assert await second.get(guest.player_id) == guest
    assert await second.get("p-nobody") is None
    await second.close()
