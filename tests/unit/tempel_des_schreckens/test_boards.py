"""The drawings: what can be clicked is there, what is hidden isn't, and a name from outside stays a name."""

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from google.protobuf import json_format

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import SPECTATOR, Seat, Seated, Viewer, wire
from ludolog.rulebooks import catalogue
from tests.unit.drawn import drawn

RULEBOOK = catalogue.load("tempel_des_schreckens")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
CLAIMS = [{"round": 1, "seat": 3, "team": "TEAM_ADVENTURERS", "empty": 3, "gold": 2, "fire": 0}]


def game(seats: int = 5, **fields: Any) -> Any:
    position = {"openings": [{"round": 1, "by": 1, "owner": 2, "slot": 4}], "claims": CLAIMS, **fields}
    return RULEBOOK.from_position(json_format.ParseDict(position, pb.Position()), seats, pb.Options())


@pytest.mark.parametrize("seats", [3, 5, 10])
@pytest.mark.parametrize("width", [20, 60, 80, 132])
@pytest.mark.parametrize("viewer", [SPECTATOR, Seated(Seat(2))], ids=["spectator", "seat 2"])
def test_the_terminal_keeps_within_its_width(seats: int, width: int, viewer: Viewer) -> None:
    lines = ANSI.sub("", RULEBOOK.board_text(RULEBOOK.view(game(seats), viewer), width)).splitlines()
    assert max(map(len, lines)) <= max(width, 60)
    assert sum("[ " in line for line in lines) == seats


def test_the_terminal_shows_what_a_seat_knows() -> None:
    text = ANSI.sub("", RULEBOOK.board_text(RULEBOOK.view(game(), Seated(Seat(2))), 80))
    for word in (
        "round 1 of 4",
        "4 to open",
        "key player 2 you",
        "says: “an adventurer, 2 gold",
        "1→2.4 empty",
        "You are",
    ):
        assert word in text
    assert "guardian" not in text


class Page:
    """The page's drawing, made by node."""

    def __init__(self, state: Any, viewer: Viewer, **options: Any) -> None:
        self.svg = drawn(RULEBOOK.name, RULEBOOK.view(state, viewer), **options)
        self.elements = {e.get("id"): e for e in ET.fromstring(self.svg).iter() if e.get("id")}  # noqa: S314 - our own drawing


@pytest.mark.parametrize("seats", [3, 10])
def test_every_target_of_a_legal_command_is_a_button(seats: int) -> None:
    state = game(seats)
    legal = RULEBOOK.legal_commands(state, Seat(2))
    messages = [
        json_format.MessageToDict(wire.legal_command(RULEBOOK, entry), preserving_proto_field_name=True)
        for entry in legal
    ]
    page = Page(state, Seated(Seat(2)), legal=messages, seat=2)
    targets = {target for entry in legal for target in entry.targets}
    assert len(targets) == seats * 5 - 5 + seats
    for target in targets:
        element = page.elements[target]
        assert (element.get("role"), element.get("tabindex")) == ("button", "0"), target
        assert element.get("aria-label")
    assert page.elements["chamber-2-1"].get("role") == "img"


def test_names_from_outside_are_text_and_highlights_are_marked() -> None:
    page = Page(game(), SPECTATOR, names={"3": '<script>alert("x")</script>'}, highlight=["chamber-2-4"])
    assert "<script" not in page.svg
    assert page.elements["chamber-2-4"].get("class") == "highlight"
    assert "key" in page.elements


def test_nothing_hidden_is_drawn() -> None:
    page = Page(game(), SPECTATOR)
    for place, element in page.elements.items():
        if place and place.startswith("chamber-") and place != "chamber-2-4":
            assert "face down" in str(element.get("aria-label"))
            assert "hides" not in str(element.get("aria-label"))
