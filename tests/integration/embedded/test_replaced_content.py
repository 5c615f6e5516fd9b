"""Content is replaced while a match is on: it waits where its own is gone, goes on where that is kept, and verifies."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.dev.embedded import Embedded
from ludolog.cli import main as ludolog
from ludolog.cli.content import UNLIKE
from ludolog.client import Client, Refused
from ludolog.rulebooks import catalogue
from tests.infra.playing import RULEBOOK, match_of, new_table, play
from tests.integration.embedded.test_killed import exported

SEATS = 3


def replace_box(folder: Path) -> None:
    """Other bytes that say the same."""
    folder.mkdir(parents=True)
    (folder / "box.toml").write_bytes(catalogue.read_content(RULEBOOK)["box.toml"] + b"\n# ours\n")


async def refused(client: Client, match: str) -> set[str]:
    """Why neither seat nor spectator nor archive is shown the match."""
    with pytest.raises(Refused) as seat:
        async with client.play(match, 1) as playing:
            await playing.next()
    with pytest.raises(Refused) as spectator:
        _ = [update async for update in client.watch(match)]
    with pytest.raises(Refused) as frame:
        await client.replays.frame(match, 1)
    return {found.value.reason for found in (seat, spectator, frame)}


def watched(embedded: Embedded, match: str) -> str:
    """What a terminal shows of a finished match whose content isn't the terminal's."""
    shown = [sys.executable, "-m", "ludolog.cli", "replay", match, "--speed", "1000", "--address", embedded.address]
    ours = {name: value for name, value in embedded.environment().items() if not name.startswith("LUDOLOG_")}
    return " ".join(
        subprocess.run(shown, env=ours, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    )


async def test_a_match_waits_for_its_content_and_goes_on_with_it(tmp_path: Path) -> None:
    content, record = tmp_path / "content", tmp_path / "match.ludolog"
    replace_box(content / RULEBOOK)
    with Embedded(tmp_path / "platform", {"LUDOLOG_CONTENT_DIR": str(content)}) as embedded:
        async with Client(embedded.address, timeout_s=60) as client:
            await client.sign_in_guest("Ann")
            match = await match_of(client, await new_table(client, SEATS, SEATS - 1))
            async with client.play(match, 1) as playing:
                first = await playing.next()
            assert first is not None

            embedded.stop()
            shutil.rmtree(content / RULEBOOK)
            embedded.start()
            assert await refused(client, match) == {"OTHER_CONTENT"}
            assert match in {live.name for live in await client.live_matches()}, "that it is on is known all the same"

            embedded.stop()
            replace_box(content / RULEBOOK / "earlier" / "first")
            embedded.start()
            async with client.play(match, 1, from_sequence=first.sequence) as playing:
                again = await playing.next()
            assert again is not None
            assert again.view == first.view
            await play(client, match, 1)
            await exported(client, match, record)
            assert (await client.replays.verify(match)).holds
            assert UNLIKE in watched(embedded, match)

            embedded.stop()
            shutil.rmtree(content / RULEBOOK)
            embedded.start()
            report = await client.replays.verify(match)
            assert (report.holds, report.broken_sequence) == (False, 0)
            assert "other content" in report.checks[-1].detail
    assert ludolog(["verify", str(record)]) == 0
    assert await asyncio.to_thread(ludolog, ["replay", str(record), "--speed", "1000"]) == 0
