"""Every rule and ruling of a room has its scenario and its line in the README; so has every refusal, command, option.

The README says which numbers the book has, in two lines that begin with "Rules:" and "Acceptance scenarios:" ("none"
where there are none); RULINGS.md numbers the rulings. The README's table of rules has the columns `#`, `file` and
`scenarios`; further ones are free.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from ludolog.rulebooks import catalogue
from ludolog.testkit.scenario_file import Scenario, read_file
from tests.tidy.tree import ROOMS, ROOT

OF_THE_KERNEL = {"WRONG_PLAYER_COUNT", "GAME_OVER", "STALE_DECISION", "INVALID_FIELD"}
REFUSAL = re.compile(r"(?:Refusal\(\s*|return )\"([A-Z][A-Z_]+)\"")

every_room = pytest.mark.parametrize("room", catalogue.names())


@cache
def scenarios(room: str) -> tuple[Scenario, ...]:
    folder = ROOT / "tests" / "scenarios" / room
    return tuple(scenario for path in sorted(folder.rglob("*.yaml")) for scenario in read_file(path))


def named(room: str) -> set[str]:
    """Numbers that scenarios name."""
    return {rule for scenario in scenarios(room) for rule in scenario.rules}


def spelt_out(numbers: str) -> Iterator[str]:
    """From "A1–A3, 1.10": A1, A2, A3, 1.10."""
    for part in re.split(r",\s*", numbers.strip().rstrip(".")):
        first, _, last = part.partition("–")
        start = re.search(r"\d+$", first)
        if not last or start is None:
            yield first
            continue
        prefix = first[: start.start()]
        for number in range(int(start[0]), int(last.removeprefix(prefix)) + 1):
            yield f"{prefix}{number}"


def listed(room: str, what: str) -> list[str]:
    """The numbers of a line of the README, as in "Rules: S1–S4, Q1–Q13."."""
    found = re.search(rf"^{what}: (.*)$", (ROOMS / room / "README.md").read_text(), re.MULTILINE)
    assert found, f"the README of {room} has no line that begins with {what!r}"
    return [] if found[1].rstrip(".") == "none" else list(spelt_out(found[1]))


def rulings(room: str) -> list[str]:
    return re.findall(r"^\| ([A-Z]\d+) \|", (ROOMS / room / "RULINGS.md").read_text(), re.MULTILINE)


def rules(room: str) -> list[str]:
    return [*listed(room, "Rules"), *rulings(room)]


def table(room: str) -> dict[str, dict[str, str]]:
    """The README's table of rules: number → the cells of its row by the names of their columns."""
    lines = iter((ROOMS / room / "README.md").read_text().splitlines())
    header = next(line for line in lines if line.startswith("| # |"))
    columns = [cell.strip() for cell in header.strip("|").split("|")]
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            break
        row = dict(zip(columns, (cell.strip() for cell in line.strip("|").split("|")), strict=True))
        if set(row["#"]) != {"-"}:
            assert row["#"] not in rows, f"{row['#']} stands twice"
            rows[row["#"]] = row
    return rows


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def raised(room: str) -> set[str]:
    """Reasons for which the room's rules refuse."""
    return {reason for path in (ROOMS / room / "rules").rglob("*.py") for reason in REFUSAL.findall(path.read_text())}


def promised(room: str) -> set[str]:
    """Reasons that the contract names: "Refused: NOT_YOUR_TURN, CARD_NOT_IN_HAND."."""
    proto = (ROOT / f"protos/ludolog/api/games/{room}/v1/{room}.proto").read_text()
    return {word for line in re.findall(r"Refused: ([^.]*)\.", proto) for word in re.findall(r"[A-Z_]{4,}", line)}


def ids(value: Any) -> Iterator[str]:
    """Ids of whatever is printed: a scenario may name the card that it shows."""
    if isinstance(value, dict):
        yield from (value[key] for key in ("id", "key") if isinstance(value.get(key), str))
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from ids(part)


@every_room
def test_every_number_has_a_scenario(room: str) -> None:
    numbers = [*rules(room), *listed(room, "Acceptance scenarios")]
    assert [number for number in numbers if number not in named(room)] == []


@every_room
def test_scenarios_name_nothing_else(room: str) -> None:
    content = catalogue.load(room).content
    printed = {
        key for name, data in content.items() if name.endswith(".toml") for key in ids(tomllib.loads(data.decode()))
    }
    assert named(room) - {*rules(room), *listed(room, "Acceptance scenarios"), *printed} == set()


@every_room
def test_the_table_of_the_readme_has_every_rule_and_its_scenarios(room: str) -> None:
    rows = table(room)
    assert sorted(rows) == sorted(rules(room))
    for number, row in rows.items():
        files = sorted({scenario.path.name for scenario in scenarios(room) if number in scenario.rules})
        assert row["scenarios"] == ", ".join(f"`{name}`" for name in files), f"{number}: {', '.join(files)}"
        assert quoted(row["file"]), number
        for name in quoted(row["file"]):
            assert (ROOMS / room / name).exists(), f"{number}: there is no {name}"


@every_room
def test_every_refusal_is_promised_and_has_a_scenario(room: str) -> None:
    seen = {step.refused for scenario in scenarios(room) for step in scenario.steps if step.refused}
    assert raised(room) - promised(room) == set(), "the proto doesn't say so"
    assert promised(room) - seen == set(), "no scenario"
    assert seen - raised(room) - OF_THE_KERNEL == set(), "the rules don't say so"


@every_room
def test_every_kind_of_command_and_option_is_given_in_a_scenario(room: str) -> None:
    rulebook = catalogue.load(room)
    steps = [step for scenario in scenarios(room) for step in scenario.steps if step.kind == "command"]
    assert set(rulebook.commands.field_of.values()) - {kind for step in steps for kind in step.command} == set()
    options = {option for scenario in scenarios(room) for option in scenario.options}
    assert options == set(rulebook.options_schema.get("properties", {}))
