"""The offline commands: exit codes, JSON for machines, one line for what goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from google.protobuf import json_format

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.cli import main
from ludolog.cli.program import COMMANDS, called
from ludolog.rulebooks import catalogue
from tests.unit.record.matches import KEY, PUBLIC_KEY, file_of, finished, receipt_of
from tests.unit.testkit.test_scenario import GOOD

SIMULATE = ["simulate", "--rulebook", "tempel_des_schreckens", "--seats", "5", "--matches", "6", "--seed", "7"]


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [[], ["dance"], ["scenario"], ["verify"], ["simulate", "--seats", "3"], ["rules", "chess"]]
)
def test_wrong_usage_is_2(command: list[str]) -> None:
    assert main(command) == 2


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = said(capsys)
    assert all(command in text for command in COMMANDS)


def test_the_program_can_be_started() -> None:
    done = subprocess.run([sys.executable, "-m", "ludolog.cli", "--help"], capture_output=True, text=True, check=True)
    assert "simulate" in done.stdout


@pytest.mark.parametrize("name", catalogue.names())
def test_rules_are_printed_as_the_room_has_them(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", name]) == 0
    assert said(capsys) == (Path(catalogue.__file__).parent / name / "how_to_play.md").read_text()


def test_scenarios_pass_or_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(GOOD)
    bad.write_text(GOOD.replace("3: {key_player: 3}", "3: {key_player: 1}"))
    assert main(["scenario", str(good)]) == 0
    assert "1 passed, 0 failed" in said(capsys)
    assert main(["scenario", "--quiet", str(tmp_path)]) == 1
    text = said(capsys)
    assert f"{bad}:2: The key goes to the owner" in text
    assert "expected 1, found 3" in text
    assert str(good) not in text


def test_scenarios_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "none.yaml").write_text("title: no scenario\n")
    assert main(["scenario", "--json", str(tmp_path)]) == 1
    found = json.loads(said(capsys))
    assert (found["passed"], found["failed"], len(found["unreadable"])) == (1, 1, 1)
    assert found["scenarios"][0]["rules"] == ["P2", "P3", "P4"]


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_files_that_arent_there_are_2(name: str, tmp_path: Path) -> None:
    assert main(["scenario", str(tmp_path / name)]) == 2


def test_simulate_prints_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--json"]) == 0
    first = json.loads(said(capsys))
    assert list(first) == ["rulebook", "matches", "faults", "endings", "decisions", "seconds", "length"]
    assert main([*SIMULATE, "--json", "--jobs", "2"]) == 0
    second = json.loads(said(capsys))
    assert first.pop("seconds") >= 0
    assert second.pop("seconds") >= 0
    assert first == second


def test_simulate_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--players", "mixed"]) == 0
    assert "TIME_UP" in said(capsys)


def test_a_fault_is_1_and_can_be_played_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("ludolog.testkit.simulate.play", fail)
    assert main([*SIMULATE, "--json"]) == 1
    output = capsys.readouterr()
    assert json.loads(output.out)["faults"] == 6
    assert "--seed 7 --matches 1 --first 1 --players random" in output.err


@pytest.mark.parametrize(
    "wrong",
    [
        ["--rulebook", "chess"],
        ["--seats", "11"],
        ["--seats", "many"],
        ["--matches", "0"],
        ["--options", "{"],
        ["--options", '{"expansion": true}'],
        ["--content", "tests"],
    ],
)
def test_simulate_refuses_what_the_rulebook_doesnt_have(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, *wrong]) == 2
    assert capsys.readouterr().err.startswith("ludolog: ")


def test_content_that_replaces_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tempel_des_schreckens").mkdir()
    (tmp_path / "tempel_des_schreckens" / "typo.toml").write_text("")
    assert main([*SIMULATE, "--content", str(tmp_path)]) == 2


def test_a_record_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(file_of())
    receipt = receipt_of(finished())
    kept = tmp_path / "receipt.json"
    message = tables_pb2.CommitmentReceipt(
        match_id=receipt.match_id,
        commitment=bytes.fromhex(receipt.commitment),
        key_id=receipt.key_id,
        signature=receipt.signature,
        public_key=bytes.fromhex(receipt.public_key),
    )
    kept.write_text(json_format.MessageToJson(message))
    assert main(["verify", str(path), "--receipt", str(kept), "--public-key", PUBLIC_KEY.hex()]) == 0
    keys = ["--public-key", "00" * 32, "--public-key", PUBLIC_KEY.hex()]
    assert main(["verify", str(path), "--receipt", str(kept), *keys]) == 0
    assert main(["verify", str(path), "--receipt", str(kept), *keys[:2]]) == 1
    public = tmp_path / "replay.pub"
    public.write_bytes(KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    assert main(["verify", str(path), "--public-key", str(public)]) == 0
    public.write_text("nonsense")
    assert main(["verify", str(path), "--public-key", str(public)]) == 2
    assert main(["verify", str(path), "--public-key", "nowhere.pub"]) == 2
    assert main(["verify", str(path), "--commitment", receipt.commitment]) == 0
    assert ": holds" in said(capsys)
    assert main(["verify", str(path), "--commitment", "00" * 32]) == 1


def test_a_receipt_may_be_written_as_a_record_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, kept = tmp_path / "match.jsonl", tmp_path / "receipt.json"
    path.write_bytes(file_of())
    receipt = receipt_of(finished())
    kept.write_bytes(msgspec.json.encode(receipt))
    assert main(["verify", str(path), "--receipt", str(kept)]) == 0
    kept.write_bytes(msgspec.json.encode(msgspec.structs.replace(receipt, commitment="00" * 32)))
    assert main(["verify", str(path), "--receipt", str(kept)]) == 1
    assert f"the receipt's commitment is {'00' * 32}, the match's is {receipt.commitment}" in said(capsys)
    for broken in ("{}", "[", json.dumps({"commitment": "AAAA"})):
        kept.write_text(broken)
        assert main(["verify", str(path), "--receipt", str(kept)]) == 2
        assert "isn't a receipt" in capsys.readouterr().err


def test_a_broken_record_is_1_and_its_commit_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.jsonl"
    lines = file_of().splitlines(keepends=True)
    lines[4] = lines[4].replace(b'"hash":"', b'"hash":"0', 1)
    path.write_bytes(b"".join(lines))
    assert main(["verify", str(path)]) == 1
    assert "broken at commit 4" in said(capsys)
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(file_of())
    assert main(["verify", "--json", str(whole), str(path)]) == 1
    found = json.loads(said(capsys))
    assert not found["holds"]
    assert [(record["holds"], record["broken_commit"]) for record in found["records"]] == [(True, 0), (False, 4)]


def test_what_isnt_a_record_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text("hello\n")
    for arguments in ([str(path)], [str(tmp_path / "missing")], [str(path), "--json"]):
        assert main(["verify", *arguments]) == 2
    path.write_bytes(file_of())
    for kept in (["--commitment", "zz"], ["--receipt", str(tmp_path / "missing")], ["--receipt", str(path)]):
        assert main(["verify", str(path), *kept]) == 2
    assert "isn't hex" in capsys.readouterr().err


def test_a_room_is_made_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalogue = tmp_path / "libs" / "ludolog" / "rulebooks" / "catalogue.py"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text('CATALOGUE = {\n    "tempel_des_schreckens": "tempel",\n}\n')
    command = ["new-rulebook", "tempel_race", "--into", str(tmp_path)]
    assert main(command) == 0
    assert '    "tempel_race": "tempelrace",\n}' in catalogue.read_text()
    assert "make protos" in said(capsys)
    assert main(command) == 2
    assert main(["new-rulebook", "No", "--into", str(tmp_path)]) == 2


def test_commands_to_copy_begin_with_what_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ludolog` where the shell finds this program, else its path, from a checkout as the README has it."""
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(scripts / "python"))
    monkeypatch.setenv("PATH", "")
    assert called() == "ludolog", "there is no script"
    (scripts / "ludolog").touch(0o755)
    assert called() == str(scripts / "ludolog")
    monkeypatch.chdir(tmp_path)
    assert called() == ".venv/bin/ludolog"
    monkeypatch.setenv("PATH", str(scripts))
    assert called() == "ludolog"
