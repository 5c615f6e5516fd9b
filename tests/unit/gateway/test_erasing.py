"""Who is erased isn't made again by a token from elsewhere, and house players aren't persons."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from ludolog.hosting import Unauthenticated
from ludolog.hosting.oidc import Issuer, Person
from services.gateway.accounts import Accounts, database_url
from services.gateway.erasing import Erasing
from services.gateway.newcomers import Newcomers
from tests.unit.gateway.conftest import World

ISSUER, SUBJECT = "https://issuer.example", "zoe"
PLAYER = Person(ISSUER, SUBJECT, "", 0).player_id


class Elsewhere:
    """An issuer whose every token is the same person's."""

    def __init__(self, until_s: int) -> None:
        self._until_s = until_s

    async def verify(self, token: str) -> Person:
        return Person(ISSUER, SUBJECT, "Zoe", self._until_s)


async def test_an_erased_person_isnt_made_again_by_another_issuers_token(world: World, tmp_path: Path) -> None:
    host = world.platform.hosts["gateway"]
    accounts = await Accounts.open(database_url("", tmp_path / "accounts"))
    issuer = cast("Issuer", Elsewhere(host.clock.now_ms() // 1000 + 3600))
    newcomers, erasing = Newcomers(host, accounts, issuer), Erasing(host, accounts)
    assert (await newcomers.who("token")).player_id == PLAYER
    assert await erasing.erase(PLAYER)
    for token in ("token", "another"):
        with pytest.raises(Unauthenticated) as refused:
            await newcomers.who(token)
        assert refused.value.reason == "NO_SUCH_PLAYER"
    assert await accounts.get(PLAYER) is None
    assert not await erasing.erase(PLAYER)
    await accounts.close()


async def test_what_is_long_past_is_forgotten_too(tmp_path: Path) -> None:
    accounts = await Accounts.open(database_url("", tmp_path))
    ann = await accounts.add_guest("Ann", 1)
    assert await accounts.erase(ann.player_id, 1000)
    assert await accounts.erased_since(1000) == {ann.player_id}
    assert not await accounts.erased_since(1001)
    assert not await accounts.erased_since(0)
    await accounts.close()


async def test_a_house_player_is_nobody_to_be_erased(tmp_path: Path) -> None:
    accounts = await Accounts.open(database_url("", tmp_path))
    house = await accounts.house_player("Ada", 1)
    assert not await accounts.erase(house.player_id, 2)
    assert await accounts.get(house.player_id) == house
    await accounts.close()
