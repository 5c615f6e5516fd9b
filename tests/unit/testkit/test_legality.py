"""Is a command listed? Every kind of parameter, filled in rightly and wrongly."""

from __future__ import annotations

import pytest

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import Choices, Domain, IntegerRange, Label, LegalCommand, Parameter, TextLimit
from ludolog.kernel.players import fill
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.legality import covers, listed

NO_LABEL = Label("l", "l")


def entry(path: str, domain: Domain, *, optional: bool = False) -> LegalCommand:
    parameter = Parameter(f"update.{path}", NO_LABEL, domain, optional)
    return LegalCommand(match_pb2.Update(snapshot=True), NO_LABEL, parameters=(parameter,))


def command(**fields: object) -> match_pb2.Update:
    return match_pb2.Update(snapshot=True, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "fits"), [(2, True), (5, True), (1, False), (6, False), (0, False)])
def test_numbers(value: int, fits: bool) -> None:
    assert covers(entry("sequence", IntegerRange(2, 5)), command(sequence=value)) is fits


def test_an_optional_number_may_be_left_out() -> None:
    assert covers(entry("sequence", IntegerRange(2, 5), optional=True), command())
    assert not covers(entry("sequence", IntegerRange(2, 5)), command())


def test_whatever_isnt_a_parameter_is_as_in_the_prototype() -> None:
    numbers = entry("sequence", IntegerRange(2, 5))
    assert not covers(numbers, match_pb2.Update(sequence=2))
    assert not covers(numbers, match_pb2.Label(key="k"))
    assert listed([numbers], command(sequence=2))
    assert not listed([], command(sequence=2))


def test_texts() -> None:
    legal = LegalCommand(match_pb2.Label(), NO_LABEL, parameters=(Parameter("l.text", NO_LABEL, TextLimit(3)),))
    assert covers(legal, match_pb2.Label(text="äöü"))
    assert not covers(legal, match_pb2.Label(text="four"))


def test_a_part_that_the_prototype_has_may_not_be_left_out() -> None:
    prototype = match_pb2.LegalCommand(label=match_pb2.Label())
    parameter = Parameter("c.label.text", NO_LABEL, TextLimit(3))
    legal = LegalCommand(prototype, NO_LABEL, parameters=(parameter,))
    assert covers(legal, match_pb2.LegalCommand(label=match_pb2.Label()))
    assert covers(legal, match_pb2.LegalCommand(label=match_pb2.Label(text="abc")))
    assert not covers(legal, match_pb2.LegalCommand())


def test_choices_of_an_enum() -> None:
    choices = Choices((("COMMAND_KIND_MOVE", NO_LABEL), ("COMMAND_KIND_TALK", NO_LABEL)))
    legal = LegalCommand(match_pb2.LegalCommand(), NO_LABEL, parameters=(Parameter("c.kind", NO_LABEL, choices),))
    assert covers(legal, match_pb2.LegalCommand(kind=match_pb2.COMMAND_KIND_TALK))
    assert not covers(legal, match_pb2.LegalCommand(kind=match_pb2.COMMAND_KIND_TRADE))
    assert not covers(legal, match_pb2.LegalCommand())


@pytest.mark.parametrize(
    ("targets", "fits"),
    [(["a"], True), (["b", "a"], True), ([], False), (["a", "a"], False), (["d"], False), (["a", "b", "c"], False)],
)
def test_several_choices(targets: list[str], fits: bool) -> None:
    choices = Choices((("a", NO_LABEL), ("b", NO_LABEL), ("c", NO_LABEL)), 1, 2)
    legal = LegalCommand(match_pb2.LegalCommand(), NO_LABEL, parameters=(Parameter("c.targets", NO_LABEL, choices),))
    assert covers(legal, match_pb2.LegalCommand(targets=targets)) is fits
    chance = SeededChance("several")
    assert all(covers(legal, fill(legal, chance)) for _ in range(50))
