"""Forging. Digest F1, F2, rulings A27, A46, A47."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import BadInput, Refusal
from ludolog.rulebooks.beast_hunter.names import (
    DamageSource,
    DeterminationReason,
    Equipment,
    Grade,
    RollPurpose,
    Row,
    Window,
)
from ludolog.rulebooks.beast_hunter.rules.course import Course, require, require_placing, roll_of
from ludolog.rulebooks.beast_hunter.rules.death import hurt
from ludolog.rulebooks.beast_hunter.rules.determination import gain_determination
from ludolog.rulebooks.beast_hunter.rules.materials import require_material, spend
from ludolog.rulebooks.beast_hunter.rules.time_track import cross_day
from ludolog.rulebooks.beast_hunter.state import BOXES, Game
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Forging"


def check_start_forge(tables: Tables, game: Game, command: pb.StartForge) -> None:
    """Equipment that isn't there yet, for its rare material (F1, ruling A27)."""
    require(game, SECTION, Window.DAY)
    equipment = Equipment(command.equipment)
    if game.grade(equipment):
        raise Refusal("ALREADY_FORGED", SECTION, equipment=equipment.name, ruling="A27")
    require_material(game, SECTION, tables.equipment[equipment].material)


def start_forge(course: Course, command: pb.StartForge) -> None:
    """Pay and begin with a clear field."""
    course.tell(pb.DayActionChosen(action=pb.ACTION_FORGE, equipment=command.equipment))
    spend(course, course.tables.equipment[Equipment(command.equipment)].material)
    course.tell(pb.ForgeStarted(equipment=command.equipment))


def check_place_forge_die(tables: Tables, game: Game, command: pb.PlaceForgeDie) -> None:
    """Any die, any empty square of the refining field (F1)."""
    require_placing(game, SECTION, RollPurpose.FORGE, command.die)
    if not 1 <= command.box <= BOXES:
        raise Refusal("NO_SUCH_SQUARE", SECTION, box=command.box)
    if game.field[_square(command) - 1]:
        raise Refusal("SQUARE_FILLED", SECTION, box=command.box, row=Row(command.row).name)


def _square(command: pb.PlaceForgeDie) -> int:
    return command.box + (BOXES if Row(command.row) is Row.BOTTOM else 0)


def place_forge_die(course: Course, command: pb.PlaceForgeDie) -> None:
    """Write a die down; once both are, the boxes that became full are settled."""
    value = roll_of(course.game).dice[command.die - 1]
    course.tell(pb.ForgeDiePlaced(die=command.die, value=value, box=command.box, row=command.row))
    if course.game.roll is None:
        _settle(course)


def box_results(field: tuple[int, ...]) -> dict[int, int]:
    """Top minus bottom of each full box."""
    pairs = zip(field[:BOXES], field[BOXES:], strict=True)
    return {box: top - bottom for box, (top, bottom) in enumerate(pairs, 1) if top and bottom}


def _settle(course: Course) -> None:
    """A result of 0 or more is written down; a negative one costs 1 hit point and clears its box."""
    settled = course.game.settled
    for box, result in box_results(course.game.field).items():
        if box in settled:
            continue
        if result >= 0:
            course.tell(pb.ForgeBoxSettled(box=box, result=result))
            continue
        course.tell(pb.ForgeBoxCleared(box=box, result=result))
        if not hurt(course, DamageSource.FORGE, 1):
            return


def refined_value(game: Game) -> int:
    """Sum of the three results (F2)."""
    return sum(box_results(game.field).values())


def check_finish_forge(tables: Tables, game: Game, command: pb.FinishForge) -> None:
    """Rare materials lower the refined value by 1 each, not below 0 (F2, ruling A47)."""
    if command.extra_rare < 0:
        raise BadInput("command.finish_forge.extra_rare", "must be 0 or more")
    require(game, SECTION, Window.REFINE)
    value = refined_value(game)
    if command.extra_rare > value:
        raise Refusal("TOO_MUCH_RARE", SECTION, refined_value=value, ruling="A47")
    require_material(game, SECTION, tables.equipment[forging(game)].material, command.extra_rare)


def forging(game: Game) -> Equipment:
    """What is being forged. ValueError where nothing is."""
    if game.today.equipment is None:
        raise ValueError("nothing is forged today")
    return game.today.equipment


def finish_forge(course: Course, command: pb.FinishForge) -> None:
    """4 or more fails, 1 to 3 is standard, 0 mastercraft; the day is over."""
    equipment, total = forging(course.game), refined_value(course.game)
    if command.extra_rare:
        spend(course, course.tables.equipment[equipment].material, command.extra_rare)
    value = total - command.extra_rare
    course.tell(pb.ForgeRefined(sum=total, extra_rare=command.extra_rare, value=value))
    grade, what = course.tables.grade(value), pb.Equipment.ValueType(equipment)
    if grade is None:
        course.tell(pb.ForgeFailed(equipment=what))
    else:
        course.tell(pb.EquipmentForged(equipment=what, grade=pb.Grade.ValueType(grade)))
    if grade is Grade.MASTERCRAFT:
        gain_determination(course, DeterminationReason.MASTERCRAFT)
    cross_day(course)
