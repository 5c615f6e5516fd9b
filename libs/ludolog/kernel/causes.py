"""Why the rules are asked."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from google.protobuf.message import Message

from ludolog.kernel.ids import Seat


class Commanded(msgspec.Struct, frozen=True):
    """A seat's command: the payload inside the rulebook's Command (`OpenChamber`, not the oneof around it).

    A non-empty `decision_id` must name a decision that is open.
    """

    seat: Seat
    command: Message
    decision_id: str = ""


class TimedOut(msgspec.Struct, frozen=True):
    """The deadline of an open decision passed: the rulebook takes its default."""

    decision_id: str
    seat: Seat


class Resigned(msgspec.Struct, frozen=True):
    """A seat gives up: the rulebook says what that means."""

    seat: Seat


Cause: TypeAlias = Commanded | TimedOut | Resigned
