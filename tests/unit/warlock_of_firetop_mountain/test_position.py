"""Positions: what is left out is filled in, what can't be is refused with the reason."""

from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Seat
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game

RULEBOOK = catalogue.load("warlock_of_firetop_mountain")


def read(seats: int = 2, **parts: Any) -> Game:
    game = RULEBOOK.from_position(json_format.ParseDict(parts, pb.Position()), seats, pb.Options())
    assert isinstance(game, Game)
    return game


def test_an_empty_position_is_a_game_that_begins() -> None:
    game = read(4)
    assert [len(player.key_cards) for player in game.players] == [2, 2, 1, 1]
    assert game.chest == (1, 2, 3)
    assert {player.ready.place for player in game.players if player.ready} == {"c15_0"}
    assert sum(len(room.stack) for room in game.rooms) == 32
    assert RULEBOOK.from_position(RULEBOOK.position(game), 4, pb.Options()) == game


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"players": [{"seat": 3}]}, "players: one for each seat"),
        ({"players": [{"seat": 1, "adventurer": {"place": "c0_0"}}]}, "stands nowhere"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T01"}, {"card": "T01"}]}]}, "treasures: a card stands twice"),
        ({"players": [{"seat": 1, "rucksack": [{"card": "T33"}]}]}, "isn't in the box"),
        ({"rooms": [{"id": "R_A", "encounter": "E01"}, {"id": "R_B", "encounter": "E01"}]}, "encounters: a card"),
        ({"rooms": [{"id": "R_0"}]}, "aren't on the board"),
        ({"chest": [1, 2, 3], "players": [{"seat": 1, "key_cards": [3]}]}, "each number once"),
        ({"maze": [{"id": "X7"}]}, "maze: boxes are"),
        ({"items": [{"item": 1, "place": "here", "held": {"card": "T01"}}]}, "lies nowhere"),
        ({"turn": {"seat": 1}}, "the game has begun"),
        ({"talks": [1]}, "seats are 1 to 2"),
    ],
)
def test_an_impossible_position_is_refused(parts: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read(**parts)


def test_a_turn_that_begins_with_a_die_offers_what_begins_it_alone() -> None:
    lost = {"place": "S2", "in_passage": True, "lanterns": 0}
    game = read(players=[{"seat": 1, "adventurer": lost, "rucksack": [{"card": "T25"}]}, {"seat": 2}])
    assert [entry.command for entry in RULEBOOK.legal_commands(game, Seat(1))] == [
        pb.RollMovement(),
        pb.EatProvisions(),
    ]
    assert RULEBOOK.legal_commands(game, Seat(2)) == ()
    assert RULEBOOK.from_position(RULEBOOK.position(game), 2, pb.Options()) == game
