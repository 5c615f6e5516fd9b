"""Tokens are kept privately; errors are one line and an exit code; commands to copy name the platform."""

from __future__ import annotations

import argparse
import json
import stat
from pathlib import Path

import grpc
import pytest

from ludolog.cli import online
from ludolog.cli.online import DEFAULT_ADDRESS, Profile
from ludolog.cli.play import check_seats
from ludolog.cli.program import UsageError, called
from ludolog.client import ApiError, Client
from ludolog.client.errors import BrokenPromise, InvalidField, NotFound, Unavailable
from ludolog.rulebooks import catalogue

CODE = grpc.StatusCode


def options(
    address: str = DEFAULT_ADDRESS, *, as_json: bool = False, ca: Path | None = None, tls: bool = False
) -> argparse.Namespace:
    return argparse.Namespace(address=address, json=as_json, ca=ca, tls=tls)


def test_a_token_is_kept_for_its_platform_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    Profile(folder).keep("one:1", "first")
    Profile(folder).keep("two:2", "second")
    Profile(folder).keep("one:1", "third")
    assert [Profile(folder).token(address) for address in ("one:1", "two:2", "three:3")] == ["third", "second", ""]
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_file_is_private_even_where_it_was_not(tmp_path: Path) -> None:
    file = tmp_path / "players.json"
    file.write_text("{}")
    file.chmod(0o644)
    Profile(tmp_path).keep("one:1", "token")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "not json", "[1]", "\x00"])
def test_a_damaged_file_is_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "players.json").write_text(content)
    assert Profile(tmp_path).token("one:1") == ""
    Profile(tmp_path).keep("one:1", "token")
    assert Profile(tmp_path).token("one:1") == "token"


def test_the_first_promise_of_a_match_stays(tmp_path: Path) -> None:
    for promise in ("first", "another"):
        Profile(tmp_path).keep_receipt("tempel-x", promise)
    assert Profile(tmp_path).receipt("tempel-x").read_text() == "first"
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="can't be written"):
        Profile(tmp_path / "file").keep_receipt("tempel-x", "promise")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="can't be written"):
        Profile(tmp_path / "file" / "ludolog").keep("one:1", "token")


def test_where_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    Profile().keep("one:1", "token")
    assert (tmp_path / "ludolog" / "players.json").is_file()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("no such match", code=CODE.NOT_FOUND, reason="NOT_FOUND"), 1),
        (InvalidField("name: wrong", code=CODE.INVALID_ARGUMENT), 2),
        (Unavailable("nobody is there", code=CODE.UNAVAILABLE), 3),
        (BrokenPromise("another commitment than before"), 1),
    ],
)
def test_an_error_is_a_line_and_an_exit_code(error: Exception, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    async def work(client: Client, given: argparse.Namespace) -> int:
        raise error

    assert online.run(options("127.0.0.1:9"), work) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("ludolog: ")
    assert len(printed.err.splitlines()) == (2 if code == 3 else 1)
    assert ("127.0.0.1:9 doesn't answer" in printed.err) == (code == 3)


def test_an_error_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    error: ApiError = NotFound("no such match", code=CODE.NOT_FOUND, reason="NOT_FOUND")
    assert online.complain(options(as_json=True), error) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"error": {"code": "NOT_FOUND", "reason": "NOT_FOUND", "message": "no such match"}}


def test_a_usage_error_of_the_work_passes() -> None:
    async def work(client: Client, given: argparse.Namespace) -> int:
        raise UsageError("not like that")

    with pytest.raises(UsageError, match="not like that"):
        online.run(options("127.0.0.1:9"), work)


def test_a_command_to_copy_names_a_platform_that_is_not_the_usual_one() -> None:
    assert online.command(options(), "replay", "x") == f"{called()} replay x"
    assert online.command(options("far:1"), "replay", "x") == f"{called()} replay x --address far:1"


def test_an_authority_that_cant_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.pem can't be read"):
        online.connect(options(ca=tmp_path / "none.pem"))


def test_a_command_to_copy_is_as_encrypted_as_this_one() -> None:
    assert online.command(options(ca=Path("my ca.pem")), "watch") == f"{called()} watch --ca 'my ca.pem'"
    assert online.command(options(tls=True), "watch") == f"{called()} watch --tls"


@pytest.mark.parametrize(
    ("game", "players"),
    [("beast_hunter", "1 player"), ("tempel_des_schreckens", "3 to 10 players")],
)
def test_how_many_a_game_is_for_is_said_as_people_say_it(game: str, players: str) -> None:
    with pytest.raises(UsageError, match=f"is for {players}; 2 seats, 1 of them bots"):
        check_seats(catalogue.load(game), 2, 1)
