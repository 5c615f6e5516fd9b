"""A person is erased: the name is gone everywhere, the token is refused, and the records still verify."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ludolog.cli import main as ludolog
from ludolog.client import Client, NotAllowed, NotFound, NotSignedIn
from ludolog.hosting import Platform
from tests.infra.playing import RULEBOOK, match_of, new_table
from tests.integration.observed.conftest import SOON_S, play_one

NAME = "Zyxwvu Qponml"


async def shown(client: Client, match: str, table: str) -> str:
    """Everything that the API says of a match and a table, as text."""
    replay = await client.replays.get(match)
    listed = await client.replays.list(RULEBOOK)
    live = await client.live_matches()
    return f"{replay} {listed} {live} {await client.tables.get(table)}"


@pytest.mark.parametrize("by", ["the person", "an operator"])
async def test_nothing_is_left_of_a_person_but_what_others_need(platform: Platform, tmp_path: Path, by: str) -> None:
    played = await play_one(platform, NAME)
    before, after = tmp_path / "before.ludolog", tmp_path / "after.ludolog"
    async with asyncio.timeout(SOON_S), Client(platform.channel("gateway")) as other:
        await other.sign_in_guest("Ann")
        async with Client(platform.channel("gateway"), token=played.token) as person:
            table = (await new_table(person, 3, 0)).name
            running = await match_of(person, await new_table(person, 3, 2))
            await other.replays.export(played.match, before)
            assert NAME in await shown(other, played.match, table)
            if by == "the person":
                await person.delete_player()
            else:
                assert await asyncio.to_thread(erased_by_command, platform, played.player) == (0, "erased\n")
            while NAME in await shown(other, played.match, table):  # noqa: ASYNC110 - a gateway looks every 2 seconds
                await asyncio.sleep(0.05)
        async with Client(platform.channel("gateway"), token=played.token) as ghost:
            with pytest.raises(NotSignedIn):
                await ghost.get_player()
            with pytest.raises(NotSignedIn):
                await ghost.resign(running, 1)
            with pytest.raises(NotSignedIn):
                await ghost.tables.create(RULEBOOK, 3)
        with pytest.raises(NotFound):
            await other.get_player(played.player)
        await other.replays.export(played.match, after)
        assert (await other.replays.verify(played.match)).holds
    assert ludolog(["verify", str(before)]) == ludolog(["verify", str(after)]) == 0
    for path in (before, after):
        assert NAME.encode() not in path.read_bytes()
    assert NAME not in everything_in(platform.settings.data)
    assert NAME.encode() not in (platform.settings.data / "accounts.sqlite3").read_bytes(), "deleted means overwritten"


async def test_nobody_erases_somebody_else(platform: Platform) -> None:
    async with asyncio.timeout(SOON_S), Client(platform.channel("gateway")) as ann:
        player = await ann.sign_in_guest("Ann")
        async with Client(platform.channel("gateway")) as ben:
            await ben.sign_in_guest("Ben")
            with pytest.raises(NotAllowed):
                await ben.delete_player(player.name)
        assert (await ann.get_player()).display_name == "Ann"


async def test_a_player_that_there_isnt_is_said(platform: Platform) -> None:
    assert await asyncio.to_thread(erased_by_command, platform, "players/p-" + "a" * 26) == (
        1,
        "there is no such player\n",
    )
    code, _ = await asyncio.to_thread(erased_by_command, platform, "nonsense")
    assert code == 2


def erased_by_command(platform: Platform, player: str) -> tuple[int, str]:
    """(exit code, what it says)."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LUDOLOG_")}
    environment = {**ours, "LUDOLOG_DATA": str(platform.settings.data)}
    command = [sys.executable, "-m", "services.gateway.erase", player]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def everything_in(folder: Path) -> str:
    """All values of all tables of all databases in a folder."""
    found = []
    for path in folder.glob("*.sqlite3"):
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                found += [repr(row) for row in database.execute(f'SELECT * FROM "{table}"')]  # noqa: S608 - our own tables
    return " ".join(found)
