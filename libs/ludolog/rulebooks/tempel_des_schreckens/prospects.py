"""How likely the adventurers are to win from here if chambers are opened at random: what an opening is worth."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb


class Prospects(NamedTuple):
    """The adventurers' chance to win after the next opening, by what it shows."""

    empty: float
    gold: float
    fire: float


def prospects(view: pb.View) -> Prospects:
    """What the next opening may lead to."""
    gold, fire = view.chambers.gold - view.opened.gold, view.chambers.fire - view.opened.fire
    cards = sum((view.chambers.empty - view.opened.empty, gold, fire))
    openings = (view.rounds - view.round) * view.seats + view.openings_left
    return Prospects(
        empty=chance_of_gold(gold, fire, cards - 1, openings - 1),
        gold=chance_of_gold(max(gold - 1, 0), fire, cards - 1, openings - 1),
        fire=chance_of_gold(gold, max(fire - 1, 0), cards - 1, openings - 1),
    )


@lru_cache(maxsize=1 << 14)
def chance_of_gold(gold: int, fire: int, cards: int, openings: int) -> float:
    """Chance that all gold is found before the last fire, within so many random openings of so many hidden cards."""
    if not gold:
        return 1.0
    if not fire or openings <= 0:
        return 0.0
    empty = cards - gold - fire
    won = gold * chance_of_gold(gold - 1, fire, cards - 1, openings - 1)
    won += fire * chance_of_gold(gold, fire - 1, cards - 1, openings - 1)
    won += empty * chance_of_gold(gold, fire, cards - 1, openings - 1) if empty > 0 else 0.0
    return won / cards
