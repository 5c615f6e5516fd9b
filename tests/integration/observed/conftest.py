"""The whole platform in this process, as `make run` has it, and a match on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ludolog.client import Client
from ludolog.client.errors import ApiError
from ludolog.hosting import Platform, Settings
from services.local.service import services
from tests.infra.lines import heard, lines
from tests.infra.playing import match_of, new_table, play

__all__ = ["heard", "lines"]

SOON_S = 90.0


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Free ports; bots think for no time."""
    return Settings(data=tmp_path / "data", gateway_port=0, web_port=0, bots=4, bot_delay_ms=0, drain_s=1)


@pytest.fixture
async def platform(settings: Settings) -> AsyncIterator[Platform]:
    """All services, serving."""
    async with await Platform.create(settings) as platform:
        for service in services():
            await platform.add(service)
        async with asyncio.timeout(SOON_S):
            await platform.health.wait_serving()
        yield platform


@dataclass
class Played:
    """A match that is over, and what nobody may find outside of it."""

    match: str
    token: str
    player: str
    secrets: list[str] = field(default_factory=list)


async def play_one(platform: Platform, name: str = "Zyxwvu Qponml", watchers: int = 1) -> Played:
    """A person against two house players, to the end, watched."""
    async with asyncio.timeout(SOON_S), Client(platform.channel("gateway")) as client:
        await client.sign_in_guest(name)
        match = await match_of(client, await new_table(client, 3, 2))
        watching = [asyncio.create_task(_watch(client, match)) for _ in range(watchers)]
        await play(client, match, 1)
        await asyncio.gather(*watching)
        await _archived(client, match)
        assert client.player
        return Played(match, client.token, client.player.name, [client.token, name])


async def _watch(client: Client, match: str) -> None:
    async for _ in client.watch(match):
        pass


async def _archived(client: Client, match: str) -> None:
    while True:
        try:
            if (await client.replays.get(match)).verifiable:
                return
        except ApiError:
            pass
        await asyncio.sleep(0.02)
