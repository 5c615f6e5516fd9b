"""What a seat may do, what is to be decided, how a match ended: plain values that `wire` puts into messages."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import Message

from ludolog.kernel.ids import Seat


@dataclass(frozen=True, slots=True)
class Label:
    """A text for people: translation key, arguments in a fixed order, English text."""

    key: str
    text: str
    arguments: tuple[tuple[str, str], ...] = ()


class Kind(enum.Enum):
    """What a command is for."""

    MOVE = 1
    TALK = 2
    TRADE = 3


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """Whole numbers, both ends included."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Choices:
    """Between `minimum` and `maximum` of the ids, each at most once. Each choice is (id, label)."""

    choices: tuple[tuple[str, Label], ...]
    minimum: int = 1
    maximum: int = 1


@dataclass(frozen=True, slots=True)
class Multiset:
    """A number for each id, the sum within bounds. Each item is (id, most, label)."""

    items: tuple[tuple[str, int, Label], ...]
    minimum_sum: int
    maximum_sum: int


@dataclass(frozen=True, slots=True)
class TextLimit:
    """A text of at most so many code points."""

    maximum_characters: int


Domain: TypeAlias = IntegerRange | Choices | Multiset | TextLimit


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field that the player fills in; `path` starts at the rulebook's Command, as in "make_claim.gold"."""

    path: str
    label: Label
    domain: Domain
    optional: bool = False


@dataclass(frozen=True, slots=True)
class LegalCommand:
    """One thing that a seat may do now. `command` is the payload; complete where there are no parameters."""

    command: Message
    label: Label
    kind: Kind = Kind.MOVE
    targets: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    decision_id: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that a seat is to make; `blocking` if no other seat can make a move before."""

    decision_id: str
    seat: Seat
    label: Label
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a match ended for one seat; rank 1 is the best, ties share a rank."""

    seat: Seat
    rank: int
    winner: bool
    score: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended; `reason` is UPPER_SNAKE and from the rulebook."""

    reason: str
    results: tuple[SeatResult, ...]
    label: Label
