"""Taking placements back: as with pencil and eraser, but never past a draw (digest 4.4; RULINGS L1)."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.rules.course import Course
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Platform"
UNDOS = 20
"""Placements that may be taken back between two draws: without a bound a match could grow for ever."""


def check_undo_placement(tables: Tables, game: Game, command: pb.UndoPlacement) -> None:
    """The latest placement, with all that followed from it, while nothing else was done or drawn since."""
    if not game.undo:
        raise Refusal("NOTHING_TO_UNDO", SECTION, ruling="L1")
    if game.undone >= UNDOS:
        raise Refusal("TOO_MANY_UNDOS", SECTION, undos=UNDOS, ruling="L1")


def undo_placement(course: Course, command: pb.UndoPlacement) -> None:
    """An event of its own: nothing is deleted."""
    course.tell(pb.PlacementUndone())
