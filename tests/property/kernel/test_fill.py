"""Filling in parameters: always inside the domain; the kernel's values survive the wire."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import Choices, IntegerRange, Label, LegalCommand, Multiset, Parameter, TextLimit, wire
from ludolog.kernel.players import fill
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.legality import covers

texts = st.text(max_size=8)
ids = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=6, unique=True)
labels = st.builds(
    Label, texts, texts, st.lists(st.tuples(texts, texts), max_size=3, unique_by=lambda a: a[0]).map(tuple)
)
NO_LABEL = Label("l", "l")


@st.composite
def ranges(draw: st.DrawFn) -> IntegerRange:
    low = draw(st.integers(-50, 50))
    return IntegerRange(low, low + draw(st.integers(0, 50)))


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    known = draw(ids)
    most = draw(st.integers(1, len(known)))
    return Choices(tuple((key, draw(labels)) for key in known), draw(st.integers(0, most)), most)


@st.composite
def multisets(draw: st.DrawFn) -> Multiset:
    items = tuple((key, draw(st.integers(1, 4)), draw(labels)) for key in draw(ids))
    most = draw(st.integers(0, sum(most for _, most, _ in items)))
    return Multiset(items, draw(st.integers(0, most)), most)


domains = st.one_of(ranges(), choices(), multisets(), st.builds(TextLimit, st.integers(0, 100)))


@given(domains, labels, st.booleans())
def test_parameters_survive_the_wire(
    domain: IntegerRange | Choices | Multiset | TextLimit, label: Label, optional: bool
) -> None:
    parameter = Parameter("command.field", label, domain, optional)
    assert wire.parameter_from(wire.parameter(parameter)) == parameter


@given(ranges(), st.booleans(), st.integers())
def test_numbers_are_filled_in_within_range(domain: IntegerRange, optional: bool, seed: int) -> None:
    parameter = Parameter("update.sequence", NO_LABEL, domain, optional)
    entry = LegalCommand(match_pb2.Update(snapshot=True), NO_LABEL, parameters=(parameter,))
    command = fill(entry, SeededChance(str(seed)))
    assert covers(entry, command)
    assert entry.command == match_pb2.Update(snapshot=True), "the prototype itself must not change"


@given(choices(), st.integers())
def test_choices_are_filled_in_as_often_as_they_may(domain: Choices, seed: int) -> None:
    entry = LegalCommand(match_pb2.LegalCommand(), NO_LABEL, parameters=(Parameter("c.targets", NO_LABEL, domain),))
    command = fill(entry, SeededChance(str(seed)))
    assert covers(entry, command)


@given(st.integers(0, 30), st.integers())
def test_texts_are_filled_in_within_their_limit(most: int, seed: int) -> None:
    parameter = Parameter("l.text", NO_LABEL, TextLimit(most))
    entry = LegalCommand(match_pb2.Label(), NO_LABEL, parameters=(parameter,))
    assert covers(entry, fill(entry, SeededChance(str(seed))))
