"""Determination: points change a roll before it is used. Digest D1 to D3, rulings A4, A5, A36, A38, A42."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import DeterminationReason, Window
from ludolog.rulebooks.beast_hunter.rules.course import BARRED, Course, require, require_free_die, roll_of
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import FACES, Tables

SECTION = "Determination"


def gain_determination(course: Course, reason: DeterminationReason, amount: int = 1) -> None:
    """Earn points; what finds no space on the bar is lost (ruling A4)."""
    written = min(amount, course.tables.numbers["determination"] - course.game.determination)
    gained = pb.DeterminationGained(
        reason=pb.DeterminationReason.ValueType(reason), amount=written, lost=amount - written
    )
    course.tell(gained)


def check_adjust_die(tables: Tables, game: Game, command: pb.AdjustDie) -> None:
    """Any number of points, any die that isn't placed, within 1 to 6, but not on a nature, an event, or a direction."""
    require(game, SECTION, Window.PLACE_DICE, Window.AFTER_ROLL)
    roll = roll_of(game)
    if roll.purpose in BARRED:
        raise Refusal("ROLL_BARRED", SECTION, roll=roll.purpose.name)
    if game.determination < 1:
        raise Refusal("NO_DETERMINATION", SECTION)
    require_free_die(roll, SECTION, command.die)
    if command.by not in {1, -1}:
        raise Refusal("NOT_A_STEP", SECTION, by=command.by)
    value = roll.dice[command.die - 1] + command.by
    if not 1 <= value <= FACES:
        raise Refusal("BEYOND_DIE", SECTION, die=command.die, value=value)


def adjust_die(course: Course, command: pb.AdjustDie) -> None:
    """Pay a point, shift a die by one."""
    value = roll_of(course.game).dice[command.die - 1] + command.by
    course.tell(pb.DeterminationSpent(amount=1), pb.DieAdjusted(die=command.die, value=value))


def check_accept_roll(tables: Tables, game: Game, command: pb.AcceptRoll) -> None:
    """A roll that isn't placed die by die."""
    require(game, SECTION, Window.AFTER_ROLL)
