"""What happened in words: a room that tells its events tells every one of them, to everybody, in a line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.message import Message

from ludolog.kernel import SPECTATOR
from ludolog.rulebooks import catalogue
from ludolog.testkit.scenario import happenings
from ludolog.testkit.scenario_file import read_file
from tests.contract.matches import CASES, Case, walks
from tests.contract.test_secrecy import steps_of
from tests.tidy.tree import ROOT

TELLING = [name for name in catalogue.names() if catalogue.load(name).tell is not None]
"""Rooms that word their events; of the others the terminal makes a line from names and fields."""


def told(name: str) -> Iterator[tuple[Message, Message]]:
    """Every public event of some walks and of the scenarios, for every viewer, and a spectator's view of its table."""
    rulebook = catalogue.load(name)
    for case in (case for case in CASES if case.name == name):
        for moment in (moment for walk in walks(case) for moment in walk.moments):
            for step in steps_of(case, moment):
                view = rulebook.view(step[2], SPECTATOR)
                for viewer in case.viewers:
                    yield from ((event, view) for event in rulebook.feed(*step, viewer))
    for path in sorted((ROOT / "tests" / "scenarios" / name).rglob("*.yaml")):
        for scenario in read_file(path):
            for step in happenings(scenario, catalogue.load):
                view = rulebook.view(step[2], SPECTATOR)
                for viewer in Case(name, scenario.seats).viewers:
                    yield from ((event, view) for event in rulebook.feed(*step, viewer))


@pytest.mark.parametrize("name", TELLING)
def test_every_event_is_told_in_a_line_that_names_the_players(name: str) -> None:
    tell = catalogue.load(name).tell
    assert tell is not None
    names = {seat: f"Name-{seat}" for seat in range(1, catalogue.load(name).seats[-1] + 1)}
    lines = {tell(event, names, view) for event, view in told(name)}
    assert all(line == line.strip() and line.isprintable() for line in lines)
    assert any("Name-" in line for line in lines)
