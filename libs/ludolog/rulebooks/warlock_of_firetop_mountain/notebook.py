"""A player's notebook: what was legally learned of Key Cards (12), and apart from it what was said (RULINGS W14).

Fields are called as in the proto's Notebook.
"""

from __future__ import annotations

from functools import cache

import msgspec


class Fact(msgspec.Struct, frozen=True, order=True, gc=False):
    """That a seat holds, lacks or was shown a Key Card."""

    seat: int
    card: int


@cache
def fact_of(seat: int, card: int) -> Fact:
    """A fact: the same object in all notebooks."""
    return Fact(seat, card)


class Claim(msgspec.Struct, frozen=True, gc=False):
    """That `seat` said, or was told, that the owner (0: the chest) has a key, or hasn't; proves nothing."""

    seat: int
    number: int
    owner: int = 0
    holds: bool = False
    turn: int = 0


class Notebook(msgspec.Struct, frozen=True, gc=False):
    """What a player has legally learned; facts are sorted, claims stand in the order in which they were said."""

    seen: tuple[Fact, ...] = ()
    lacks: tuple[Fact, ...] = ()
    complete: tuple[int, ...] = ()
    shown: tuple[Fact, ...] = ()
    heard: tuple[Claim, ...] = ()
    told: tuple[Claim, ...] = ()
