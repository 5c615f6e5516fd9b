"""Building. Digest B1 to B6, rulings A20, A22 to A25."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import DeterminationReason, Material, RollPurpose, Tower, Window
from ludolog.rulebooks.beast_hunter.rules.course import Course, alterable, require, require_placing, roll_of
from ludolog.rulebooks.beast_hunter.rules.determination import gain_determination
from ludolog.rulebooks.beast_hunter.rules.elders import approval_due
from ludolog.rulebooks.beast_hunter.rules.materials import (
    common_materials,
    require_common,
    require_material,
    spend,
)
from ludolog.rulebooks.beast_hunter.rules.time_track import cross_day
from ludolog.rulebooks.beast_hunter.state import FAULT, Game
from ludolog.rulebooks.beast_hunter.tables import Grid, Tables

SECTION = "Building"


def check_start_build(tables: Tables, game: Game, command: pb.StartBuild) -> None:
    """A tower that isn't standing, for one common material (B1)."""
    require(game, SECTION, Window.DAY)
    if game.tower(Tower(command.tower)).standing:
        raise Refusal("TOWER_STANDS", SECTION, tower=Tower(command.tower).name)
    _check_payment(tables, game, command.pay_with)


def _check_payment(tables: Tables, game: Game, pay_with: int) -> None:
    require_common(tables, SECTION, Material(pay_with))
    require_material(game, SECTION, Material(pay_with))


def start_build(course: Course, command: pb.StartBuild) -> None:
    """Pay and begin with an empty grid."""
    course.tell(pb.DayActionChosen(action=pb.ACTION_BUILD, tower=command.tower))
    spend(course, Material(command.pay_with))
    course.tell(pb.BuildStarted(tower=command.tower))


def building(game: Game) -> Tower:
    """The tower that is being built. ValueError where none is."""
    if game.today.tower is None:
        raise ValueError("nothing is built today")
    return game.today.tower


def fits(grid: Grid, cells: tuple[int, ...], cell: int, value: int) -> bool:
    """B2: all neighbours are empty or hold an X, or at least one holds the same number."""
    around = [cells[neighbour - 1] for neighbour in grid.neighbours[cell - 1]]
    return value in around or all(number in (0, FAULT) for number in around)


def places(tables: Tables, game: Game, value: int) -> list[int]:
    """Squares in which a value may be written."""
    tower = building(game)
    grid, cells = tables.grids[tower], game.tower(tower).cells
    return [n for n, number in enumerate(cells, 1) if not number and fits(grid, cells, n, value)]


def _check_square(tables: Tables, game: Game, cell: int) -> None:
    cells = game.tower(building(game)).cells
    if not 1 <= cell <= len(cells):
        raise Refusal("NO_SUCH_SQUARE", SECTION, cell=cell)
    if cells[cell - 1]:
        raise Refusal("SQUARE_FILLED", SECTION, cell=cell)


def check_place_tower_die(tables: Tables, game: Game, command: pb.PlaceTowerDie) -> None:
    """Dice in any order (B2, ruling A24)."""
    roll = require_placing(game, SECTION, RollPurpose.BUILD, command.die)
    _check_square(tables, game, command.cell)
    tower, value = building(game), roll.dice[command.die - 1]
    if not fits(tables.grids[tower], game.tower(tower).cells, command.cell, value):
        raise Refusal("NO_MATCHING_NEIGHBOUR", SECTION, cell=command.cell, value=value)


def place_tower_die(course: Course, command: pb.PlaceTowerDie) -> None:
    """Write a die down; a full grid is a tower."""
    tower, value = building(course.game), roll_of(course.game).dice[command.die - 1]
    course.tell(pb.TowerDiePlaced(die=command.die, value=value, tower=pb.Tower.ValueType(tower), cell=command.cell))
    _complete_if_full(course, tower)


def check_patch_fault(tables: Tables, game: Game, command: pb.PatchFault) -> None:
    """A die without a place costs a common material and a square (B3)."""
    roll = require_placing(game, SECTION, RollPurpose.BUILD, command.die)
    value = roll.dice[command.die - 1]
    if places(tables, game, value):
        raise Refusal("NO_FAULT", SECTION, die=command.die, value=value, ruling="A24")
    _check_payment(tables, game, command.pay_with)
    _check_square(tables, game, command.cell)


def patch_fault(course: Course, command: pb.PatchFault) -> None:
    """Write an X; the value is lost."""
    tower, value = building(course.game), roll_of(course.game).dice[command.die - 1]
    course.tell(pb.FaultMade(die=command.die, value=value))
    spend(course, Material(command.pay_with))
    course.tell(pb.FaultPatched(tower=pb.Tower.ValueType(tower), die=command.die, cell=command.cell))
    _complete_if_full(course, tower)


def unsound(tables: Tables, game: Game) -> bool:
    """No die that is left has a place, and there is nothing to patch with (B3)."""
    roll = game.roll
    if roll is None or roll.purpose is not RollPurpose.BUILD:
        return False
    if any(game.store(material) for material in common_materials(tables)):
        return False
    return not any(places(tables, game, roll.dice[die - 1]) for die in roll.unplaced)


def give_up_if_unsound(course: Course) -> None:
    """A structure that nothing can save any more, no determination and no Luck Charm, is aborted."""
    if unsound(course.tables, course.game) and not alterable(course.game):
        abort(course, given_up=False)


def check_accept_fault(tables: Tables, game: Game) -> None:
    """Instead of saving an unsound structure with determination or a Luck Charm; else nothing is given up (A24)."""
    require(game, SECTION, Window.PLACE_DICE)
    if not unsound(tables, game):
        raise Refusal("NOT_NOW", SECTION, window=Window.PLACE_DICE.name, ruling="A24")


def abort(course: Course, *, given_up: bool) -> None:
    """Erase the grid; the day is over, and no tower was built (B3, ruling A25)."""
    tower, roll = building(course.game), roll_of(course.game)
    die = roll.unplaced[0]
    course.tell(pb.FaultMade(die=die, value=roll.dice[die - 1]))
    course.tell(pb.BuildAborted(tower=pb.Tower.ValueType(tower), given_up=given_up))
    cross_day(course)


def _complete_if_full(course: Course, tower: Tower) -> None:
    """B4 to B6: the tower stands; without any X it earns a point; three of them an elder; then the day is over."""
    sheet = course.game.tower(tower)
    if not all(sheet.cells):
        return
    course.tell(pb.TowerCompleted(tower=pb.Tower.ValueType(tower), faults=sheet.faults))
    if not sheet.faults:
        gain_determination(course, DeterminationReason.FLAWLESS_TOWER)
    game = course.game
    first_time = all(other.standing for other in game.towers) and not game.towers_approved
    if not (first_time and approval_due(course, towers=True)):
        cross_day(course)
