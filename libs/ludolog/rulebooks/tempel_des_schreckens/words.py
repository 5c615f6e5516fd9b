"""The state's values in the words of the proto. Fields are called the same on both sides.

Messages are written field by field, as a view is made of them after every command; `from_message` reads them back.
"""

from __future__ import annotations

from typing import cast

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel.structs import Structs
from ludolog.rulebooks.tempel_des_schreckens.state import (
    Chamber,
    Claim,
    Counts,
    Opening,
    Point,
    Role,
    RolePack,
    Row,
)

from_message = Structs().read


def counts(value: Counts) -> pb.Counts:
    """Counts → message."""
    return pb.Counts(empty=value.empty, gold=value.gold, fire=value.fire)


def role_from(number: int) -> Role | None:
    """Value of the message's enum → role; unspecified: None."""
    return Role(number) if number else None


def role_pack(value: RolePack) -> pb.RolePack:
    """Role pack → message."""
    return pb.RolePack(adventurers=value.adventurers, guardians=value.guardians)


def role(value: Role | None) -> pb.Role.ValueType:
    """Role → value of the message's enum; None: unspecified."""
    return pb.Role.ValueType(value or 0)


def roles(values: tuple[Role, ...]) -> list[pb.Role.ValueType]:
    """Roles by seat."""
    return cast("list[pb.Role.ValueType]", list(values))


def chambers(values: tuple[Chamber, ...]) -> list[pb.Chamber.ValueType]:
    """Faces by slot."""
    return cast("list[pb.Chamber.ValueType]", list(values))


def rows(value: tuple[Row, ...]) -> list[pb.Row]:
    """Rows, faces included, in the order of the seats."""
    return [pb.Row(seat=seat, chambers=chambers(row.chambers)) for seat, row in enumerate(value, 1)]


def opening(value: Opening) -> pb.Opening:
    """Opening → message."""
    return pb.Opening(
        round=value.round,
        by=value.by,
        owner=value.owner,
        slot=value.slot,
        chamber=pb.Chamber.ValueType(value.chamber),
        at_random=value.at_random,
    )


def claim(value: Claim) -> pb.Claim:
    """Claim → message."""
    return pb.Claim(
        round=value.round,
        seat=value.seat,
        team=pb.Team.ValueType(value.team or 0),
        empty=value.empty,
        gold=value.gold,
        fire=value.fire,
        openings_before=value.openings_before,
    )


def point(value: Point) -> pb.Point:
    """Point → message."""
    return pb.Point(seat=value.seat, owner=value.owner, slot=value.slot)
