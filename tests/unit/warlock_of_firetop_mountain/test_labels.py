"""Legal commands say where a move ends, why, and who is there, in words of the board; labels stay small."""

import re
from statistics import median
from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Choices, LegalCommand, Seat, wire
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from tests.property.warlock_of_firetop_mountain.playing import match

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
TABLES = read_tables(RULEBOOK.content)
BOARDS = TABLES.boards
LONGEST, MOST_BYTES, USUAL_BYTES = 110, 4500, 1000
ID = re.compile(r"\bc\d+_\d+|\bR_\w|\b[TE]\d\d\b|\b(item|treasure|slot) \d")
"""Ids, which no label shows."""


def legal(position: dict[str, Any], seat: int = 1, seats: int = 3) -> dict[str, dict[str, str]]:
    """Text of each legal command → its facts."""
    game = RULEBOOK.from_position(json_format.ParseDict(position, pb.Position()), seats, pb.Options())
    return {entry.label.text: dict(entry.label.arguments) for entry in RULEBOOK.legal_commands(game, Seat(seat))}


def moving(place: str, pips: int, **adventurer: Any) -> dict[str, Any]:
    return {
        "players": [{"seat": 1, "adventurer": {"place": place, **adventurer}}],
        "turn": {"number": 3, "round": 1, "seat": 1, "die": pips, "pips_left": pips, "started_at": place},
    }


@pytest.mark.parametrize(
    ("place", "pips", "text", "stop"),
    [
        ("c12_3", 3, "Stay: passage 12, 3", "STAY"),
        ("c12_3", 3, "Move 3 to room A; a room ends the move; an unknown encounter", "ROOM"),
        ("c12_3", 3, "Move 3 to passage 12, 6 (door of room G); full count", "FULL_COUNT"),
        ("c12_3", 3, "Move 2 of 3 to passage 12, 5 (door of room A)", "CHOICE"),
        ("c15_12", 2, "Move 2 to the south bank; full count; the river can be tried here", "FULL_COUNT,RIVER_BANK"),
        ("c14_0", 2, "Move 1 of 2 to the Entrance; player 2 and player 3 are here", "CHOICE,MEETING"),
        ("c19_34", 1, "Move 1 to passage 20, 34; full count; dead end", "FULL_COUNT,DEAD_END"),
    ],
)
def test_a_move_says_where_it_ends_and_why(place: str, pips: int, text: str, stop: str) -> None:
    found = legal(moving(place, pips))
    assert text in found, sorted(found)
    assert found[text]["stop"] == stop


def test_it_says_who_and_what_is_there() -> None:
    position = moving("c12_3", 3)
    position["players"] += [{"seat": seat, "adventurer": {"place": "c12_5"}} for seat in (2, 3)]
    position["rooms"] = [{"id": "R_A", "encounter": "E15", "face_up": True}]
    position["items"] = [
        {"item": 1, "place": "c12_6", "held": {"card": "T01"}},
        {"item": 2, "place": "c12_1", "owner": 2, "held": {"card": "T02"}},
    ]
    found = legal(position)
    met = found["Move 2 of 3 to passage 12, 5 (door of room A); player 2 and player 3 are here"]
    assert (met["stop"], met["who"], met["spaces"]) == ("CHOICE,MEETING", "2,3", "2")
    assert found["Move 3 to room A; a room ends the move; the Ogre"]["met"] == "the Ogre"
    assert (
        found["Move 3 to passage 12, 6 (door of room G); full count; something lies here"]["stop"]
        == "FULL_COUNT,TREASURE"
    )
    assert "Move 2 of 3 to passage 12, 1 (by Secret Passage S1)" in found, (
        "another player's grave is nothing to stop for"
    )


def test_secret_passages_and_maze_boxes() -> None:
    ring = BOARDS[DataSet.TWO_HOUR].entrances["S2"].touches[0]
    assert legal(moving(ring, 3))["Move 1 to Secret Passage S2; ends the move"]["stop"] == "SECRET_PASSAGE"
    port = BOARDS[DataSet.TWO_HOUR].boxes["X1"].touches[0]
    found = legal(moving(port, 3))
    stay = next(text for text in found if text.startswith("Stay"))
    assert stay.endswith("by maze box X1); its Maze Card can be looked at")
    assert found["Stop to look at the card of maze box X1 next turn"] == {"box": "X1"}


@pytest.mark.parametrize("board", BOARDS.values(), ids=lambda board: f"{board.height} rows")
def test_every_space_has_a_name_of_its_own(board: Board) -> None:
    assert set(board.names) == set(board.neighbours) | set(board.boxes)
    assert len(set(board.names.values())) == len(board.names)
    assert board.names["R_f"] == "Dragon's Lair (room f)"
    assert not [name for name in board.names.values() if ID.search(name)]


@pytest.mark.parametrize(
    ("room", "encounter", "options", "texts"),
    [
        ("R_A", "E20", {}, {"Pay 1 Gold for the treasure", "Pass on"}),
        ("R_A", "E24", {}, {"See a random Key Card of player 2", "Pass on"}),
        ("R_A", "E24", {"more_looks": True}, {"See all Key Cards of player 2", "Pass on"}),
        ("R_A", "E26", {}, {"Buy 3 Provisions, 1 Gold each", "Buy face-down card 1 for 2 Gold"}),
        ("R_V", "HEXMASTER", {}, {"Have player 2 cursed for 2 Gold", "Pass on"}),
        (
            "R_Y",
            "SHYLOCK",
            {},
            {"Sell Magic Sword +1 for 3 Gold", "Buy face-down card 1 for 3 Gold"}
            | {"See a random Key Card of player 2 for 2 Gold", "Pass on"},
        ),
    ],
)
def test_deals_say_what_they_cost_and_show(
    room: str, encounter: str, options: dict[str, bool], texts: set[str]
) -> None:
    position = {
        "players": [{"seat": 1, "adventurer": {"place": room, "gold": 9}, "rucksack": [{"card": "T22"}]}],
        "rooms": [{"id": room, "encounter": encounter}],
        "window": {"kind": "WINDOW_KIND_ENCOUNTER", "seat": 1},
    }
    game = RULEBOOK.from_position(
        json_format.ParseDict(position, pb.Position()), 2, json_format.ParseDict(options, pb.Options())
    )
    assert texts <= {entry.label.text for entry in RULEBOOK.legal_commands(game, Seat(1))}


def test_cards_are_called_as_the_seat_knows_them() -> None:
    stack = {"cards": [{"card": "T23"}, {"card": "T26", "known_by": [1]}]}
    grave = {"place": "R_A", "owner": 1, "held": {"card": "T01", "known_by": [1]}}
    left = {"place": "R_A", "held": {"card": "T02"}}
    position: dict[str, Any] = {
        "players": [{"seat": 1, "adventurer": {"place": "R_A", "entered_by": "c12_5"}}],
        "rooms": [{"id": "R_A", "encounter": "", "stack": stack}],
        "items": [{"item": 3, **grave}, {"item": 4, **left}],
        "window": {"kind": "WINDOW_KIND_CLAIM", "seat": 1, "limit": 2},
    }
    game = RULEBOOK.from_position(json_format.ParseDict(position, pb.Position()), 2, pb.Options())
    entries = {type(entry.command): entry for entry in RULEBOOK.legal_commands(game, Seat(1))}
    assert chosen(entries[pb.ClaimTreasure]) == {"1": "face-down card 1", "2": TABLES.treasures["T26"].called}
    mine = f"{TABLES.treasures['T01'].called} from your grave"
    assert chosen(entries[pb.PickUp]) == {"3": mine, "4": "face-down card 4"}


@pytest.mark.parametrize(
    ("held", "text"),
    [({"card": "T23"}, "the face-down card"), ({"card": "T26", "known_by": [1]}, TABLES.treasures["T26"].called)],
)
def test_a_single_card_is_claimed_without_a_question(held: dict[str, Any], text: str) -> None:
    position: dict[str, Any] = {
        "players": [{"seat": 1, "adventurer": {"place": "R_A", "entered_by": "c12_5"}}],
        "rooms": [{"id": "R_A", "encounter": "", "stack": {"cards": [held]}}],
        "items": [{"item": 3, "place": "R_A", "held": {"card": "T01", "shown": True}}],
        "window": {"kind": "WINDOW_KIND_CLAIM", "seat": 1, "limit": 2},
    }
    game = RULEBOOK.from_position(json_format.ParseDict(position, pb.Position()), 2, pb.Options())
    entries = {entry.label.text: entry for entry in RULEBOOK.legal_commands(game, Seat(1))}
    claim, pick_up = entries[f"Claim {text}"], entries[f"Pick up {TABLES.treasures['T01'].called}"]
    assert (claim.command, claim.parameters) == (pb.ClaimTreasure(slots=[1]), ())
    assert (pick_up.command, pick_up.parameters) == (pb.PickUp(items=[3]), ())


def chosen(entry: LegalCommand) -> dict[str, str]:
    """Value → text of an entry's first parameter."""
    domain = entry.parameters[0].domain
    assert isinstance(domain, Choices)
    return {value: label.text for value, label in domain.choices}


def test_no_label_shows_an_id_and_labels_stay_small() -> None:
    """Random matches: every label of every list; bytes of a list's labels, which are in each update of who decides."""
    sizes = []
    for seats in (2, 4, 6):
        for _, _, game, last in match(seats, 1, 200):
            if not last or not game.rooms or game.ending:
                continue
            for decision in RULEBOOK.awaiting(game):
                entries = RULEBOOK.legal_commands(game, decision.seat)
                texts = [entry.label.text for entry in entries]
                texts += [text for entry in entries if entry.parameters for text in _choices(entry)]
                assert not [text for text in texts if ID.search(text)]
                assert max(map(len, texts), default=0) <= LONGEST
                sizes.append(sum(len(wire.label(entry.label).SerializeToString()) for entry in entries))
    assert max(sizes) <= MOST_BYTES
    assert median(sizes) <= USUAL_BYTES


def _choices(entry: LegalCommand) -> list[str]:
    lists = [parameter.domain for parameter in entry.parameters if isinstance(parameter.domain, Choices)]
    return [label.text for domain in lists for _, label in domain.choices]
