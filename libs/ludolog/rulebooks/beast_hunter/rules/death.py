"""Grievous Damage, Death. Digest C4, D3, D4, G1, rulings A12, A14, A15, A46, A48."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import DamageSource, DeterminationReason, EndReason, Item, RecoveryReason
from ludolog.rulebooks.beast_hunter.rules.course import Course
from ludolog.rulebooks.beast_hunter.rules.determination import gain_determination
from ludolog.rulebooks.beast_hunter.rules.game_end import end_game
from ludolog.rulebooks.beast_hunter.rules.items import use_item

DOSE_RECOVERS = 3
ONE = 1


def hurt(course: Course, source: DamageSource, amount: int, grievous: int = 0) -> bool:
    """One instance of damage: hit points, then blackened squares, then what 1 or 0 hit points bring. True: alive."""
    left = max(course.game.hit_points - amount, 0)
    course.tell(pb.DamageTaken(source=pb.DamageSource.ValueType(source), amount=amount, hit_points=left))
    if grievous:
        squares = max(course.game.max_hit_points - grievous, 0)
        course.tell(pb.GrievousTaken(amount=grievous, max_hit_points=squares))
    if left == ONE:
        gain_determination(course, DeterminationReason.ONE_HIT_POINT)
    if left:
        return True
    return _revived(course)


def _revived(course: Course) -> bool:
    """Ruling A15: a Reviving Dose works by itself, unless the whole bar is blackened. Else the hunter is dead."""
    if not course.game.uses_left(Item.REVIVING_DOSE) or not course.game.max_hit_points:
        end_game(course, EndReason.DEATH)
        return False
    use_item(course, Item.REVIVING_DOSE)
    recover(course, RecoveryReason.REVIVING_DOSE, DOSE_RECOVERS)
    return True


def recover(course: Course, reason: RecoveryReason, amount: int) -> None:
    """Recover hit points, never above what grievous damage has left of the bar (ruling A48)."""
    game = course.game
    recovered = min(amount, game.max_hit_points - game.hit_points)
    course.tell(
        pb.HitPointsRecovered(
            reason=pb.RecoveryReason.ValueType(reason), amount=recovered, hit_points=game.hit_points + recovered
        )
    )
