"""The mountain for a plain terminal."""

from __future__ import annotations

import textwrap

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.board_notes import headline, notebook_lines, table_lines
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

MINIMUM_WIDTH = 40
SIGNS = "Letters: rooms; numbers: Secret Passages, in reverse: players; # Maze Cards; ~ the river."


def draw(tables: Tables, view: pb.View, width: int) -> str:
    """The board with everybody's seat number on it, the sheets below. `width` in columns."""
    tables = tables.played(view)
    board = tables.boards[DataSet(view.data_set or DataSet.TWO_HOUR)].message
    grid = [[" "] * board.width for _ in range(board.height)]
    _passages(board, grid)
    for y in board.river:
        grid[y] = ["~"] * board.width
    where: dict[str, tuple[int, int]] = {}
    for room in board.rooms:
        where[room.id] = (room.x, room.y)
        for x in range(room.x, room.x + room.width):
            for y in range(room.y, room.y + room.height):
                grid[y][x] = room.id[-1]
    for entrance in board.entrances:
        where[entrance.id] = (entrance.x, entrance.y)
        grid[entrance.y][entrance.x] = entrance.id[-1]
    for box in board.boxes:
        where[box.id] = (box.x, box.y)
        grid[box.y][box.x] = "#"
    for player in view.players:
        place = player.adventurer.place
        if place:
            x, y = where[place] if place in where else _square(place)
            grid[y][x] = f"\033[7m{player.seat}\033[0m"
    lines = ["".join(row).rstrip() for row in reversed(grid)]
    columns = max(width, MINIMUM_WIDTH)
    lines += _dim(SIGNS, columns)
    known = [headline(view), *(_sheet(tables, player) for player in view.players), *table_lines(tables, view)]
    known += notebook_lines(view) if view.HasField("own") else []
    lines += [line for text in known for line in textwrap.wrap(text, columns, subsequent_indent="  ")]
    if tables.reconstructed:
        lines += _dim(f"Reconstructed, not as printed in the box: {'; '.join(tables.reconstructed)}.", columns)
    return "\n".join(line for line in lines if line) + "\n"


def _dim(text: str, columns: int) -> list[str]:
    return [f"\033[2m{line}\033[0m" for line in textwrap.wrap(text, columns)]


def _passages(board: pb.Board, grid: list[list[str]]) -> None:
    for line in board.passages:
        for x in range(min(line.x1, line.x2), max(line.x1, line.x2) + 1):
            for y in range(min(line.y1, line.y2), max(line.y1, line.y2) + 1):
                grid[y][x] = "."


def _square(place: str) -> tuple[int, int]:
    x, _, y = place[1:].partition("_")
    return int(x), int(y)


def _sheet(tables: Tables, player: pb.PlayerView) -> str:
    if not player.HasField("adventurer"):
        return f"{player.seat}: no adventurer"
    sheet = player.adventurer
    states = {"cursed": sheet.cursed, "caged": sheet.caged, f"misses {sheet.misses_turns}": sheet.misses_turns}
    return "  ".join(
        (
            f"{player.seat}: {sheet.name}",
            *([tables.place(sheet.place)] if sheet.place else []),
            f"SKILL {player.attack}  STAMINA {sheet.stamina}/{sheet.initial_stamina}",
            f"LUCK {sheet.luck}/{sheet.initial_luck}  Gold {sheet.gold}  Provisions {sheet.provisions}",
            f"lanterns {sheet.lanterns}  cards {len(player.rucksack)}",
            *(state for state, true in states.items() if true),
        )
    )
