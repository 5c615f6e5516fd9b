"""The online commands against a platform: what they print, and how they end."""

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from deploy.dev.embedded import Embedded
from deploy.dev.process import wait_until
from ludolog.client import Client
from tests.infra.playing import match_of, new_table, play

NOBODY = "tempel-" + "a" * 26
ADDRESS = "--address"


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("platform")) as platform:
        yield platform


@pytest.fixture
def settings(embedded: Embedded, tmp_path: Path) -> dict[str, str]:
    return embedded.environment() | {"XDG_CONFIG_HOME": str(tmp_path / "config"), "COLUMNS": "100"}


def ludolog(settings: dict[str, str], *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program; whatever happens, it shows no traceback."""
    command = [sys.executable, "-m", "ludolog.cli", *arguments]
    done = subprocess.run(command, env=settings, input=typed, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
    return done


async def finished(embedded: Embedded) -> tuple[str, str]:
    """Id of a match that is over and in the archive, and the promise that its player has kept."""
    async with Client(embedded.address, timeout_s=30) as client:
        await client.sign_in_guest("Ann")
        match = await match_of(client, await new_table(client, 3, 2))
        await play(client, match, 1)
        return match.removeprefix("matches/"), client.tables.receipt(match)


async def test_a_finished_match_is_replayed_exported_and_verified(
    embedded: Embedded, settings: dict[str, str], tmp_path: Path
) -> None:
    (match, kept), record = await finished(embedded), tmp_path / "match.ludolog"

    def exported() -> bool:
        # Until the seed is revealed, a moment after the end.
        return ludolog(settings, "replay", match, "--export", str(record), ADDRESS, embedded.address).returncode == 0

    wait_until(exported, timeout_s=30, poll_s=0.2)
    assert ludolog(settings, "verify", str(record)).returncode == 0
    (receipt := tmp_path / "receipt.json").write_text(kept)
    key = base64.b64decode(json.loads(kept)["publicKey"]).hex()
    promised = ludolog(settings, "verify", str(record), "--receipt", str(receipt), "--public-key", key)
    assert (promised.returncode, f"as promised and signed by {key[:16]}" in promised.stdout) == (0, True)
    tampered = tmp_path / "tampered.ludolog"
    lines = record.read_bytes().splitlines(keepends=True)
    fourth = bytearray(lines[4])
    fourth[-20] ^= 1
    tampered.write_bytes(b"".join([*lines[:4], bytes(fourth), *lines[5:]]))
    broken = ludolog(settings, "verify", str(tampered))
    assert (broken.returncode, "commit 4" in broken.stdout) == (1, True)
    online = ludolog(settings, "replay", match, "--json", "--omniscient", ADDRESS, embedded.address).stdout
    offline = ludolog(settings, "replay", str(record), "--json", "--omniscient").stdout
    assert [json.loads(line)["sequence"] for line in online.splitlines()] == [
        str(number) for number in range(1, len(online.splitlines()) + 1)
    ]
    assert online == offline, "the record tells the same story as the platform"
    step = ludolog(settings, "replay", str(record), typed="\nq\n").stdout
    assert step.count("Enter: next move") == 2
    assert ludolog(settings, "replay", str(record), "--speed", "1000").stdout.count("Tempel des Schreckens · ") > 5
    nowhere = ludolog(settings, "replay", match, "--export", str(tmp_path / "no" / "x"), ADDRESS, embedded.address)
    assert (nowhere.returncode, len(nowhere.stderr.splitlines())) == (2, 1)
    for wrong in (["--seat", "9"], ["--seat", "0"], ["--from", "999"], ["--speed", "0"], ["--export", "x"]):
        done = ludolog(settings, "replay", str(record), *wrong)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), wrong


def test_one_can_leave_come_back_and_resign(embedded: Embedded, settings: dict[str, str]) -> None:
    where = (ADDRESS, embedded.address)
    # A word that is no command gets the help; q leaves.
    left = ludolog(settings, "play", "tempel_des_schreckens", "--bots", "3", *where, typed="what\nq\n")
    assert left.returncode == 0
    assert "r resigns" in left.stdout
    program, *back = left.stdout.split("Come back with: ")[1].split("\n")[0].split()
    assert Path(program).name == "ludolog"
    assert shutil.which(program), "what is told can be typed"
    match = back[back.index("--match") + 1]
    receipt = json.loads((Path(settings["XDG_CONFIG_HOME"]) / "ludolog" / "receipts" / f"{match}.json").read_text())
    assert (receipt["matchId"], len(base64.b64decode(receipt["signature"]))) == (match, 64)
    live = ludolog(settings, "watch", "--json", *where).stdout
    assert f"matches/{match}" in [json.loads(line)["name"] for line in live.splitlines()]
    listed = ludolog(settings | {"COLUMNS": "80"}, "watch", *where).stdout.splitlines()
    assert [f"{match}  tempel_des_schreckens", True] in [
        [line, "watching" in below] for line, below in pairwise(listed)
    ]
    again = ludolog(settings, *back, typed="r\nq\n")
    assert again.returncode == 0
    assert "you are seat 1" in again.stdout
    stranger = settings | {"XDG_CONFIG_HOME": settings["XDG_CONFIG_HOME"] + "-other"}
    other = ludolog(stranger, *back)
    assert (other.returncode, "isn't a match of yours" in other.stderr) == (2, True)
    watched = ludolog(settings, "watch", match, "--json", *where)
    assert watched.returncode == 0
    assert json.loads(watched.stdout.splitlines()[-1])["outcome"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["watch", NOBODY], 1),
        (["watch", "nonsense"], 2),
        (["replay", NOBODY], 1),
        (["replay", "nonsense"], 2),
        (["play", "tempel_des_schreckens", "--table", "nonsense"], 2),
        (["play", "tempel_des_schreckens", "--bots", "40"], 2),
        (["play", "tempel_des_schreckens", "--option", "x=1"], 2),
        (["play", "tempel_des_schreckens", "--name", "x" * 60], 2),
    ],
)
def test_what_goes_wrong_is_one_line(
    embedded: Embedded, settings: dict[str, str], arguments: list[str], code: int
) -> None:
    done = ludolog(settings, *arguments, ADDRESS, embedded.address)
    assert done.returncode == code
    (line,) = done.stderr.splitlines()
    assert line.startswith("ludolog: ")
