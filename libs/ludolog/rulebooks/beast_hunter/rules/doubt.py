"""The Villagers' Doubt. Digest V4, V7, rulings A18, A21, A25, A39."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import Action, DoubtReason, EndReason
from ludolog.rulebooks.beast_hunter.rules.course import Course
from ludolog.rulebooks.beast_hunter.rules.game_end import end_game
from ludolog.rulebooks.beast_hunter.state import Game

DAILY_DOUBT, RESTED_DOUBT = 1, 1


def end_day(course: Course) -> None:
    """V7: the day's doubt, then a new day; a full meter ends the game."""
    reason, amount = _doubt(course.game)
    if gain_doubt(course, reason, amount):
        course.tell(pb.DayBegan(day=course.game.days_crossed + 1))


def _doubt(game: Game) -> tuple[DoubtReason, int]:
    """0 for a Terrible Beast or a tower (also one destroyed tonight, A25), 1 for rest, else 1 and the huts (A39)."""
    if game.today.terrible_beast_killed:
        return DoubtReason.BEAST_KILLED, 0
    if game.today.tower_completed:
        return DoubtReason.TOWER_BUILT, 0
    if game.today.action is Action.REST:
        return DoubtReason.RESTED, RESTED_DOUBT
    return DoubtReason.DAY, DAILY_DOUBT + game.huts_destroyed


def gain_doubt(course: Course, reason: DoubtReason, amount: int) -> bool:
    """Cross spaces out. False where that was the last one (ruling A21: checked at once)."""
    spaces = course.tables.numbers["doubt"]
    doubt = min(course.game.doubt + amount, spaces)
    course.tell(pb.DoubtGained(reason=pb.DoubtReason.ValueType(reason), amount=amount, doubt=doubt))
    if doubt < spaces:
        return True
    end_game(course, EndReason.TRUST_LOST)
    return False
