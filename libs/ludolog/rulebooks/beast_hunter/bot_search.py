"""The house player's search dice: the best expected worth of a box, exact over all dice that are still to come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, permutations

from ludolog.rulebooks.beast_hunter.names import SearchKind
from ludolog.rulebooks.beast_hunter.tables import FACES, LARGEST_RESULT, Tables

WEIGHTS = (100, 10, 1, -100, -10, -1)
"""What a die adds to the result in each square: the top row, then the bottom row."""
ROLLS = tuple((dice, (1 if dice[0] == dice[1] else 2) / 36) for dice in combinations_with_replacement(range(1, 7), 2))
REACH = 666
"""No sum of some squares is further from 0."""
BOXES = 32
"""Boxes that are remembered."""
LAST = 2
"""Empty squares before the last roll."""
Squares = tuple[int, ...]
"""Weights of empty squares."""


class Worths:
    """What each kind of result is worth: by level (0: one die decides) for an encounter."""

    def __init__(self, encounters: Sequence[float], track: float, lair: float, ambush: float) -> None:
        self.key = (*(round(worth) for worth in encounters), round(track), round(lair), round(ambush))

    def by_result(self, tables: Tables) -> tuple[int, ...]:
        """Worth of each result from the lowest, in whole points, so that boxes can share what is worked out."""
        worths: list[int] = []
        for result in tables.results:
            worths += [self._of(result.kind, result.level)] * (result.high - result.low + 1)
        return tuple(worths)

    def _of(self, kind: SearchKind, level: int) -> int:
        match kind:
            case SearchKind.ENCOUNTER:
                return self.key[level]
            case SearchKind.TRACK:
                return self.key[-3]
            case SearchKind.LAIR:
                return self.key[-2]
            case SearchKind.AMBUSH:
                return self.key[-1]


class Box:
    """Expected worths of a box that is being filled, if every die goes where it is best."""

    def __init__(self, worths: tuple[int, ...]) -> None:
        beyond = [0] * (2 * REACH - LARGEST_RESULT)
        self._worth = [*beyond, *worths, *beyond]
        self._last: dict[Squares, list[float]] = {}
        self._known: dict[tuple[int, Squares], float] = {}

    def worth(self, total: int, empty: Squares) -> float:
        """Before a roll, of a box whose filled squares add up to `total`; `empty` stands in the order of WEIGHTS."""
        if not empty:
            return self._worth[total + 2 * REACH]
        if len(empty) == LAST:
            return self._before_last(empty)[total - _lowest(empty)]
        key = total, empty
        if key not in self._known:
            self._known[key] = self._earlier(total, empty)
        return self._known[key]

    def _before_last(self, empty: Squares) -> list[float]:
        """For every total at once, from the lowest that the other four squares can have."""
        if empty not in self._last:
            one, other = empty
            low, sums = _lowest(empty), [0.0] * (_highest(empty) - _lowest(empty) + 1)
            for (a, b), chance in ROLLS:
                starts = low + one * a + other * b, low + one * b + other * a
                ways = (self._worth[2 * REACH + start : 2 * REACH + start + len(sums)] for start in starts)
                sums = [so_far + chance * best for so_far, best in zip(sums, map(max, *ways), strict=True)]
            self._last[empty] = sums
        return self._last[empty]

    def _earlier(self, total: int, empty: Squares) -> float:
        worth, pairs, expected = self.worth, _pairs(empty), 0.0
        for (a, b), chance in ROLLS:
            first = max(worth(total + one * a + other * b, left) for one, other, left in pairs)
            second = first if a == b else max(worth(total + one * b + other * a, left) for one, other, left in pairs)
            expected += chance * max(first, second)
        return expected

    def ways(self, total: int, empty: Squares, dice: Sequence[int]) -> Iterator[tuple[float, Squares]]:
        """Every way to place these dice: its worth, and the square for each of them."""
        for squares in permutations(empty, len(dice)):
            left = tuple(square for square in empty if square not in squares)
            yield self.worth(total + sum(s * die for s, die in zip(squares, dice, strict=True)), left), squares

    def best(self, total: int, empty: Squares, dice: Sequence[int]) -> tuple[float, Squares]:
        """The best way to place them."""
        return max(self.ways(total, empty, dice))


@cache
def _lowest(empty: Squares) -> int:
    """The least sum of all squares but these."""
    return sum(min(weight, FACES * weight) for weight in WEIGHTS if weight not in empty)


@cache
def _highest(empty: Squares) -> int:
    return sum(max(weight, FACES * weight) for weight in WEIGHTS if weight not in empty)


@cache
def _pairs(empty: Squares) -> tuple[tuple[int, int, Squares], ...]:
    return tuple(
        (one, other, tuple(square for square in empty if square not in (one, other)))
        for one, other in combinations(empty, 2)
    )


@lru_cache(BOXES)
def box(worths: tuple[int, ...]) -> Box:
    """The box whose results have these worths, with what was already worked out of it."""
    return Box(worths)
