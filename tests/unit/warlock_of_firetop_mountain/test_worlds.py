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
