"""Dice of the task under way, and what accepting a roll means there."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import Action, RollPurpose, Window
from ludolog.rulebooks.beast_hunter.rules import building, determination
from ludolog.rulebooks.beast_hunter.rules.course import Course, require
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTIONS = {Action.SEARCH: "Searching", Action.BUILD: "Building", Action.FORGE: "Forging"}
PURPOSES = {Action.SEARCH: RollPurpose.SEARCH, Action.BUILD: RollPurpose.BUILD, Action.FORGE: RollPurpose.FORGE}


def check_roll_dice(tables: Tables, game: Game, command: pb.RollDice) -> None:
    """A search, a build or a forge goes on."""
    section = SECTIONS.get(game.today.action, "How to Play") if game.today.action else "How to Play"
    require(game, section, Window.NEXT_ROLL)


def roll_dice(course: Course, command: pb.RollDice) -> None:
    """Roll both dice."""
    action = course.game.today.action
    if action is not None:
        course.roll(PURPOSES[action], 2)


def check_accept_roll(tables: Tables, game: Game, command: pb.AcceptRoll) -> None:
    """After any roll that isn't placed die by die; while building, only where it leaves an unsound structure."""
    if game.roll and game.roll.purpose is RollPurpose.BUILD:
        building.check_accept_fault(tables, game)
    else:
        determination.check_accept_roll(tables, game, command)


def accept_roll(course: Course, command: pb.AcceptRoll) -> None:
    """Use the roll as it is, or give an unsound structure up."""
    if course.game.roll and course.game.roll.purpose is RollPurpose.BUILD:
        building.abort(course, given_up=True)
    else:
        course.accept()
