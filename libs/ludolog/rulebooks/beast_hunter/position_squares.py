"""Squares drawn as text: search boxes, the refining field, construction grids."""

from __future__ import annotations

from collections.abc import Sequence

from ludolog.rulebooks.beast_hunter.state import FAULT, TowerSheet

EMPTY, OUTSIDE, CROSS = "_", ".", "X"
DIGITS = "123456"
WIDTH = 3


def box_rows(squares: tuple[int, ...]) -> tuple[str, str]:
    """Two rows of three squares; empty texts where nothing is written."""
    if not any(squares):
        return "", ""
    signs = "".join(str(value) if value else EMPTY for value in squares)
    return signs[:WIDTH], signs[WIDTH:]


def box_from(top: str, bottom: str) -> tuple[int, ...]:
    """Six squares from two rows. ValueError for other texts."""
    signs = (top or EMPTY * WIDTH) + (bottom or EMPTY * WIDTH)
    if len(signs) != 2 * WIDTH or len(top) not in (0, WIDTH) or any(sign not in EMPTY + DIGITS for sign in signs):
        raise ValueError(f"a row is three of {EMPTY}{DIGITS}, not {top!r}, {bottom!r}")
    return tuple(0 if sign == EMPTY else int(sign) for sign in signs)


def grid_rows(sheet: TowerSheet) -> list[str]:
    """A construction grid row by row; none where nothing is written in it."""
    if not any(sheet.cells):
        return []
    cells = iter(sheet.cells)
    return ["".join(_sign(next(cells)) if sign == "#" else OUTSIDE for sign in row) for row in sheet.grid.split("/")]


def _sign(value: int) -> str:
    return EMPTY if value == 0 else CROSS if value == FAULT else str(value)


def cells_from(grid: str, rows: Sequence[str]) -> tuple[int, ...]:
    """Squares from rows. ValueError where they don't have the outline of the grid."""
    if not rows:
        return (0,) * grid.count("#")
    text = "/".join(rows)
    outline = "".join(sign if sign in "./" else "#" for sign in text)
    if outline != grid or any(sign not in EMPTY + DIGITS + CROSS for sign in text if sign not in "./"):
        raise ValueError(f"rows: outside {OUTSIDE}, inside {EMPTY}{DIGITS}{CROSS}, as in {grid}, not {text}")
    return tuple(_value(sign) for sign in text if sign not in "./")


def _value(sign: str) -> int:
    return 0 if sign == EMPTY else FAULT if sign == CROSS else int(sign)
