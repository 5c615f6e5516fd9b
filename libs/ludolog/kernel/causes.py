"""Why the rules are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import Message

from ludolog.kernel.ids import Seat


@dataclass(frozen=True, slots=True)
class Commanded:
    """A seat's command: the payload inside the rulebook's Command (`OpenChamber`, not the oneof around it).

    A non-empty `decision_id` must name a decision that is open.
    """

    seat: Seat
    command: Message
    decision_id: str = ""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The deadline of an open decision passed: the rulebook takes its default."""

    decision_id: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Resigned:
    """A seat gives up: the rulebook says what that means."""

    seat: Seat


Cause: TypeAlias = Commanded | TimedOut | Resigned
