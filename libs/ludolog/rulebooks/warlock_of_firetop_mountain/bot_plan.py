"""How a house player gets to its goal: where to stop, when to cross, when to eat."""

from __future__ import annotations

from collections.abc import Mapping

from ludolog.rulebooks.warlock_of_firetop_mountain.bot_goals import FAR, TURN, goal, hunt_worth
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_map import distances, turned
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import Mind
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_odds import MEAL, best_odds, odds
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_worth import look_worth
from ludolog.rulebooks.warlock_of_firetop_mountain.state import is_entrance, is_room

RESERVE = 8
RISK = 15
MEETING = 2
"""Points of a meeting that make up for one third of a space."""


def destination(mind: Mind, ends: list[str], *, passing: bool = True) -> str:
    """Of the spaces where the move may end, the one from which the best goal is nearest. `ends` isn't empty."""
    where = goal(mind)
    if where in ends:
        return where
    back, here = _back(mind), mind.sheet.place
    if passing and is_entrance(here):
        # Staying is no arrival (A4): into the passage one gets by stepping off and back.
        ends = [end for end in ends if end != here] or ends

    def cost(end: str) -> tuple[int, bool, str]:
        detour = TURN if is_room(end) and end not in mind.guarded and passing else 0
        risk = _risk(mind, end) if is_room(end) else 0
        met = _met(mind, end) if passing and end != here else 0
        return back.get(end, FAR) + detour + risk - met, end == here, end

    return min(ends, key=cost)


def _met(mind: Mind, end: str) -> int:
    """How far out of the way whoever stands there is worth to be met."""
    there = [other for other in mind.others if other.adventurer.place == end]
    points = max((look_worth(mind, other.seat) // 2 + hunt_worth(mind, other) for other in there), default=0)
    return min(TURN, points // MEETING)


def _back(mind: Mind) -> Mapping[str, int]:
    """The cost from every space to the goal."""
    where = goal(mind)
    return distances(turned(mind.ways), where, mind.barred - {where})


def crosses(mind: Mind) -> bool:
    """Whether the way to the goal leads over the river from the bank where this seat stands."""
    here, back = mind.sheet.place, _back(mind)
    return back.get(mind.board.other_bank(here), FAR) < back.get(here, FAR)


def through_box(mind: Mind) -> bool:
    """Whether the way to the goal leads through a maze box beside this seat's square."""
    here, back = mind.sheet.place, _back(mind)
    beyond = [port for box in mind.board.boxes.values() if here in box.touches for port in box.touches if port != here]
    steps = dict(mind.ways.by_space.get(here, ()))
    return any(port in steps and back.get(port, FAR) + steps[port] == back.get(here) for port in beyond)


def hungry(mind: Mind) -> bool:
    """Whether a meal is worth a turn: weak, or at the door of a guard who is better met with more strength."""
    me, near = mind.sheet, dict(mind.ways.by_space.get(mind.sheet.place, ()))
    if me.stamina <= min(RESERVE, me.initial_stamina - MEAL):
        return True
    doors = [room for room in sorted(mind.guarded) if room in near and me.provisions]
    back = _back(mind) if doors else {}
    ahead = [room for room in doors if back.get(room, FAR) < back.get(me.place, FAR)]
    return any(_risk(mind, room) >= near[room] for room in ahead)


def _risk(mind: Mind, room: str) -> int:
    """What entering a room before eating all that helps costs: more than the step, and it waits and eats (`hungry`)."""
    return (best_odds(mind, room) - odds(mind, room)) // RISK
