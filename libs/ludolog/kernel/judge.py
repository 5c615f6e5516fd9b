"""The one door to a rulebook's rules: what holds for every game stands here."""

from __future__ import annotations

from functools import reduce
from typing import Any, TypeVar

from google.protobuf.message import Message

from ludolog.kernel.causes import Cause, Commanded, TimedOut
from ludolog.kernel.chance import Chance
from ludolog.kernel.refusal import BadInput, Refusal, StaleDecision
from ludolog.kernel.rulebook import Events, Rulebook

S = TypeVar("S")


def open_match(rulebook: Rulebook[Any], options: Message, seats: int, chance: Chance) -> Events:
    """Set a match up. Refuses a number of seats that the book doesn't allow, and what the rulebook refuses."""
    if seats not in rulebook.seats:
        raise Refusal(
            "WRONG_PLAYER_COUNT", "Set Up", seats=seats, minimum=rulebook.seats[0], maximum=rulebook.seats[-1]
        )
    return rulebook.setup(options, seats, chance)


def judge(rulebook: Rulebook[S], state: S, cause: Cause, seats: int, chance: Chance) -> Events:
    """Ask the rules. Refuses, besides what the book refuses: GAME_OVER, NO_SUCH_SEAT, STALE_DECISION."""
    if not 1 <= cause.seat <= seats:
        raise BadInput("seat", f"must be 1 to {seats}")
    if rulebook.outcome(state) is not None:
        raise Refusal("GAME_OVER", "Game End")
    decision = cause.decision_id if isinstance(cause, Commanded | TimedOut) else ""
    if isinstance(cause, TimedOut) or decision:
        open_decisions = rulebook.awaiting(state)
        if not any(d.decision_id == decision and d.seat == cause.seat for d in open_decisions):
            raise StaleDecision(decision)
    return rulebook.decide(state, cause, chance)


def fold(rulebook: Rulebook[S], state: S, events: Events) -> S:
    """Apply events in order."""
    return reduce(rulebook.evolve, events, state)
