"""The rules: one module for each chapter of the book, and the one door to them."""

from __future__ import annotations

from typing import assert_never

from google.protobuf.message import Message

from ludolog.kernel import Cause, Chance, Commanded, Events, Resigned, TimedOut
from ludolog.rulebooks.beast_hunter.names import EndReason
from ludolog.rulebooks.beast_hunter.rules import building
from ludolog.rulebooks.beast_hunter.rules.commands import COMMANDS, USES
from ludolog.rulebooks.beast_hunter.rules.course import Course
from ludolog.rulebooks.beast_hunter.rules.game_end import end_game
from ludolog.rulebooks.beast_hunter.rules.legal import default_command
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import Tables


def decide(tables: Tables, game: Game, cause: Cause, chance: Chance) -> Events:
    """Judge a cause in a game that is on. Refusals come before the first draw and change nothing."""
    course = Course(tables, game, chance, USES)
    match cause:
        case Commanded(_, command):
            _obey(course, command)
        case TimedOut():
            _obey(course, default_command(tables, game))
        case Resigned():
            end_game(course, EndReason.RESIGNED)
        case _:
            assert_never(cause)
    return tuple(course.events)


def _obey(course: Course, command: Message) -> None:
    rule = COMMANDS[type(command)]
    rule.check(course.tables, course.game, command)
    rule.act(course, command)
    building.give_up_if_unsound(course)
