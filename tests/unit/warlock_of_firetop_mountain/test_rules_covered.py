"""Every numbered rule and every ruling has its scenario, and stands in the table of the room's README."""

import re

import pytest

from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from ludolog.testkit.scenario_file import read_file
from tests.tidy.tree import ROOMS, ROOT

NAME = "warlock_of_firetop_mountain"
ROOM = ROOMS / NAME
FILES = sorted((ROOT / "tests" / "scenarios" / NAME).glob("*.yaml"))
SCENARIOS = [scenario for path in FILES for scenario in read_file(path)]
SECTIONS = (7, 13, 2, 3, 2, 4, 9, 2, 7, 5, 3, 5, 5, 4, 3, 3, 3)
"""How many numbered rules the chapters of the book have, the first one first."""
RULES = [
    *(f"{chapter}.{rule}" for chapter, rules in enumerate(SECTIONS, 1) for rule in range(1, rules + 1)),
    *(f"A{n}" for n in range(1, 50)),
    *(f"L{n}" for n in range(1, 7)),
    *(f"W{n}" for n in range(1, 16)),
]
ACCEPTANCE = [
    f"#{n}"
    for n in (1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35)  # digest 5
]
TABLES = read_tables(catalogue.load(NAME).content)
SPECIAL = [
    *(card.id for card in TABLES.encounters.values() if card.special),
    *(card.id for card in TABLES.treasures.values() if card.special and card.id != "T29"),
]
"""Cards with a rule of their own; T29 is another T28."""
PLATFORM = {"WRONG_PLAYER_COUNT", "INVALID_FIELD", "GAME_OVER", "STALE_DECISION"}


@pytest.mark.parametrize("rule", [*RULES, *ACCEPTANCE, *SPECIAL])
def test_has_a_scenario(rule: str) -> None:
    assert any(rule in scenario.rules for scenario in SCENARIOS), f"no scenario for {rule}"


def test_scenarios_name_known_rules_only() -> None:
    cards = {*TABLES.encounters, *TABLES.treasures}
    assert {rule for scenario in SCENARIOS for rule in scenario.rules} <= {*RULES, *ACCEPTANCE, *cards}


def test_every_refusal_has_a_scenario() -> None:
    code = "\n".join(path.read_text() for path in (ROOM / "rules").glob("*.py"))
    proto = (ROOT / "protos" / "ludolog" / "api" / "games" / NAME / "v1" / f"{NAME}.proto").read_text()
    raised = set(re.findall(r"Refusal\(\s*\"([A-Z_]+)\"", code)) | set(re.findall(r"return \"([A-Z_]+)\"", code))
    promised = {word for line in re.findall(r"Refused: ([^.]*)\.", proto) for word in re.findall(r"[A-Z_]{4,}", line)}
    seen = {step.refused for scenario in SCENARIOS for step in scenario.steps if step.refused}
    assert raised - seen == set()
    assert promised - seen == set()
    assert seen - raised <= PLATFORM | promised


def test_every_option_has_scenarios() -> None:
    options = {option for scenario in SCENARIOS for option in scenario.options}
    assert options == set(catalogue.load(NAME).options_schema["properties"])


@pytest.mark.parametrize("rule", RULES)
def test_stands_in_the_readme(rule: str) -> None:
    row = rf"^\| {re.escape(rule)} \|"
    assert re.search(row, (ROOM / "README.md").read_text(), re.MULTILINE), f"{rule} isn't in the table"


def test_the_table_of_the_readme_is_true() -> None:
    lines = (ROOM / "README.md").read_text().splitlines()
    for line in (line for line in lines if re.match(r"\| (\d+\.\d+|[ALW]\d+) \|", line)):
        rule, file, scenarios = (cell.strip(" `") for cell in line.strip("|").split("|"))
        assert (ROOM / file).is_file(), line
        for name in scenarios.replace("`", "").split(", "):
            assert any(rule in scenario.rules for scenario in SCENARIOS if scenario.path.name == name), line
