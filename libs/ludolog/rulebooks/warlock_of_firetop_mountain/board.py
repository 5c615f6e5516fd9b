"""The board: squares, rooms, Secret Passage entrances, maze boxes, and the ways between them (7, 13, 14, 15, 16).

Checked on load: doors and rings touch, nothing overlaps, everything can be reached, ports are squares of their own.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel.reading import number
from ludolog.rulebooks.warlock_of_firetop_mountain.state import is_box, is_entrance, is_room

SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
ENTRANCES = 6
"""Entrances of a set of Secret Passages: the exit is one die (14.2, ruling A43)."""
BOXES = 6


@dataclass(frozen=True)
class RoomPlan:
    """A room: where it is drawn, and the squares in front of its doors."""

    id: str
    title: str
    x: int
    y: int
    width: int
    height: int
    doors: tuple[str, ...]

    def cells(self) -> set[tuple[int, int]]:
        """The fields that it covers."""
        return {(self.x + dx, self.y + dy) for dx in range(self.width) for dy in range(self.height)}


@dataclass(frozen=True)
class Spot:
    """A Secret Passage entrance or a maze box: where it is drawn, and the squares that it touches."""

    id: str
    x: int
    y: int
    touches: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """One of the boards, told apart by identity.

    `neighbours` leads from every space to those one step away; boxes and the river apart.
    """

    width: int
    height: int
    squares: frozenset[str]
    lines: tuple[tuple[int, int, int, int], ...]
    rooms: Mapping[str, RoomPlan]
    entrances: Mapping[str, Spot]
    boxes: Mapping[str, Spot]
    river: tuple[int, ...]
    entrance: str
    south_bank: str
    north_bank: str
    lair: str
    study: str
    treasure_room: str
    through: int
    box_spaces: int
    """What a maze box takes of a roll (ruling A49)."""
    river_on_arrival: bool
    neighbours: Mapping[str, tuple[str, ...]] = field(repr=False)
    box_at: Mapping[str, str] = field(repr=False)
    """Square beside a maze box → box."""

    @property
    def banks(self) -> tuple[str, str]:
        """South bank, north bank."""
        return self.south_bank, self.north_bank

    def other_bank(self, bank: str) -> str:
        """The bank on the other side."""
        return self.north_bank if bank == self.south_bank else self.south_bank

    def ways(self, place: str, open_boxes: Container[str] = ()) -> tuple[str, ...]:
        """Spaces one step from a place; a maze box only while its card is turned up."""
        if is_box(place):
            return self.boxes[place].touches
        near, box = self.neighbours[place], self.box_at.get(place, "")
        return (*near, box) if box and box in open_boxes else near

    def spaces(self, path: Iterable[str]) -> int:
        """What a path takes of a roll: one for each space, `box_spaces` for a maze box (ruling A49)."""
        return sum(self.box_spaces if is_box(place) else 1 for place in path)

    def reach(self, start: str, most: int, open_boxes: Container[str] = ()) -> dict[str, tuple[str, ...]]:
        """Space → a shortest path to it, of at most `most` spaces; a room or an entrance ends a path (7.5, 14.1)."""
        paths: dict[str, tuple[str, ...]] = {start: ()}
        taken, order = {start: 0}, count()
        waiting = [(0, next(order), start)]
        while waiting:
            spent, _, place = heapq.heappop(waiting)
            if spent > taken[place] or (place != start and (is_room(place) or is_entrance(place))):
                continue
            for near in self.ways(place, open_boxes):
                further = spent + (self.box_spaces if is_box(near) else 1)
                if further <= min(most, taken.get(near, most + 1) - 1):
                    taken[near], paths[near] = further, (*paths[place], near)
                    heapq.heappush(waiting, (further, next(order), near))
        return paths

    @cached_property
    def stops(self) -> Mapping[str, tuple[str, ...]]:
        """Square → why a move may end there by the plan alone, in words of `naming.STOPS`."""
        found: dict[str, tuple[str, ...]] = {}
        for place in self.squares:
            offers = {"RIVER_BANK": place in self.banks, "MAZE_ENTRANCE": place in self.box_at}
            found[place] = tuple(stop for stop, true in offers.items() if true)
            if not found[place] and len(self.neighbours[place]) == 1:
                found[place] = ("DEAD_END",)
        return found

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Space → what people call it: "room A", "Shylock (room Y)", "passage 12, 5 (door of room A)" (column, row)."""
        letters = {room: plain_name(room) for room in self.rooms}
        named = {room: f"{self.rooms[room].title} ({name})" for room, name in letters.items() if self.rooms[room].title}
        others = {space: plain_name(space) for space in (*self.entrances, *self.boxes)}
        beside = {self.entrance: "the Entrance", self.south_bank: "the south bank", self.north_bank: "the north bank"}
        squares = {name: beside.get(name) or self._square_name(name, letters) for name in self.squares}
        return {**letters, **named, **others, **squares}

    def _square_name(self, name: str, letters: Mapping[str, str]) -> str:
        near = [f"door of {letters[other]}" for other in self.neighbours[name] if other in letters]
        near += [f"by {plain_name(other)}" for other in self.neighbours[name] if other in self.entrances]
        near += [f"by {plain_name(self.box_at[name])}"] if name in self.box_at else []
        return plain_name(name) + (f" ({', '.join(near)})" if near else "")

    @cached_property
    def message(self) -> pb.Board:
        """The board for the drawing."""
        return pb.Board(
            width=self.width,
            height=self.height,
            passages=[pb.Line(x1=a, y1=b, x2=c, y2=d) for a, b, c, d in self.lines],
            rooms=[
                pb.RoomPlan(id=r.id, title=r.title, x=r.x, y=r.y, width=r.width, height=r.height, doors=r.doors)
                for r in self.rooms.values()
            ],
            entrances=[pb.EntrancePlan(id=s.id, x=s.x, y=s.y, ring=s.touches[0]) for s in self.entrances.values()],
            boxes=[pb.BoxPlan(id=s.id, x=s.x, y=s.y, ports=s.touches) for s in self.boxes.values()],
            river=self.river,
            entrance=self.entrance,
            south_bank=self.south_bank,
            north_bank=self.north_bank,
            river_on_arrival=self.river_on_arrival,
        )


def plain_name(space: str) -> str:
    """What a space is called on any board: "room A", "Secret Passage S5", "maze box X1", "passage 12, 5"."""
    if is_room(space):
        return f"room {space.removeprefix('R_')}"
    if is_entrance(space):
        return f"Secret Passage {space}"
    if is_box(space):
        return f"maze box {space}"
    x, y = at(space)
    return f"passage {x}, {y}"


def square(x: int, y: int) -> str:
    """Id of a passage square."""
    return f"c{x}_{y}"


def at(space: str) -> tuple[int, int]:
    """Column and row of a passage square."""
    x, _, y = space[1:].partition("_")
    return int(x), int(y)


def read_board(common: Mapping[str, Any], part: Mapping[str, Any]) -> Board:
    """Put a board together from the common part and a data set's own. ValueError where it doesn't fit."""
    lines = [(*row["from"], *row["to"]) for source in (common, part) for row in source["passage"]]
    squares = frozenset(square(x, y) for line in lines for x, y in _fields(line))
    plans = sorted((_room(row) for source in (common, part) for row in source["room"]), key=lambda room: room.id)
    rooms = {room.id: room for room in plans}
    spots = sorted((row for source in (common, part) for row in source["entrance"]), key=_entrance_order)
    entrances = {row["id"]: Spot(row["id"], row["x"], row["y"], (row["ring"],)) for row in spots}
    boxes = {row["id"]: Spot(row["id"], row["x"], row["y"], tuple(row["ports"])) for row in part["box"]}
    general, own = common["board"], part["data_set"]
    board = Board(
        width=general["width"],
        height=own["height"],
        squares=squares,
        lines=tuple(lines),
        rooms=rooms,
        entrances=entrances,
        boxes=boxes,
        river=tuple(general["river"]),
        entrance=general["entrance"],
        south_bank=general["south_bank"],
        north_bank=general["north_bank"],
        lair=general["lair"],
        study=general["study"],
        treasure_room=general["treasure_room"],
        through=own["through"],
        box_spaces=number(own, "box_spaces", 1, 6),
        river_on_arrival=own["river_on_arrival"],
        neighbours=_neighbours(squares, rooms, entrances),
        box_at={port: box.id for box in boxes.values() for port in box.touches},
    )
    _check(board)
    return board


def _room(row: Mapping[str, Any]) -> RoomPlan:
    doors = tuple(row["doors"])
    return RoomPlan(row["id"], row.get("title", ""), row["x"], row["y"], row["width"], row["height"], doors)


def _entrance_order(row: Mapping[str, Any]) -> tuple[bool, str]:
    return not row["id"].startswith("S"), row["id"]


def _fields(line: tuple[int, int, int, int]) -> Iterable[tuple[int, int]]:
    x1, y1, x2, y2 = line
    if x1 != x2 and y1 != y2:
        raise ValueError(f"passages run straight, not {line}")
    return ((x, y) for x in range(min(x1, x2), max(x1, x2) + 1) for y in range(min(y1, y2), max(y1, y2) + 1))


def _neighbours(
    squares: frozenset[str], rooms: Mapping[str, RoomPlan], entrances: Mapping[str, Spot]
) -> dict[str, tuple[str, ...]]:
    """Squares side by side; rooms through their doors; entrances beside their rings."""
    near: dict[str, list[str]] = {}
    for name in sorted(squares, key=at):
        x, y = at(name)
        near[name] = [other for dx, dy in SIDES if (other := square(x + dx, y + dy)) in squares]
    for thing, touches in (
        *((room.id, room.doors) for room in rooms.values()),
        *((spot.id, spot.touches) for spot in entrances.values()),
    ):
        near[thing] = list(touches)
        for door in touches:
            if door not in squares:
                raise ValueError(f"{thing}: there is no square {door}")
            near[door].append(thing)
    return {place: tuple(others) for place, others in near.items()}


def _check(board: Board) -> None:
    _check_geometry(board)
    for letter in "SN":
        if [name for name in board.entrances if name[0] == letter] != [f"{letter}{n}" for n in range(1, ENTRANCES + 1)]:
            raise ValueError(f"Secret Passages: {letter}1 to {letter}{ENTRANCES}")
    if len(board.boxes) != BOXES or not 0 <= board.through <= BOXES or len(board.box_at) != 2 * BOXES:
        raise ValueError(f"maze: {BOXES} boxes, each with two squares of its own")
    for bank in (board.entrance, *board.banks, *board.box_at):
        if bank not in board.squares:
            raise ValueError(f"there is no square {bank}")
    for room in (board.lair, board.study, board.treasure_room):
        if room not in board.rooms:
            raise ValueError(f"there is no room {room}")
    _check_ways(board)


def _check_ways(board: Board) -> None:
    everywhere = _connected(board, board.entrance) | _connected(board, board.north_bank)
    islands = set(board.neighbours) - everywhere
    if islands - _connected(board, next(iter(board.boxes.values())).touches[1]):
        raise ValueError(f"nobody can get to {', '.join(sorted(islands))}")
    if board.treasure_room not in _connected(board, board.north_bank):
        raise ValueError("the Treasure Room can't be reached without a short cut (16.1)")
    if board.north_bank in _connected(board, board.entrance):
        raise ValueError("there is a way around the river")


def _connected(board: Board, start: str) -> set[str]:
    """Everything that can be reached by passages and through rooms."""
    found, waiting = {start}, [start]
    while waiting:
        for near in board.neighbours[waiting.pop()]:
            if near not in found:
                found.add(near)
                waiting.append(near)
    return found


def _check_geometry(board: Board) -> None:
    """Rooms, squares, entrances and boxes lie side by side, none on another, all on the board."""
    taken = {at(name): name for name in board.squares}
    for thing, cells in (
        *((room.id, room.cells()) for room in board.rooms.values()),
        *((spot.id, {(spot.x, spot.y)}) for spot in (*board.entrances.values(), *board.boxes.values())),
    ):
        if overlap := [taken[cell] for cell in cells if cell in taken]:
            raise ValueError(f"{thing} lies on {', '.join(overlap)}")
        taken.update(dict.fromkeys(cells, thing))
        touches = board.neighbours.get(thing) or board.boxes[thing].touches
        for door in touches:
            x, y = at(door)
            if not any((x + dx, y + dy) in cells for dx, dy in SIDES):
                raise ValueError(f"{thing} doesn't touch {door}")
    if any(not (0 <= x < board.width and 0 <= y < board.height) for x, y in taken):
        raise ValueError("something lies outside the board")
    if any(y in board.river for _, y in taken):
        raise ValueError("something lies in the river")
