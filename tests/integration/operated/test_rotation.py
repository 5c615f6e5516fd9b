"""Keys are changed for new ones while tokens and matches of the old ones live on."""

from __future__ import annotations

import asyncio
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.dev.keys import new_private, public_half, write_secret
from ludolog.api.gateway.v1 import players_pb2, players_pb2_grpc
from ludolog.cli import main as ludolog
from ludolog.client import Client, NotSignedIn
from ludolog.hosting import Platform, Settings
from services.local.service import services
from services.rng.new_key import main as new_key
from tests.infra.playing import match_of, new_table, play
from tests.integration.embedded.test_killed import exported
from tests.integration.observed.conftest import SOON_S


async def begun(settings: Settings) -> Platform:
    """The whole platform, serving."""
    platform = await Platform.create(settings)
    for service in services():
        await platform.add(service)
    async with asyncio.timeout(SOON_S):
        await platform.health.wait_serving()
    return platform


async def test_the_identity_key_is_rotated(settings: Settings, tmp_path: Path) -> None:
    record = tmp_path / "match.ludolog"
    new, trusted = tmp_path / "new.pem", tmp_path / "trusted"
    write_secret(new, new_private())
    trusted.mkdir()
    async with await begun(settings) as platform, Client(platform.channel("gateway")) as client:
        await client.sign_in_guest("Ann")
        token = client.token
        match = await match_of(client, await new_table(client, 3, 2))
    for name in ("gateway.old.pub", "receipts.old.pub"):
        (trusted / name).write_bytes(public_half(settings.data / "identity.pem"))

    rotated = replace(settings, identity_key_file=new, trusted_keys=trusted)
    async with await begun(rotated) as platform, Client(platform.channel("gateway"), token=token) as client:
        assert (await client.get_player()).display_name == "Ann"
        await play(client, match, 1)
        await exported(client, match, record)
        assert (await client.replays.verify(match)).holds
        stub = players_pb2_grpc.PlayerServiceStub(platform.channel("gateway"))
        metadata = (("authorization", f"Bearer {token}"),)
        renewed = (await stub.RefreshToken(players_pb2.RefreshTokenRequest(), metadata=metadata)).token
    assert ludolog(["verify", str(record)]) == 0

    dropped = replace(settings, identity_key_file=new)
    async with await begun(dropped) as platform:
        async with Client(platform.channel("gateway"), token=renewed) as client:
            assert (await client.get_player()).display_name == "Ann"
        async with Client(platform.channel("gateway"), token=token) as client:
            with pytest.raises(NotSignedIn):
                await client.get_player()
            await client.sign_in_guest("Ann again")
            assert (await client.get_player()).display_name == "Ann again"


async def test_a_match_stays_with_the_master_key_of_its_promise(settings: Settings, tmp_path: Path) -> None:
    record, later = tmp_path / "match.ludolog", tmp_path / "later.ludolog"
    key_file = tmp_path / "new.keys"
    async with await begun(settings) as platform, Client(platform.channel("gateway")) as client:
        await client.sign_in_guest("Ann")
        token = client.token
        match = await match_of(client, await new_table(client, 3, 2))
    assert new_key([str(key_file)]) == 0
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert new_key([str(key_file)]) == 2, "a key is never written over"

    rotated = replace(settings, rng_key_files=(key_file, settings.data / "rng.keys"))
    async with await begun(rotated) as platform, Client(platform.channel("gateway"), token=token) as client:
        await client.get_player()
        table = await new_table(client, 3, 2)
        promised = {(await client.tables.get(table)).commitment.key_id}
        await play(client, match, 1)
        await exported(client, match, record)
        other = await match_of(client, table)
        await play(client, other, 1)
        await exported(client, other, later)
    new_id = key_file.read_text().split()[0]
    assert promised == {new_id}
    assert ludolog(["verify", str(record)]) == ludolog(["verify", str(later)]) == 0
