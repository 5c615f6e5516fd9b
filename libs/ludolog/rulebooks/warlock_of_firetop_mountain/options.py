"""The Options as JSON schema, for forms, and as settings."""

from __future__ import annotations

from typing import Any

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet, Settings

DEFAULT_ROUNDS = 100
ROUNDS = range(10, 601)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "double_six_rule": {
            "type": "boolean",
            "default": False,
            "title": "Double six",
            "description": "Optional rule 9.7: a double six that wins the round costs 4 STAMINA instead of 2.",
        },
        "strict_7_8": {
            "type": "boolean",
            "default": False,
            "title": "Rule 7.8 to the letter",
            "description": "Dragon's Lair and Warlock's Study may not be re-entered either until somebody else was in.",
        },
        "dead_end_extra": {
            "type": "boolean",
            "default": False,
            "title": "Harsh dead ends",
            "description": "A dead end in the maze costs one more turn than that in which it is found.",
        },
        "data_set": {
            "type": "string",
            "enum": ["DATA_SET_TWO_HOUR", "DATA_SET_WIDE"],
            "default": "DATA_SET_TWO_HOUR",
            "title": "Board",
            "description": "Two hours: a shorter maze, more open Maze Cards. Wide: the long one.",
        },
        "most_rounds": {
            "type": "integer",
            "minimum": 0,
            "maximum": ROUNDS[-1],
            "default": 0,
            "title": "Limit of rounds",
            "description": f"The game ends without a winner after so many rounds, {ROUNDS[0]} or more; 0: 100.",
        },
        "more_looks": {
            "type": "boolean",
            "default": False,
            "title": "Livelier looks",
            "description": "The Wise Man shows all Key Cards of a player, Seeing Stones work besides the move, "
            "and a Scroll of Asking stands in for some Gold.",
        },
        "lesser_warlock": {
            "type": "boolean",
            "default": False,
            "title": "A lesser Warlock",
            "description": "The Warlock has less SKILL and STAMINA.",
        },
    },
}


def settings_from(options: pb.Options) -> Settings:
    """What the table chose, defaults filled in."""
    return Settings(
        double_six_rule=options.double_six_rule,
        strict_7_8=options.strict_7_8,
        dead_end_extra=options.dead_end_extra,
        data_set=DataSet(options.data_set or DataSet.TWO_HOUR),
        most_rounds=options.most_rounds or DEFAULT_ROUNDS,
        more_looks=options.more_looks,
        lesser_warlock=options.lesser_warlock,
        meal_ruling=True,
    )
