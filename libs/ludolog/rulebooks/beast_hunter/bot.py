"""A house player from views alone: simple habits, no look ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Chance, LegalCommand, Seat, candidates

M = TypeVar("M", bound=Message)
MIDDLE = 3.5
"""What an empty square is taken for."""
HURT = 4
"""Hit points at which a fight is left, and a day of rest is taken."""


def simple(view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Search, fight while healthy, build when there is material; places dice for small results."""
    moves = [entry.command for entry in candidates(legal)]
    if not isinstance(view, pb.View) or not moves:
        return None
    match view.window:
        case pb.WINDOW_DAY:
            return _day(view, moves, chance)
        case pb.WINDOW_COMBAT:
            fight = view.hit_points > HURT or view.combat.hit_points_left == 1
            return pb.AttackRoll() if fight else pb.EscapeRoll()
        case pb.WINDOW_PLACE_DICE:
            return _place(view, moves, chance)
        case pb.WINDOW_FIGHT_OFFER:
            return pb.EnterTbCombat() if view.hit_points > HURT + HURT else pb.DeclineTbCombat()
        case pb.WINDOW_SEARCH:
            searches = _of(moves, pb.StartSearch)
            return searches[0] if searches and view.hit_points > HURT else pb.EndSearchDay()
        case pb.WINDOW_TOWER_DAMAGE:
            tower = view.towers[view.sheet.night.direction - 1]
            whole = [cell.cell for cell in tower.cells if not cell.fault]
            return pb.ChooseTowerDamage(cells=whole[: view.tower_damage])
        case _:
            return moves[0]


def _of(moves: Sequence[Message], kind: type[M]) -> list[M]:
    return [move for move in moves if isinstance(move, kind)]


def _day(view: pb.View, moves: Sequence[Message], chance: Chance) -> Message:
    builds, searches = _of(moves, pb.StartBuild), _of(moves, pb.ChooseSearchRegion)
    if view.hit_points <= HURT:
        return pb.Rest()
    commons = sum(region_store(view, region.common) for region in view.regions)
    if builds and commons >= HURT:
        return builds[0]
    return chance.choose("region", searches) if searches else pb.Rest()


def region_store(view: pb.View, material: int) -> int:
    """How much of a material is stored."""
    return view.stores[material - 1].count


def _place(view: pb.View, moves: Sequence[Message], chance: Chance) -> Message:
    places = _of(moves, pb.PlaceDie)
    if places:
        return min(places, key=lambda move: _badness(view, move))
    bench = _of(moves, pb.PlaceForgeDie)
    return chance.choose("place", bench) if bench else moves[0]


def _badness(view: pb.View, move: pb.PlaceDie) -> float:
    """How far the columns are from equal, the hundreds first; an open column counts as a middling number."""
    box = next(box for region in view.regions for box in region.boxes if box.active)
    top, bottom = list(box.top), list(box.bottom)
    row = top if move.row == pb.ROW_TOP else bottom
    row[move.column - 1] = view.roll.dice[move.die - 1].value
    pairs = zip(top, bottom, (100, 10, 1), strict=True)
    value = float(sum(((a or MIDDLE) - (b or MIDDLE)) * worth for a, b, worth in pairs))
    return abs(value) if value >= 0 else abs(value) + 10
