"""The id of a decision is that of one question: an answer that comes late doesn't answer the next one."""

from __future__ import annotations

import itertools

from msgspec.structs import replace

from ludolog.rulebooks.warlock_of_firetop_mountain.rules.awaiting import main_id
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Fight, Game, Held, Item, Turn, Window, WindowKind


def asked(kind: WindowKind, *, pips: int = 0, items: int = 0, last: int = 0, limit: int = 0, **fight: object) -> str:
    """The id of a decision of seat 1 in turn 5."""
    lying = tuple(Item(number, "c12_3", held=Held("T01")) for number in range(1, items + 1))
    turn = Turn(number=5, seat=1, pips_left=pips)
    battle = Fight(1, **fight) if fight else None  # type: ignore[arg-type]
    game = replace(Game(), turn=turn, window=Window(kind, 1, limit), items=lying, last_item=last, fight=battle)
    return main_id(game)


def test_each_round_of_each_fight_of_a_turn_is_asked_for_by_itself() -> None:
    rounds = [
        asked(WindowKind.FIGHT, **against, rounds=number)
        for against in ({"encounter": "E01"}, {"opponent": 2}, {"opponent": 3})
        for number in range(4)
    ]
    assert len(set(rounds)) == len(rounds)


def test_what_changes_never_makes_up_for_something_else() -> None:
    ids = [
        asked(WindowKind.CLAIM, pips=pips, items=items, last=last, limit=limit)
        for pips, items, last, limit in itertools.product(range(3), repeat=4)
    ]
    assert len(set(ids)) == len(ids)


def test_who_drops_a_card_or_leaves_asks_nobody_anything_new() -> None:
    for kind in (WindowKind.START, WindowKind.MOVE, WindowKind.ARRIVAL):
        assert asked(kind, pips=3) == asked(kind, pips=3, items=1, last=1)
