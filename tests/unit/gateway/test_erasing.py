"""Who is erased isn't made again by a token from elsewhere, and house players aren't persons."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import cast
from unittest.mock import AsyncMock, Mock

import pytest

from ludolog.hosting import Settings, Unauthenticated
from ludolog.hosting.oidc import Issuer, Person
from services.gateway.accounts import FORGOTTEN_AFTER_MS, Accounts, database_url
from services.gateway.erasing import FORGET_S, Erasing
from services.gateway.newcomers import Newcomers
from tests.infra.asking import SimulatedClock
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


async def test_a_clock_that_is_ahead_brings_nobody_back(tmp_path: Path) -> None:
    clock, accounts = SimulatedClock(), await Accounts.open(database_url("", tmp_path))
    host = Mock(clock=clock, settings=Settings(data=tmp_path), keys=Mock(revoked=frozenset()), cache=AsyncMock())
    ann = await accounts.add_guest("Ann", 1)
    erasing = Erasing(host, accounts)
    assert await erasing.erase(ann.player_id)
    clock.seconds += 10 * host.settings.token_ttl_s + FORGET_S
    await erasing.look()
    await erasing.forget()
    assert host.keys.revoked == await accounts.erased() == {ann.player_id}
    await accounts.close()


async def test_what_is_long_past_is_forgotten_too_but_not_at_each_look(tmp_path: Path) -> None:
    clock, accounts = SimulatedClock(), await Accounts.open(database_url("", tmp_path))
    host = Mock(clock=clock, settings=Settings(data=tmp_path), keys=Mock(revoked=frozenset()), cache=AsyncMock())
    ann, ben = [await accounts.add_guest(name, 1) for name in ("Ann", "Ben")]
    assert await accounts.erase(ann.player_id, -FORGOTTEN_AFTER_MS / 1000 - 60)
    assert await accounts.erase(ben.player_id, -FORGOTTEN_AFTER_MS / 1000 + 60)
    erasing = Erasing(host, accounts)
    await erasing.forget()
    assert await accounts.erased() == {ann.player_id, ben.player_id}
    clock.seconds += FORGET_S
    await erasing.forget()
    assert await accounts.erased() == {ben.player_id}
    await accounts.close()


async def test_the_erased_of_an_earlier_version_stay_so(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite3")) as file:
        file.execute("CREATE TABLE erased (player_id VARCHAR(64) PRIMARY KEY, erase_time_ms BIGINT NOT NULL)")
        file.execute("INSERT INTO erased VALUES ('p-ann', 1000)")
        file.commit()
    for _ in range(2):
        accounts = await Accounts.open(database_url("", tmp_path))
        await accounts.forget_erased()
        assert await accounts.erased() == {"p-ann"}
        await accounts.close()


def test_names_are_for_the_owner_of_the_folder_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    database_url("", tmp_path)
    assert (tmp_path / "accounts.sqlite3").stat().st_mode & 0o777 == 0o600


async def test_a_house_player_is_nobody_to_be_erased(tmp_path: Path) -> None:
    accounts = await Accounts.open(database_url("", tmp_path))
    house = await accounts.house_player("Ada", 1)
    assert not await accounts.erase(house.player_id, 3600)
    assert await accounts.get(house.player_id) == house
    await accounts.close()
