"""What an opening is worth, against counting every order in which hidden chambers can come."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.rulebooks.tempel_des_schreckens.prospects import chance_of_gold, prospects


def adventurers_win(order: tuple[str, ...], openings: int) -> bool:
    """Whether all gold comes before the last fire, in time."""
    opened = order[:openings]
    gold, fire = order.count("g"), order.count("f")
    if opened.count("g") < gold:
        return False
    last_gold = max((place for place, card in enumerate(order) if card == "g"), default=-1)
    return order[: last_gold + 1].count("f") < fire


def counted(gold: int, fire: int, cards: int, openings: int) -> float:
    deck = "g" * gold + "f" * fire + "e" * (cards - gold - fire)
    wins: Iterator[bool] = (adventurers_win(order, openings) for order in permutations(deck))
    results = list(wins)
    return sum(results) / len(results)


@pytest.mark.parametrize(
    ("gold", "fire", "cards", "openings"),
    [(1, 1, 3, 2), (2, 1, 6, 4), (2, 2, 6, 5), (3, 2, 7, 7), (1, 2, 5, 1), (0, 2, 4, 2), (2, 1, 3, 3)],
)
def test_the_chance_is_what_counting_gives(gold: int, fire: int, cards: int, openings: int) -> None:
    assert chance_of_gold(gold, fire, cards, openings) == pytest.approx(counted(gold, fire, cards, openings))


def test_the_last_fire_and_the_last_gold_decide() -> None:
    left = {"empty": 3, "gold": 1, "fire": 1}
    view = pb.View(seats=3, round=4, rounds=4, openings_left=3, chambers=pb.Counts(**left), opened=pb.Counts())
    after = prospects(view)
    assert (after.gold, after.fire) == (1.0, 0.0)
    assert after.empty == pytest.approx(counted(1, 1, 4, 2))
