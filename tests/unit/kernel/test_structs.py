"""Structs and messages with the same fields, there and back."""

from __future__ import annotations

import enum

import msgspec
import pytest

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel.structs import Own, Structs


class Kind(enum.IntEnum):
    MOVE = 1
    TALK = 2


class Entry(msgspec.Struct, frozen=True):
    kind: Kind | None = None
    targets: tuple[str, ...] = ()
    decision_id: str = ""


class Result(msgspec.Struct, frozen=True):
    seat: int
    rank: int = 0
    winner: bool = False
    score: int | None = None


class Words(msgspec.Struct, frozen=True):
    text: str = ""


class Ending(msgspec.Struct, frozen=True):
    reason: str = ""
    results: tuple[Result, ...] = ()
    label: Words | None = None


def shouted(value: Words) -> match_pb2.Label:
    return match_pb2.Label(key=value.text.upper())


def heard(message: match_pb2.Label) -> Words:
    return Words(message.key.lower())


@pytest.mark.parametrize(
    "entry", [Entry(), Entry(Kind.TALK), Entry(Kind.MOVE, ("a", "b"), "d")], ids=["blank", "kind", "all"]
)
def test_numbers_texts_enums(entry: Entry) -> None:
    structs = Structs()
    message = structs.write(entry, match_pb2.LegalCommand())
    assert (message.kind, tuple(message.targets), message.decision_id) == (
        entry.kind or 0,
        entry.targets,
        entry.decision_id,
    )
    assert structs.read(Entry, message) == entry


def test_nested_ones_and_what_isnt_set() -> None:
    structs = Structs()
    ending = Ending("X", (Result(1, 1, winner=True, score=0), Result(2, 2)), Words("over"))
    message = structs.write(ending, match_pb2.Outcome())
    assert [result.HasField("score") for result in message.results] == [True, False]
    assert structs.read(Ending, message) == ending
    assert structs.read(Ending, match_pb2.Outcome(reason="X")) == Ending("X")
    assert structs.write(Ending(label=Words()), match_pb2.Outcome()).HasField("label"), "there, though it is blank"


def test_types_with_messages_of_their_own() -> None:
    structs = Structs({Words: Own(shouted, heard)})
    message = structs.write(Ending(label=Words("over")), match_pb2.Outcome())
    assert (message.label.key, message.label.text) == ("OVER", "")
    assert structs.read(Ending, message).label == Words("over")


def test_an_unknown_enum_value_is_refused() -> None:
    with pytest.raises(ValueError, match="3 is not a valid Kind"):
        Structs().read(Entry, match_pb2.LegalCommand(kind=match_pb2.COMMAND_KIND_TRADE))
