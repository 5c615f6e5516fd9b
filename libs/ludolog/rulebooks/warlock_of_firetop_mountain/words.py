"""The state's values as messages and back. Fields are called the same on both sides; cards have their own words."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import msgspec
from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain import state
from ludolog.rulebooks.warlock_of_firetop_mountain.state import PUBLIC, Held

S = TypeVar("S", bound=msgspec.Struct)
M = TypeVar("M", bound=Message)


def to_message(value: msgspec.Struct, into: M) -> M:
    """Write a struct into a message with fields of the same names; None leaves a field unset."""
    for name in value.__struct_fields__:
        part = getattr(value, name)
        if part is None:
            continue
        if isinstance(part, tuple):
            _fill(getattr(into, name), part)
        elif isinstance(part, Held):
            getattr(into, name).CopyFrom(held_message(part))
        elif isinstance(part, msgspec.Struct):
            to_message(part, getattr(into, name))
            getattr(into, name).SetInParent()
        else:
            setattr(into, name, part.value if isinstance(part, enum.Enum) else part)
    return into


def _fill(target: Any, values: tuple[Any, ...]) -> None:
    for value in values:
        if isinstance(value, Held):
            target.append(held_message(value))
        elif isinstance(value, msgspec.Struct):
            to_message(value, target.add())
        else:
            target.append(value)


def held_message(held: Held) -> pb.Held:
    """A card and who knows it."""
    seats = [seat for seat in range(1, state.SEATS[-1] + 1) if held.knows(seat)]
    return pb.Held(card=held.card, known_by=[] if held.shown else seats, shown=held.shown, fresh=held.fresh)


def held_from(message: pb.Held) -> Held:
    """Message → card."""
    known = PUBLIC if message.shown else sum(1 << seat for seat in set(message.known_by))
    return Held(message.card, known, message.fresh)


def from_message(kind: type[S], message: Message) -> S:
    """Read a struct from a message; fields with presence that aren't set keep the struct's default."""
    values: dict[str, Any] = {}
    for name, convert in _plan(kind):
        field = message.DESCRIPTOR.fields_by_name[name]
        if field.has_presence and not message.HasField(name):
            continue
        values[name] = convert(getattr(message, name))
    return kind(**values)


@cache
def _plan(kind: type[msgspec.Struct]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    hints = typing.get_type_hints(kind)
    return tuple((name, _converter(hints[name])) for name in kind.__struct_fields__)


def _converter(hint: Any) -> Callable[[Any], Any]:
    if typing.get_origin(hint) is types.UnionType:
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is tuple:
        item = _converter(typing.get_args(hint)[0])
        return lambda values: tuple(item(value) for value in values)
    if hint is Held:
        return held_from
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return lambda message: from_message(hint, message)
    return hint if isinstance(hint, type) else lambda value: value
