"""The rules: one module for each chapter of the book, and the one door to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from google.protobuf.message import Message

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Cause, Chance, Commanded, Events, Resigned, Seat, TimedOut
from ludolog.rulebooks.tempel_des_schreckens.rules.absence import require_present, resign
from ludolog.rulebooks.tempel_des_schreckens.rules.gameplay import open_by_default, open_chamber
from ludolog.rulebooks.tempel_des_schreckens.rules.talk import make_claim, point_at
from ludolog.rulebooks.tempel_des_schreckens.state import Game

COMMANDS: dict[type[Message], Callable[[Game, Seat, Any, Chance], Events]] = {
    pb.OpenChamber: open_chamber,
    pb.MakeClaim: make_claim,
    pb.PointAt: point_at,
}


def decide(game: Game, cause: Cause, chance: Chance) -> Events:
    """Judge a cause in a game that is on. Refusals come before the first draw and change nothing."""
    match cause:
        case Commanded(seat, command):
            require_present(game, seat)
            return COMMANDS[type(command)](game, seat, command, chance)
        case TimedOut():
            return open_by_default(game, cause, chance)
        case Resigned():
            return resign(game, cause, chance)
        case _:
            assert_never(cause)
