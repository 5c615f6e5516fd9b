"""Players with a token of another issuer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import jwt
import pytest

from ludolog.api.gateway.v1 import play_pb2, players_pb2
from ludolog.hosting import Settings
from ludolog.hosting.errors import told
from tests.infra.issuer import AUDIENCE, LocalIssuer
from tests.unit.gateway.conftest import NAME, World

ME = players_pb2.GetPlayerRequest(name="players/me")


@pytest.fixture
async def local() -> AsyncIterator[LocalIssuer]:
    async with LocalIssuer() as issuer:
        issuer.add_key("k", "ES256")
        yield issuer


@pytest.fixture
def settings(tmp_path: Path, local: LocalIssuer) -> Settings:
    return Settings(
        data=tmp_path,
        gateway_port=0,
        call_timeout_s=5,
        drain_s=0,
        oidc_issuer=local.name,
        oidc_audience=AUDIENCE,
        oidc_jwks=local.jwks,
    )


def now_s(world: World) -> int:
    return world.platform.clock.now_ms() // 1000


async def test_a_player_comes_with_another_issuers_token(world: World, local: LocalIssuer) -> None:
    metadata = (("authorization", f"Bearer {local.token('k', now_s(world))}"),)
    me = await world.players.GetPlayer(ME, metadata=metadata)
    assert (me.display_name, me.house_player) == ("Ann", False)
    again = (("authorization", f"Bearer {local.token('k', now_s(world), name='Annabel')}"),)
    assert await world.players.GetPlayer(ME, metadata=again) == me
    other = (("authorization", f"Bearer {local.token('k', now_s(world), 'user-2', name=None)}"),)
    guest = await world.players.GetPlayer(ME, metadata=other)
    assert guest.name != me.name
    assert guest.display_name == "Guest"


async def test_services_behind_see_a_token_of_ours(world: World, local: LocalIssuer) -> None:
    metadata = (("authorization", f"Bearer {local.token('k', now_s(world))}"),)
    me = await world.players.GetPlayer(ME, metadata=metadata)
    request = play_pb2.SubmitCommandRequest(name=f"{NAME}/seats/1", command_id="c1")
    await world.play.SubmitCommand(request, metadata=metadata)
    assert world.engine.attempts == [(me.name.removeprefix("players/"), "c1")]


async def test_the_token_can_be_traded_for_one_of_ours(world: World, local: LocalIssuer) -> None:
    metadata = (("authorization", f"Bearer {local.token('k', now_s(world))}"),)
    ours = await world.players.RefreshToken(players_pb2.RefreshTokenRequest(), metadata=metadata)
    local.keys.clear()
    me = await world.players.GetPlayer(ME, metadata=(("authorization", f"Bearer {ours.token}"),))
    assert me == ours.player


async def test_bad_tokens_and_roles_of_their_own_are_refused(world: World, local: LocalIssuer) -> None:
    good = local.claims(now_s(world))
    bad = [
        local.token("k", now_s(world), exp=now_s(world) - 3600),
        local.token("k", now_s(world), aud="else"),
        jwt.encode(good, "", algorithm="none", headers={"kid": "k"}),
    ]
    for token in bad:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await world.players.GetPlayer(ME, metadata=(("authorization", f"Bearer {token}"),))
        assert told(caught.value).code is grpc.StatusCode.UNAUTHENTICATED
    proud = local.token("k", now_s(world), roles=["service", "operator", "house"])
    me = await world.players.GetPlayer(ME, metadata=(("authorization", f"Bearer {proud}"),))
    assert not me.house_player


async def test_whoever_was_erased_isnt_made_anew_by_an_old_token(world: World, local: LocalIssuer) -> None:
    tokens = [local.token("k", now_s(world)), local.token("k", now_s(world) - 1)]
    metadata = [(("authorization", f"Bearer {token}"),) for token in tokens]
    me = await world.players.GetPlayer(ME, metadata=metadata[0])
    await world.players.DeletePlayer(players_pb2.DeletePlayerRequest(name=me.name), metadata=metadata[0])
    for shown in metadata:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await world.players.GetPlayer(ME, metadata=shown)
        assert told(caught.value).reason == "NO_SUCH_PLAYER"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await world.players.GetPlayer(players_pb2.GetPlayerRequest(name=me.name))
    assert told(caught.value).code is grpc.StatusCode.NOT_FOUND
