"""The house player's refining field: the least expected cost, worked out for every way in which its boxes can stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from ludolog.rulebooks.beast_hunter.bot_search import ROLLS

POINT, WOUND = 3.0, 5.0
"""What a point of refined value costs, and a hit point."""
AGAIN = (0.0, 5.4, 10.5, 11.3)
"""Expected costs of one, two and three open boxes, whatever stands in them: the means of the exact ones."""
EMPTY = (0, 0)
TOP, BOTTOM = 0, 1
Pair = tuple[int, int]
"""A box: the numbers on top and below, 0 for none."""
Field = tuple[Pair, ...]
Square = tuple[int, int]
"""Which box (from 0), and TOP or BOTTOM."""


def ways(field: Sequence[Pair], dice: Sequence[int]) -> Iterator[tuple[tuple[Square, ...], Field]]:
    """Every way to write these dice into empty squares, in their order."""
    if not dice:
        yield (), tuple(field)
        return
    for index, (top, bottom) in enumerate(field):
        for row, number in ((TOP, top), (BOTTOM, bottom)):
            if number:
                continue
            pair = (dice[0], bottom) if row == TOP else (top, dice[0])
            then = (*field[:index], pair, *field[index + 1 :])
            for more, last in ways(then, dice[1:]):
                yield ((index, row), *more), last


def settle(field: Iterable[Pair]) -> tuple[float, Field]:
    """What the full boxes cost, and the boxes that are open then, sorted."""
    cost, still = 0.0, []
    for top, bottom in field:
        if not (top and bottom):
            still.append((top, bottom))
        elif top < bottom:
            cost += WOUND
            still.append(EMPTY)
        else:
            cost += POINT * (top - bottom)
    return cost, tuple(sorted(still))


def cost_of(field: Sequence[Pair]) -> float:
    """Of a field after a roll: now, and until it is closed."""
    now, still = settle(field)
    return now + expected(still)


@cache
def expected(field: Field) -> float:
    """Cost of a field before a roll, until it is closed; what comes after a box that had to be cleared is estimated."""
    if not field:
        return 0.0
    total = 0.0
    for dice, chance in ROLLS:
        total += chance * min(_onward(field, last) for _, last in ways(field, dice))
    return total


def _onward(before: Field, after: Field) -> float:
    now, still = settle(after)
    return now + (expected(still) if len(still) < len(before) else AGAIN[len(still)])


def best(field: Sequence[Pair], dice: Sequence[int]) -> tuple[float, tuple[Square, ...]]:
    """Where these dice of a roll are best written, all of them."""
    return min((cost_of(last), squares) for squares, last in ways(field, dice))
