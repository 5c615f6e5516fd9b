"""Simulations: repeatable whatever the number of processes, and faults are found and can be played again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ludolog.kernel import Refusal, Rulebook
from ludolog.rulebooks import catalogue
from ludolog.testkit.simulate import Fault, Plan, Played, simulate, summary

NAME = "tempel_des_schreckens"


def play(jobs: int = 1, **changes: Any) -> list[Played | Fault]:
    return list(simulate(replace(Plan(NAME, (3, 5), 12, "seed"), **changes), jobs))


def test_processes_change_nothing() -> None:
    assert play(jobs=1) == play(jobs=2)


def test_a_match_is_the_same_alone() -> None:
    assert play(first=5, matches=1) == play()[4:5]


def test_another_seed_gives_other_matches() -> None:
    assert play() != play(seed="another")


def test_figures() -> None:
    figures = summary(catalogue.load(NAME), play(players="mixed"), 1.23456)
    assert set(figures["endings"]) == {"ALL_GOLD", "ALL_FIRE", "TIME_UP"}
    assert sum(figures["endings"].values()) == figures["matches"] == 12
    assert (figures["rulebook"], figures["faults"], figures["seconds"]) == (NAME, 0, 1.235)
    assert 0 < figures["decisions"]["median"] <= figures["decisions"]["max"] <= 20
    assert sum(kind["seats"] for kind in figures["players"].values()) == 6 * 3 + 6 * 5
    assert json.dumps(figures)


def test_scores_are_told_with_their_distribution() -> None:
    played = [Played(n, "VICTORY", 1, 0, 0, (10 * n,), ()) for n in range(1, 12)]
    scores = summary(catalogue.load("beast_hunter"), list(played), 0)["scores"]
    assert scores == {
        "min": 10,
        "median": 60,
        "max": 110,
        "mean": 60,
        "deciles": [20, 30, 40, 50, 60, 70, 80, 90, 100],
    }
    assert summary(catalogue.load("beast_hunter"), [played[0]], 0)["scores"]["deciles"] == [10] * 9


def test_length_is_told_by_the_rulebooks_own_count_for_each_number_of_seats() -> None:
    played = [Played(n, "ALL_GOLD", 1, 0, 0, (), (), seats=3 + n % 2, length=n) for n in range(1, 12)]
    length = summary(catalogue.load(NAME), list(played), 0)["length"]
    assert length == {
        "unit": "rounds",
        "median": 6,
        "p10": 2,
        "p90": 10,
        "max": 11,
        "by_seats": {
            "3": {"matches": 5, "median": 6, "p10": 2.8, "p90": 9.2, "max": 10},
            "4": {"matches": 6, "median": 6, "p10": 2.0, "p90": 10.0, "max": 11},
        },
    }


def test_a_match_is_one_to_four_rounds_long() -> None:
    found = summary(catalogue.load(NAME), play(), 0)
    assert 1 <= found["length"]["median"] <= found["length"]["max"] <= 4


def test_endings_that_never_happened_are_counted_as_zero() -> None:
    assert summary(catalogue.load(NAME), [], 0)["endings"] == {"ALL_GOLD": 0, "ALL_FIRE": 0, "TIME_UP": 0}


def test_wrong_arguments_are_no_faults() -> None:
    with pytest.raises(Refusal, match="WRONG_PLAYER_COUNT"):
        play(seats=(11,))
    with pytest.raises(catalogue.UnknownRulebook):
        play(rulebook="chess")


def test_records_are_written(tmp_path: Path) -> None:
    play(records=tmp_path)
    assert len(list(tmp_path.iterdir())) == 12


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"decide": lambda *_: (_ for _ in ()).throw(KeyError("lost"))}, "KeyError: 'lost'"),
        ({"decide": lambda *_: (_ for _ in ()).throw(Refusal("NO", "s"))}, "is listed and refused: NO"),
        ({"longest_match": 2}, "longer than 2 moves"),
        ({"legal_commands": lambda *_: (), "awaiting": lambda *_: ()}, "nobody is to decide anything"),
    ],
)
def test_faults_are_found(broken: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rulebook: Rulebook[Any] = replace(catalogue.load(NAME), **broken)
    monkeypatch.setattr(catalogue, "load", lambda _: rulebook)
    results = play()
    assert all(isinstance(result, Fault) and said in result.problem for result in results), results[0]
    assert summary(rulebook, results, 0)["faults"] == 12


def test_a_main_module_without_a_guard_is_no_trouble(tmp_path: Path) -> None:
    """A console script may be nothing but a call: it must not be run again in each process."""
    script = tmp_path / "script"
    script.write_text("import sys\nfrom ludolog.cli import main\nsys.exit(main(sys.argv[1:]))\n")
    command = ["simulate", "--rulebook", NAME, "--seats", "3", "--matches", "4", "--jobs", "2", "--json"]
    done = subprocess.run([sys.executable, str(script), *command], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["matches"] == 4


def test_a_process_that_breaks_down_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    with pytest.raises(RuntimeError, match="broke down"):
        play(jobs=2)
