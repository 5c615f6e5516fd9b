"""The way through the mountain, in thirds of a space, for a house player: distances from one space to all others."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb

SPACE, ROOM, PASSAGE, RIVER, BOX, SEEN_BOX = 3, 6, 9, 24, 24, 15
"""What a step costs: a turn is about ten. A room ends the move; a box is looked into first, and may be a dead end."""


@dataclass(frozen=True, eq=False)
class Ways:
    """Space → what lies beside it, and what it costs to get there."""

    by_space: Mapping[str, list[tuple[str, int]]]


def ways(view: pb.View) -> Ways:
    """Every space, and what it costs to get to those beside it; boxes that are known to be dead ends lead nowhere."""
    known = tuple((box.id, int(box.card)) for box in view.maze)
    return _ways(view.board.SerializeToString(deterministic=True), known)


@lru_cache(maxsize=64)
def turned(found: Ways) -> Ways:
    """The same ways, walked backwards."""
    back: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for one, others in found.by_space.items():
        for other, cost in others:
            back[other].append((one, cost))
    return Ways(back)


@lru_cache(maxsize=64)
def _ways(board_bytes: bytes, maze: tuple[tuple[str, int], ...]) -> Ways:
    board, cards = pb.Board.FromString(board_bytes), dict(maze)
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)

    def join(one: str, other: str, cost: int, back: int) -> None:
        found[one].append((other, cost))
        found[other].append((one, back))

    _join_squares(_squares(board), join)
    for room in board.rooms:
        for door in room.doors:
            join(room.id, door, SPACE, ROOM)
    _join_passages(board, found)
    for box in board.boxes:
        card = cards.get(box.id, 0)
        if card != pb.MAZE_CARD_DEAD_END:
            cost = SEEN_BOX if card == pb.MAZE_CARD_THROUGH else BOX
            join(box.ports[0], box.ports[1], cost, cost)
    join(board.south_bank, board.north_bank, RIVER, RIVER)
    return Ways(found)


def _join_squares(squares: set[tuple[int, int]], join: Callable[[str, str, int, int], None]) -> None:
    for x, y in sorted(squares):
        for beside in ((x + 1, y), (x, y + 1)):
            if beside in squares:
                join(f"c{x}_{y}", f"c{beside[0]}_{beside[1]}", SPACE, SPACE)


def _join_passages(board: pb.Board, found: dict[str, list[tuple[str, int]]]) -> None:
    for one in board.entrances:
        found[one.id].append((one.ring, SPACE))
        found[one.ring].append((one.id, SPACE))
        found[one.id] += [(other.id, PASSAGE) for other in board.entrances if one.id[0] == other.id[0] and one != other]


def _squares(board: pb.Board) -> set[tuple[int, int]]:
    return {
        (x, y)
        for line in board.passages
        for x in range(min(line.x1, line.x2), max(line.x1, line.x2) + 1)
        for y in range(min(line.y1, line.y2), max(line.y1, line.y2) + 1)
    }


@lru_cache(maxsize=1024)
def distances(found: Ways, start: str, barred: frozenset[str] = frozenset()) -> Mapping[str, int]:
    """Dijkstra: the cost from a space to every other that can be reached without going through `barred` ones."""
    best, waiting = {start: 0}, [(0, start)]
    while waiting:
        cost, place = heapq.heappop(waiting)
        if cost > best[place] or (place in barred and place != start):
            continue
        for other, step in found.by_space.get(place, ()):
            if cost + step < best.get(other, 1 << 30):
                best[other] = cost + step
                heapq.heappush(waiting, (cost + step, other))
    return best
