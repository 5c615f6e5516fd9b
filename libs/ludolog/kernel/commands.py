"""What a seat may do, what is to be decided, how a match ended: plain values that `wire` puts into messages."""

from __future__ import annotations

import enum
from typing import TypeAlias

import msgspec
from google.protobuf.message import Message

from ludolog.kernel.ids import Seat


class Label(msgspec.Struct, frozen=True, cache_hash=True):
    """A text for people: translation key, arguments in a fixed order, English text."""

    key: str
    text: str
    arguments: tuple[tuple[str, str], ...] = ()


class Kind(enum.Enum):
    """What a command is for."""

    MOVE = 1
    TALK = 2
    TRADE = 3


class IntegerRange(msgspec.Struct, frozen=True, cache_hash=True):
    """Whole numbers, both ends included."""

    minimum: int
    maximum: int


class Choices(msgspec.Struct, frozen=True, cache_hash=True):
    """Between `minimum` and `maximum` of the ids, each at most once. Each choice is (id, label)."""

    choices: tuple[tuple[str, Label], ...]
    minimum: int = 1
    maximum: int = 1


class Multiset(msgspec.Struct, frozen=True, cache_hash=True):
    """A number for each id, the sum within bounds. Each item is (id, most, label)."""

    items: tuple[tuple[str, int, Label], ...]
    minimum_sum: int
    maximum_sum: int


class TextLimit(msgspec.Struct, frozen=True, cache_hash=True):
    """A text of at most so many code points, printable ones: no line breaks, no control characters."""

    maximum_characters: int


Domain: TypeAlias = IntegerRange | Choices | Multiset | TextLimit


class Parameter(msgspec.Struct, frozen=True, cache_hash=True):
    """A field that the player fills in; `path` starts at the rulebook's Command, as in "make_claim.gold"."""

    path: str
    label: Label
    domain: Domain
    optional: bool = False


class LegalCommand(msgspec.Struct, frozen=True, dict=True):
    """One thing that a seat may do now. `command` is the payload; complete where there are no parameters.

    Its dictionary is `wire`'s, which keeps the entry's bytes there: no part of the value.
    """

    command: Message
    label: Label
    kind: Kind = Kind.MOVE
    targets: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    decision_id: str = ""


class Decision(msgspec.Struct, frozen=True, cache_hash=True):
    """A decision that a seat is to make; `blocking` if no other seat can make a move before."""

    decision_id: str
    seat: Seat
    label: Label
    blocking: bool = True


class SeatResult(msgspec.Struct, frozen=True):
    """How a match ended for one seat; rank 1 is the best, ties share a rank."""

    seat: Seat
    rank: int
    winner: bool
    score: int | None = None


class Outcome(msgspec.Struct, frozen=True):
    """How a match ended; `reason` is UPPER_SNAKE and from the rulebook."""

    reason: str
    results: tuple[SeatResult, ...]
    label: Label
