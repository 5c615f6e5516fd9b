"""The reasoning bot: what it says, what it concludes, and that it comes to an end with talking."""

from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Seat, Seated
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.tempel_des_schreckens.beliefs import believe
from ludolog.rulebooks.tempel_des_schreckens.bot import belief
from ludolog.testkit.chance import SeededChance

RULEBOOK = catalogue.load("tempel_des_schreckens")
E, G, F = "CHAMBER_EMPTY", "CHAMBER_GOLD", "CHAMBER_FIRE"
ROWS = [
    {"seat": 1, "chambers": [E, E, E, E, G]},
    {"seat": 2, "chambers": [E, E, G, G, G]},
    {"seat": 3, "chambers": [E, E, E, F, F]},
    {"seat": 4, "chambers": [E, E, E, G, G]},
]
ROLES = ["ROLE_ADVENTURER", "ROLE_ADVENTURER", "ROLE_GUARDIAN", "ROLE_ADVENTURER"]


def game(**fields: Any) -> Any:
    position = {"rows": ROWS, "roles": ROLES, "key_player": 1, **fields}
    return RULEBOOK.from_position(json_format.ParseDict(position, pb.Position()), 4, pb.Options())


def answer(state: Any, seat: int, seed: str = "bot") -> Any:
    legal = RULEBOOK.legal_commands(state, Seat(seat))
    return belief(RULEBOOK.view(state, Seated(Seat(seat))), legal, Seat(seat), SeededChance(seed))


def seen(state: Any) -> pb.View:
    view = RULEBOOK.view(state, Seated(Seat(1)))
    assert isinstance(view, pb.View)
    return view


def claim(seat: int, gold: int, fire: int) -> dict[str, int]:
    return {"round": 1, "seat": seat, "gold": gold, "fire": fire}


def test_an_adventurer_says_the_truth() -> None:
    assert answer(game(), 2) == pb.MakeClaim(team=pb.TEAM_ADVENTURERS, empty=2, gold=3, fire=0)


def test_a_guardian_passes_fire_for_gold() -> None:
    assert answer(game(), 3) == pb.MakeClaim(team=pb.TEAM_ADVENTURERS, empty=3, gold=2, fire=0)


def test_it_claims_once_a_round_and_then_waits() -> None:
    assert answer(game(claims=[claim(2, 3, 0)]), 2) is None


def test_the_key_player_opens_where_gold_was_claimed() -> None:
    claims = [claim(1, 1, 0), claim(2, 3, 0), claim(3, 0, 0), claim(4, 2, 0)]
    for number in range(5):
        opening = answer(game(claims=claims), 1, f"opening {number}")
        assert isinstance(opening, pb.OpenChamber)
        assert opening.owner == 2


def test_whoever_claimed_no_fire_and_had_it_is_found_out() -> None:
    state = game(
        key_player=0,
        openings=[{"round": 1, "by": 2, "owner": 3, "slot": 4}, {"round": 1, "by": 3, "owner": 1, "slot": 1}],
        claims=[claim(1, 1, 0), claim(2, 3, 0), claim(3, 2, 0), claim(4, 2, 0)],
    )
    beliefs = believe(seen(state))
    assert beliefs.guardian[3] > 0.9
    assert beliefs.guardian[2] < 0.6
    assert beliefs.guardian[4] < 0.6


def test_without_claims_everybody_is_as_suspect_as_the_pack_says() -> None:
    beliefs = believe(seen(game()))
    # 4 players: for an adventurer one or two guardians among the three others, each with chance 1/2 (digest 2.1).
    assert beliefs.guardian == pytest.approx({2: 0.5, 3: 0.5, 4: 0.5})
    assert beliefs.fire == pytest.approx({2: 2 / 15, 3: 2 / 15, 4: 2 / 15})


def test_a_spectator_is_no_player() -> None:
    state = game()
    view = RULEBOOK.view(state, Seated(Seat(1)))
    view.ClearField("own")
    assert belief(view, RULEBOOK.legal_commands(state, Seat(1)), Seat(1), SeededChance("x")) is None
