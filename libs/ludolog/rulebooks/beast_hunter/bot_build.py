"""The house player's towers: each number goes where every number keeps most places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ludolog.rulebooks.beast_hunter.state import FAULT
from ludolog.rulebooks.beast_hunter.tables import FACES, Grid

Cells = tuple[int, ...]
FADING = 0.45
"""How much less a further place for the same number matters."""


class Site(NamedTuple):
    """A tower under way."""

    grid: Grid
    cells: Cells


def fits(grid: Grid, cells: Cells, cell: int, value: int) -> bool:
    """B2: the square is empty, and so are its neighbours, or one of them holds the same number."""
    around = [cells[other - 1] for other in grid.neighbours[cell - 1]]
    return not cells[cell - 1] and (value in around or all(number in (0, FAULT) for number in around))


def places(grid: Grid, cells: Cells, value: int) -> list[int]:
    """Squares for a number."""
    return [cell for cell in range(1, len(cells) + 1) if fits(grid, cells, cell, value)]


def danger(grid: Grid, cells: Cells) -> float:
    """How near the grid is to a fault: 1 for each number without a place, less for each that has some."""
    counts = [0] * (FACES + 1)
    for cell, number in enumerate(cells, 1):
        if number:
            continue
        around = {cells[other - 1] for other in grid.neighbours[cell - 1]} - {0, FAULT}
        for value in around or range(1, FACES + 1):
            counts[value] += 1
    return sum(FADING**count for count in counts[1:])


def after(cells: Cells, cell: int, value: int) -> Cells:
    """With a number (or a FAULT) in a square."""
    return (*cells[: cell - 1], value, *cells[cell:])


def best_place(grid: Grid, cells: Cells, value: int, options: Iterable[int]) -> tuple[float, int]:
    """The square of these that leaves the least danger, and that danger."""
    return min((danger(grid, after(cells, cell, value)), cell) for cell in options)


def best_die(grid: Grid, cells: Cells, dice: dict[int, int], legal: dict[int, list[int]]) -> tuple[int, int]:
    """Which die goes where: `dice` by number, squares for each in `legal`. The other one is placed well after it."""
    found = []
    for die, squares in legal.items():
        rest = [value for other, value in dice.items() if other != die]
        for cell in squares:
            then = after(cells, cell, dice[die])
            found.append((danger_after(grid, then, rest), die, cell))
    _, die, cell = min(found)
    return die, cell


def danger_after(grid: Grid, cells: Cells, rest: list[int]) -> float:
    """The least danger once the other die is placed too."""
    for value in rest:
        squares = places(grid, cells, value)
        if not squares:
            return 1 + danger(grid, cells)
        return best_place(grid, cells, value, squares)[0]
    return danger(grid, cells)
