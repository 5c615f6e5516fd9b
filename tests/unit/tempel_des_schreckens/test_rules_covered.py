"""Every rule and ruling has its scenario, and stands in the table of the room's README."""

import re

import pytest

from ludolog.testkit.scenario_file import read_file
from tests.tidy.tree import ROOMS, ROOT

ROOM = ROOMS / "tempel_des_schreckens"
FILES = sorted((ROOT / "tests" / "scenarios" / "tempel_des_schreckens").glob("*.yaml"))
SCENARIOS = [scenario for path in FILES for scenario in read_file(path)]
RULES = [
    *("R1", "R2", "R3", "C1", "C2", "K1"),
    *(f"P{n}" for n in range(1, 6)),
    *("E1", "E2", "E3", "G1", "G2", "G3", "G4"),
    *(f"T{n}" for n in range(1, 16)),
    *(f"L{n}" for n in (1, 2, 3, 4, 6, 7)),
]
ACCEPTANCE = [f"A{n}" for n in (1, 2, 4, 5, 6, 7, 8, 10, 11, 13, 15, 17, 18, 21, 22)]
"""A20 (same seed and commands, same events) is the contract suite's test_determinism."""
REFUSALS = {
    *("NOT_KEY_PLAYER", "OWN_CHAMBER", "NO_SUCH_CHAMBER", "NO_CHAMBERS_LEFT", "ALREADY_OPENED", "NOTHING_CLAIMED"),
    *("TOO_MUCH_TALK", "RESIGNED", "WRONG_PLAYER_COUNT", "GAME_OVER", "STALE_DECISION", "INVALID_FIELD"),
}


@pytest.mark.parametrize("rule", RULES + ACCEPTANCE)
def test_has_a_scenario(rule: str) -> None:
    assert any(rule in scenario.rules for scenario in SCENARIOS), f"no scenario for {rule}"


def test_scenarios_name_known_rules_only() -> None:
    assert {rule for scenario in SCENARIOS for rule in scenario.rules} <= {*RULES, *ACCEPTANCE}


def test_every_refusal_has_a_scenario() -> None:
    code = "\n".join(path.read_text() for path in (ROOM / "rules").glob("*.py"))
    raised = set(re.findall(r"Refusal\(\s*\"([A-Z_]+)\"", code))
    assert raised <= REFUSALS
    assert {step.refused for scenario in SCENARIOS for step in scenario.steps if step.refused} == REFUSALS


def test_both_options_have_scenarios() -> None:
    assert {option for scenario in SCENARIOS for option in scenario.options} == {"starting_player", "memory_mode"}


@pytest.mark.parametrize("rule", RULES)
def test_stands_in_the_readme(rule: str) -> None:
    assert re.search(rf"^\| {rule} \|", (ROOM / "README.md").read_text(), re.MULTILINE), f"{rule} isn't in the table"


def test_the_files_of_the_readme_exist() -> None:
    table = [line for line in (ROOM / "README.md").read_text().splitlines() if re.match(r"\| [A-Z]\d+ \|", line)]
    for line in table:
        cells = [cell.strip(" `") for cell in line.split("|")]
        assert (ROOM / cells[3]).is_file(), line
        assert (FILES[0].parent / cells[4]).is_file(), line
        scenarios = [s for s in SCENARIOS if s.path.name == cells[4]]
        assert any(cells[1] in scenario.rules for scenario in scenarios), line
