"""The way through the mountain, in thirds of a space, for a house player: distances from one space to all others."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.state import is_room

SPACE, ROOM, PASSAGE, RIVER, BOX, SEEN_BOX = 3, 6, 9, 24, 24, 15
"""What a step costs: a turn is about ten. A room ends the move; a box is looked into first, and may be a dead end."""


@dataclass(frozen=True, eq=False)
class Ways:
    """Space → what lies beside it, and what it costs to get there."""

    by_space: Mapping[str, list[tuple[str, int]]]


def ways(board: Board, view: pb.View) -> Ways:
    """Every space, and what it costs to get to those beside it; boxes that are known to be dead ends lead nowhere."""
    return _ways(board, tuple((box.id, int(box.card)) for box in view.maze))


@lru_cache(maxsize=64)
def turned(found: Ways) -> Ways:
    """The same ways, walked backwards."""
    back: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for one, others in found.by_space.items():
        for other, cost in others:
            back[other].append((one, cost))
    return Ways(back)


@lru_cache(maxsize=64)
def _ways(board: Board, maze: tuple[tuple[str, int], ...]) -> Ways:
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for one, near in board.neighbours.items():
        for other in near:
            found[one].append((other, ROOM if is_room(other) else SPACE))
    for one in board.entrances:
        found[one] += [(other, PASSAGE) for other in board.entrances if one[0] == other[0] and one != other]
    for box, card in maze:
        if card != pb.MAZE_CARD_DEAD_END:
            cost = SEEN_BOX if card == pb.MAZE_CARD_THROUGH else BOX
            for port, beyond in permutations(board.boxes[box].touches):
                found[port].append((beyond, cost))
    for bank in board.banks:
        found[bank].append((board.other_bank(bank), RIVER))
    return Ways(found)


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
