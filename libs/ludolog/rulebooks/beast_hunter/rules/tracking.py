"""Searching: tracking circles and lairs. Digest Q5 to Q7, V6, rulings A2, A3."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import DeterminationReason, Region
from ludolog.rulebooks.beast_hunter.rules.course import Course
from ludolog.rulebooks.beast_hunter.rules.determination import gain_determination


def fill_circle(course: Course, region: Region) -> bool:
    """Fill a tracking circle, if one is empty and the Terrible Beast lives. True where it was the third one."""
    sheet, circles = course.game.region(region), course.tables.numbers["tracking_circles"]
    if sheet.defeated or sheet.tracked >= circles:
        return False
    course.tell(pb.CircleTracked(region=pb.Region.ValueType(region), circles=sheet.tracked + 1))
    if sheet.tracked + 1 < circles:
        return False
    find_lair(course, region)
    return True


def find_lair(course: Course, region: Region) -> None:
    """Mark Lair Found and earn a point, once, while the Terrible Beast lives (rulings A2, A3)."""
    sheet = course.game.region(region)
    if not sheet.lair_found and not sheet.defeated:
        course.tell(pb.LairFound(region=pb.Region.ValueType(region)))
        gain_determination(course, DeterminationReason.LAIR_FOUND)
