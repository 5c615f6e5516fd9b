"""Every rule and ruling has its scenario, and stands in the table of the room's README."""

import re

import pytest

from ludolog.rulebooks import catalogue
from ludolog.testkit.scenario_file import read_file
from tests.tidy.tree import ROOMS, ROOT

ROOM = ROOMS / "beast_hunter"
FILES = sorted((ROOT / "tests" / "scenarios" / "beast_hunter").glob("*.yaml"))
SCENARIOS = [scenario for path in FILES for scenario in read_file(path)]
RULES = [
    *(f"S{n}" for n in range(1, 5)),
    *(f"Q{n}" for n in range(1, 14)),
    *(f"C{n}" for n in range(1, 8)),
    *(f"X{n}" for n in range(1, 4)),
    *(f"T{n}" for n in range(1, 5)),
    *(f"B{n}" for n in range(1, 7)),
    *("F1", "F2", "E1", "G1"),
    *(f"D{n}" for n in range(1, 5)),
    *(f"V{n}" for n in range(1, 8)),
    *("1.10", "1.11", "K1", "1.13"),
    *(f"A{n}" for n in range(1, 51)),
    *(f"L{n}" for n in range(1, 7)),
]
"""Numbers of the digest (1.10, 1.11 and 1.13: its sections on toolbelt, elders and scoring), its rulings, and ours."""
ACCEPTANCE = [
    f"5.{n}"
    for n in (1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32)
]  # fmt: skip
"""The digest's acceptance scenarios."""
REFUSED_BY_KERNEL = {"GAME_OVER", "STALE_DECISION", "INVALID_FIELD"}


@pytest.mark.parametrize("rule", RULES + ACCEPTANCE)
def test_has_a_scenario(rule: str) -> None:
    assert any(rule in scenario.rules for scenario in SCENARIOS), f"no scenario for {rule}"


def test_scenarios_name_known_rules_only() -> None:
    assert {rule for scenario in SCENARIOS for rule in scenario.rules} <= {*RULES, *ACCEPTANCE}


def test_every_refusal_has_a_scenario() -> None:
    code = "\n".join(path.read_text() for path in (ROOM / "rules").glob("*.py"))
    raised = set(re.findall(r"Refusal\(\s*\"([A-Z_]+)\"", code))
    assert {step.refused for scenario in SCENARIOS for step in scenario.steps if step.refused} == (
        raised | REFUSED_BY_KERNEL
    )


def test_every_refusal_stands_in_the_readme_and_in_the_contract() -> None:
    code = "\n".join(path.read_text() for path in (ROOM / "rules").glob("*.py"))
    readme = (ROOM / "README.md").read_text()
    proto = (ROOT / "protos/ludolog/api/games/beast_hunter/v1/beast_hunter.proto").read_text()
    for reason in set(re.findall(r"Refusal\(\s*\"([A-Z_]+)\"", code)):
        assert reason in readme, reason
        assert reason in proto, reason


def test_every_kind_of_command_is_given_in_a_scenario() -> None:
    given = {next(iter(step.command)) for scenario in SCENARIOS for step in scenario.steps if step.kind == "command"}
    assert given == set(catalogue.load("beast_hunter").commands.field_of.values())


@pytest.mark.parametrize("rule", RULES)
def test_stands_in_the_readme(rule: str) -> None:
    pattern = rf"^\| {re.escape(rule)} \|"
    assert re.search(pattern, (ROOM / "README.md").read_text(), re.MULTILINE), f"{rule} isn't in the table"


def test_the_files_of_the_readme_exist() -> None:
    table = [line for line in (ROOM / "README.md").read_text().splitlines() if re.match(r"\| [A-Z1][\d.]+ \|", line)]
    assert len(table) == len(RULES)
    for line in table:
        _, rule, _, code, files, _ = (cell.strip() for cell in line.split("|"))
        for name in re.findall(r"`([^`]+)`", code):
            assert (ROOM / name).exists(), line
        named = set(re.findall(r"`([^`]+)`", files))
        assert named == {scenario.path.name for scenario in SCENARIOS if rule in scenario.rules}, line
