"""The house player with dice on the table: where they go, and whether determination or the Luck Charm changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TypeVar

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter import bot_build as build
from ludolog.rulebooks.beast_hunter import bot_forge as forge
from ludolog.rulebooks.beast_hunter.bot_days import worths
from ludolog.rulebooks.beast_hunter.bot_search import WEIGHTS, box
from ludolog.rulebooks.beast_hunter.bot_worth import CHARM, DETERMINATION, Look
from ludolog.rulebooks.beast_hunter.names import Tower
from ludolog.rulebooks.beast_hunter.state import FAULT
from ludolog.rulebooks.beast_hunter.tables import FACES

M = TypeVar("M", bound=Message)
Dice = tuple[int, ...]
COLUMNS = 3
FARTHEST = 3
"""Points that are spent on one roll at most."""
ALMOST_DONE = 6
"""Squares that are left of a flawless tower when a point of determination is worth saving it."""


def of(moves: Sequence[Message], kind: type[M]) -> list[M]:
    """The moves of a kind."""
    return [move for move in moves if isinstance(move, kind)]


def place(look: Look, moves: Sequence[Message]) -> Message:
    """Write a die down, or change the roll first."""
    match look.view.roll.purpose:
        case pb.ROLL_PURPOSE_SEARCH:
            return _search(look, moves)
        case pb.ROLL_PURPOSE_BUILD:
            return _build(look, moves)
        case _:
            return _forge(look)


def _loose(look: Look) -> dict[int, int]:
    """Values of the dice that aren't placed, by their numbers."""
    return {n: die.value for n, die in enumerate(look.view.roll.dice, 1) if not die.placed}


def _shifted(dice: Dice, points: int) -> Iterator[tuple[int, Dice]]:
    """The roll after so many points of determination at most, and the points."""
    for by in product(range(-points, points + 1), repeat=len(dice)):
        cost = sum(map(abs, by))
        then = tuple(die + step for die, step in zip(dice, by, strict=True))
        if cost <= points and all(1 <= die <= FACES for die in then):
            yield cost, then


def _best_shift(look: Look, dice: Dice, worth: Callable[[Dice], float]) -> tuple[float, Dice]:
    """The best roll that determination makes, its price taken off."""
    points = 0 if look.view.roll.determination_barred else min(look.view.determination, FARTHEST)
    return max((worth(then) - DETERMINATION * cost, then) for cost, then in _shifted(dice, points))


def _steps(dice: dict[int, int], then: Dice) -> Message | None:
    """The first step from these dice to those."""
    for (number, value), wanted in zip(dice.items(), then, strict=True):
        if value != wanted:
            return pb.AdjustDie(die=number, by=1 if wanted > value else -1)
    return None


def _charm(look: Look, moves: Sequence[Message], gain: float) -> Message | None:
    """Roll again, if that gains enough: the second time it costs nothing."""
    price = 0.0 if look.view.roll.rerolls_left else CHARM
    found = of(moves, pb.UseLuckCharm)
    return found[0] if found and gain > price else None


def _search(look: Look, moves: Sequence[Message]) -> Message:
    region = look.view.regions[look.view.region - 1]
    written = next(one for one in region.boxes if one.active)
    squares = [*written.top, *written.bottom]
    empty = tuple(weight for weight, value in zip(WEIGHTS, squares, strict=True) if not value)
    total = sum(weight * value for weight, value in zip(WEIGHTS, squares, strict=True))
    dice, found = _loose(look), box(worths(look, region).by_result(look.tables))
    values = tuple(dice.values())
    if len(empty) == len(WEIGHTS):
        best = values
    else:
        worth, best = _best_shift(look, values, lambda then: found.best(total, empty, then)[0])
        untouched = len(dice) == len(look.view.roll.dice)
        if untouched and (again := _charm(look, moves, found.worth(total, empty) - worth)):
            return again
    if step := _steps(dice, best):
        return step
    square = WEIGHTS.index(found.best(total, empty, values)[1][0])
    row = pb.ROW_TOP if square < COLUMNS else pb.ROW_BOTTOM
    return pb.PlaceDie(die=next(iter(dice)), row=row, column=square % COLUMNS + 1)


def _build(look: Look, moves: Sequence[Message]) -> Message:
    tower = look.view.sheet.today.tower
    grid = look.tables.grids[Tower(tower)]
    cells = tuple(FAULT if cell.fault else cell.value for cell in look.view.towers[tower - 1].cells)
    dice = _loose(look)
    legal = {n: squares for n, value in dice.items() if (squares := build.places(grid, cells, value))}
    if legal:
        die, cell = build.best_die(grid, cells, dice, legal)
        return pb.PlaceTowerDie(die=die, cell=cell)
    return _fault(look, moves, build.Site(grid, cells), dice)


def _fault(look: Look, moves: Sequence[Message], site: build.Site, dice: dict[int, int]) -> Message:
    """No die has a place: determination while the tower is flawless and almost done, or where nothing else helps."""
    patches = of(moves, pb.PatchFault)
    flawless = FAULT not in site.cells and site.cells.count(0) <= ALMOST_DONE
    if flawless or not patches:
        for move in of(moves, pb.AdjustDie):
            if build.places(site.grid, site.cells, dice[move.die] + move.by):
                return move
    if not patches:
        return next(iter(of(moves, pb.UseLuckCharm)), None) or next(iter(of(moves, pb.AcceptRoll)), moves[0])
    rest = {move.die: [value for n, value in dice.items() if n != move.die] for move in patches}
    return min(
        patches,
        key=lambda move: (
            build.danger_after(site.grid, build.after(site.cells, move.cell, FAULT), rest[move.die]),
            -look.store(move.pay_with),
        ),
    )


def _forge(look: Look) -> Message:
    field = [(one.top, one.bottom) for one in look.view.workbench.boxes]
    dice = _loose(look)
    index, row = forge.best(field, tuple(dice.values()))[1][0]
    return pb.PlaceForgeDie(die=next(iter(dice)), box=index + 1, row=pb.ROW_TOP if row == forge.TOP else pb.ROW_BOTTOM)


def used(look: Look, moves: Sequence[Message]) -> Message:
    """A roll that isn't placed: use it, or change it first."""
    view = look.view
    values = {n: die.value for n, die in enumerate(view.roll.dice, 1)}
    dice = tuple(values.values())
    worth, before = _outcome(look)
    if worth is None:
        return pb.AcceptRoll()
    best, then = _best_shift(look, dice, worth)
    if again := _charm(look, moves, before - best):
        return again
    return _steps(values, then) or pb.AcceptRoll()


def _outcome(look: Look) -> tuple[Callable[[Dice], float] | None, float]:
    """What a roll is worth by its dice, and what a new one is expected to be."""
    match look.view.roll.purpose:
        case pb.ROLL_PURPOSE_COMBAT:
            return _in_combat(look, escaping=False)
        case pb.ROLL_PURPOSE_ESCAPE:
            return _in_combat(look, escaping=True)
        case pb.ROLL_PURPOSE_ATTACK_DIRECTION:
            attacker = look.view.regions[look.view.sheet.night.attacker - 1]
            return _mean(lambda dice: _struck(look, attacker.approach[dice[0] - 1]))
        case pb.ROLL_PURPOSE_ENCOUNTER_LEVEL:
            region = look.view.regions[look.view.region - 1]
            return _mean(lambda dice: look.gain(region, look.tables.level_die[dice[0] - 1]))
        case pb.ROLL_PURPOSE_TOWER_DAMAGE:
            faults = look.view.towers[look.view.sheet.night.direction - 1].faults
            return _mean(lambda dice: _damage(look, look.tables.boxes_damaged(dice[0] + faults)))
        case _:
            return None, 0.0


def _mean(worth: Callable[[Dice], float]) -> tuple[Callable[[Dice], float], float]:
    return worth, sum(worth((face,)) for face in range(1, FACES + 1)) / FACES


def _struck(look: Look, direction: int) -> float:
    return 0.0 if look.view.towers[direction - 1].standing else -look.hut()


def _damage(look: Look, boxes: int) -> float:
    return -20.0 if boxes < 0 else -2.0 * boxes


def _in_combat(look: Look, *, escaping: bool) -> tuple[Callable[[Dice], float], float]:
    combat = look.view.combat
    fight, rolls = look.current_fight(), 0
    here = look.hit_points, combat.hit_points_left, rolls
    before = fight.choices(*here)[escaping]
    outcome = fight.fled if escaping else fight.after
    return (lambda dice: outcome(dice, *here)), before
