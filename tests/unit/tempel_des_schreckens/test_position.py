"""Positions for scenarios: filled in as the proto says, refused where they can't come about."""

from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.tempel_des_schreckens.state import Chamber, Game, Role

RULEBOOK = catalogue.load("tempel_des_schreckens")
E, G, F = "CHAMBER_EMPTY", "CHAMBER_GOLD", "CHAMBER_FIRE"


def position(seats: int = 3, **fields: Any) -> Game:
    game = RULEBOOK.from_position(json_format.ParseDict(fields, pb.Position()), seats, pb.Options(starting_player=2))
    assert isinstance(game, Game)
    return game


def test_an_empty_position_is_the_start() -> None:
    game = position()
    assert (game.round, game.key_player, game.opened.total) == (1, 2, 0)
    assert game.roles == (Role.ADVENTURER, Role.ADVENTURER, Role.GUARDIAN)
    assert game.leftover is Role.GUARDIAN
    assert [chamber for row in game.rows for chamber in row.chambers] == sorted(game.chambers.cards())


def test_openings_of_the_round_are_open_in_their_rows_and_the_key_follows_them() -> None:
    game = position(openings=[{"round": 1, "by": 1, "owner": 3, "slot": 4}])
    assert game.key_player == 3
    assert game.row(3).opened == (4,)
    assert game.openings[0].chamber is Chamber.FIRE
    assert game.opened.fire == 1


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"round": 5}, "round 5"),
        ({"round": 2}, "3 chambers in the stacks"),
        ({"stacks": {"gold": 1}}, "0 chambers in the stacks"),
        ({"round": 2, "stacks": {"fire": 3}}, "more cards"),
        ({"rows": [{"seat": 1, "chambers": [G, G]}]}, "5 chambers for each seat"),
        ({"rows": [{"seat": 4, "chambers": [E] * 5}]}, "each seat"),
        ({"rows": [{"seat": 1, "chambers": [F, F, F, E, E]}]}, "more cards"),
        ({"rows": [{"seat": 1, "chambers": [E, E, E, E, "CHAMBER_UNSPECIFIED"]}]}, "0"),
        ({"roles": ["ROLE_GUARDIAN"] * 3}, "roles"),
        ({"roles": ["ROLE_GUARDIAN"] * 2}, "roles"),
        ({"leftover": "ROLE_ADVENTURER"}, "leftover"),
        ({"key_player": 4}, "seats are 1 to 3"),
        ({"resigned": [9]}, "seats are 1 to 3"),
        ({"talks": [1, 2]}, "talks"),
        ({"talks": [1, 2, 4]}, "talks"),
        ({"openings": [{"round": 1, "by": 1, "owner": 1, "slot": 1}]}, "nobody can have opened"),
        ({"openings": [{"round": 1, "by": 1, "owner": 2, "slot": 6}]}, "nobody can have opened"),
        ({"openings": [{"round": 1, "by": 1, "owner": 2, "slot": 1, "chamber": G}]}, "the row has"),
        ({"key_player": 1, "openings": [{"round": 1, "by": 1, "owner": 2, "slot": 1}]}, "the key is with"),
        ({"openings": [{"round": 1, "by": 1, "owner": 2, "slot": 1}] * 2}, "opened twice"),
        ({"round": 2, "stacks": {"empty": 1, "fire": 2}}, "would be over"),
    ],
)
def test_impossible_positions_are_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        position(**fields)


def test_there_is_no_table_for_two() -> None:
    with pytest.raises(ValueError, match="2 players"):
        position(2)
