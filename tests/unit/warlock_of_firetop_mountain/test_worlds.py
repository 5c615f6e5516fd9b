"""Worlds that a viewer can't tell from the real one: only such as can be, and offers of cards that are carried."""

from typing import Any

from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import SPECTATOR, Seat, Seated, Viewer
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.sanity import check_game
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from ludolog.testkit.chance import SeededChance

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")
TABLES = read_tables(RULEBOOK.content)
WORLDS = 60


def worlds(viewer: Viewer, **parts: Any) -> list[Game]:
    game = RULEBOOK.from_position(json_format.ParseDict(parts, pb.Position()), 3, pb.Options())
    seen = RULEBOOK.view(game, viewer)
    return [RULEBOOK.determinize(seen, viewer, SeededChance(f"world {number}")) for number in range(WORLDS)]


def test_nobody_carries_two_magic_swords_in_any_world() -> None:
    hidden = [{"card": f"T0{number}"} for number in range(1, 5)]
    players = [
        {"seat": 1, "rucksack": [{"card": "T22", "shown": True}, *hidden]},
        {"seat": 2, "rucksack": [{"card": "T23"}, {"card": "T25"}, {"card": "T26"}]},
        {"seat": 3, "rucksack": [{"card": "T30"}, {"card": "T31"}, {"card": "T32"}]},
    ]
    for world in worlds(SPECTATOR, players=players):
        check_game(TABLES, world)


def test_in_every_world_an_offer_is_of_cards_that_are_carried() -> None:
    players = [
        {"seat": 1, "rucksack": [{"card": "T01"}, {"card": "T02"}]},
        {"seat": 2, "rucksack": [{"card": "T03", "known_by": [1]}]},
        {"seat": 3},
    ]
    offer = {"seat": 1, "to": 2, "give": {"cards": ["T01", "T02"]}, "take": {"cards": ["T03"]}}
    window = {"kind": "WINDOW_KIND_START", "seat": 1}
    for world in worlds(Seated(Seat(3)), players=players, offer=offer, window=window):
        assert world.offer is not None
        assert sorted(world.offer.give.cards) == [held.card for held in world.player(1).rucksack]
        assert sorted(world.offer.take.cards) == [held.card for held in world.player(2).rucksack]


def test_who_leaves_a_card_below_the_limit_carries_two_swords_and_nobody_else_does() -> None:
    """A15: only swords can be too many then; others carry at most one meanwhile."""
    players = [
        {"seat": 1, "rucksack": [{"card": "T25"}, {"card": "T26"}]},
        {"seat": 2, "rucksack": [{"card": "T22"}, {"card": "T01"}, {"card": "T23"}]},
        {"seat": 3, "rucksack": [{"card": "T30"}, {"card": "T31"}, {"card": "T32"}]},
    ]
    window = {"kind": "WINDOW_KIND_START", "seat": 1}
    for world in worlds(SPECTATOR, players=players, leaving={"seat": 2}, window=window):
        assert {"T22", "T23"} <= {held.card for held in world.player(2).rucksack}


def test_while_somebody_leaves_cards_nobody_else_carries_two_swords() -> None:
    hidden = [{"card": f"T0{number}"} for number in range(1, 8)]
    players = [
        {"seat": 1, "rucksack": hidden},
        {"seat": 2, "rucksack": [{"card": card} for card in ("T22", "T25", "T26", "T27", "T28", "T29")]},
        {"seat": 3, "rucksack": [{"card": card} for card in ("T08", "T09", "T10", "T30", "T31", "T32")]},
    ]
    window = {"kind": "WINDOW_KIND_START", "seat": 1}
    for world in worlds(SPECTATOR, players=players, leaving={"seat": 1}, window=window):
        for seat in (2, 3):
            assert len({"T22", "T23"} & {held.card for held in world.player(seat).rucksack}) < 2


def test_talk_that_an_agreed_look_makes_counts_as_everybody_sees_it() -> None:
    """An agreed look counts as talk even for who has had all of it (W2); a decision's id is the same in each world."""
    offer = {"seat": 1, "to": 2, "give": {"look": True}, "take": {"look": True}}
    window = {"kind": "WINDOW_KIND_START", "seat": 1}
    parts: dict[str, Any] = {"players": [{"seat": 1}, {"seat": 2}, {"seat": 3}], "offer": offer, "window": window}
    game = RULEBOOK.from_position(json_format.ParseDict({**parts, "talks": [2, 4, 0]}, pb.Position()), 3, pb.Options())
    for world in worlds(Seated(Seat(2)), **parts, talks=[2, 4, 0]):
        assert RULEBOOK.awaiting(world) == RULEBOOK.awaiting(game)
