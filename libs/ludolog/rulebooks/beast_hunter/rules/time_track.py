"""Resting, Time Track, Events. Digest E1, V1, V2, rulings A6, A19, A33, A44.

The end of a day: cross it out, then its symbol, then doubt, always last.
"""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import EVENTS, DaySymbol, EndReason, RecoveryReason, RollPurpose, Window
from ludolog.rulebooks.beast_hunter.rules.attacks import attack, attack_from
from ludolog.rulebooks.beast_hunter.rules.course import Course, require
from ludolog.rulebooks.beast_hunter.rules.death import recover
from ludolog.rulebooks.beast_hunter.rules.doubt import end_day
from ludolog.rulebooks.beast_hunter.rules.game_end import end_game
from ludolog.rulebooks.beast_hunter.state import Game, Roll
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Resting"


def check_rest(tables: Tables, game: Game, command: pb.Rest) -> None:
    """Also with all hit points (ruling A33)."""
    require(game, SECTION, Window.DAY)


def rest(course: Course, command: pb.Rest) -> None:
    """Recover up to 2 hit points (E1)."""
    course.tell(pb.DayActionChosen(action=pb.ACTION_REST))
    recover(course, RecoveryReason.REST, course.tables.numbers["rest"])
    cross_day(course)


def cross_day(course: Course) -> None:
    """Cross the next day out; the skull ends the game, and nothing else happens."""
    day = course.game.days_crossed + 1
    symbol = course.tables.track[day - 1]
    course.tell(pb.DayCrossed(day=day, symbol=pb.DaySymbol.ValueType(symbol or 0)))
    match symbol:
        case DaySymbol.SKULL:
            end_game(course, EndReason.TIME_UP)
        case DaySymbol.EVENT:
            course.roll(EVENTS[0], 1)
        case DaySymbol.ATTACK:
            attack(course)
        case _:
            end_day(course)


def use_event_die(course: Course, roll: Roll) -> None:
    """One die for each event, one at a time; each is a roll of its own (V1, ruling A6)."""
    if roll.purpose is not EVENTS[-1]:
        course.roll(RollPurpose(roll.purpose + 1), 1)
        return
    dice = course.game.night.event_dice if course.game.night else ()
    regions = [pb.Region.ValueType(course.tables.region_on(face)) for face in dice]
    course.tell(pb.EventsRolled(**{e.name.lower(): r for e, r in zip(EVENTS, regions, strict=True)}))
    _rage(course)


def _rage(course: Course) -> None:
    """V2: Foul Weather and Madness in one region bring its Terrible Beast down at once, if it lives (ruling A44)."""
    game = course.game
    raging = [
        region
        for region in course.tables.regions
        if game.affects(RollPurpose.FOUL_WEATHER, region)
        and game.affects(RollPurpose.MADNESS, region)
        and not game.region(region).defeated
    ]
    if raging:
        attack_from(course, raging[0], rage=True)
    else:
        end_day(course)
