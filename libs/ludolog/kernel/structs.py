"""A state's structs as messages and back, where the fields are called the same on both sides.

Fields may be numbers, texts, booleans, enums with the proto's numbers, structs, tuples of these, or None.
"""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec
from google.protobuf.message import Message

S = TypeVar("S", bound=msgspec.Struct)
M = TypeVar("M", bound=Message)
Convert = Callable[[Any], Any]


class Own(NamedTuple):
    """How values of a type are written and read whose message has fields of its own."""

    write: Callable[[Any], Message]
    read: Convert


class Structs:
    """Writes and reads the structs of a room; `own`: its types that aren't written field by field."""

    def __init__(self, own: Mapping[type, Own] | None = None) -> None:
        self._own = dict(own or {})
        self._plans: dict[type, tuple[tuple[str, Convert], ...]] = {}

    def write(self, value: msgspec.Struct, into: M) -> M:
        """Write a struct into a message; None leaves a field unset."""
        for name in value.__struct_fields__:
            part = getattr(value, name)
            if part is None:
                continue
            if isinstance(part, tuple):
                self._fill(getattr(into, name), part)
            elif isinstance(part, msgspec.Struct):
                self._put(part, getattr(into, name))
            else:
                setattr(into, name, part.value if isinstance(part, enum.Enum) else part)
        return into

    def _put(self, part: msgspec.Struct, target: Message) -> None:
        if own := self._own.get(type(part)):
            target.CopyFrom(own.write(part))
        else:
            self.write(part, target)
        target.SetInParent()

    def _fill(self, target: Any, values: tuple[Any, ...]) -> None:
        for value in values:
            if isinstance(value, msgspec.Struct):
                self._put(value, target.add())
            else:
                target.append(value)

    def read(self, kind: type[S], message: Message) -> S:
        """Read a struct; fields with presence that aren't set keep the struct's default.

        ValueError for an enum value that the struct doesn't know; an unset one is None where the struct allows it.
        """
        values: dict[str, Any] = {}
        for name, convert in self._plan(kind):
            field = message.DESCRIPTOR.fields_by_name[name]
            if field.has_presence and not message.HasField(name):
                continue
            values[name] = convert(getattr(message, name))
        return kind(**values)

    def _plan(self, kind: type[msgspec.Struct]) -> tuple[tuple[str, Convert], ...]:
        if kind not in self._plans:
            hints = typing.get_type_hints(kind)
            self._plans[kind] = tuple((name, self._converter(hints[name])) for name in kind.__struct_fields__)
        return self._plans[kind]

    def _converter(self, hint: Any) -> Convert:
        if typing.get_origin(hint) is types.UnionType:
            return self._optional(next(part for part in typing.get_args(hint) if part is not types.NoneType))
        if typing.get_origin(hint) is tuple:
            item = self._converter(typing.get_args(hint)[0])
            return lambda values: tuple(item(value) for value in values)
        if not isinstance(hint, type):
            return _as_it_is
        if own := self._own.get(hint):
            return own.read
        if issubclass(hint, msgspec.Struct):
            return lambda message: self.read(hint, message)
        return hint

    def _optional(self, hint: Any) -> Convert:
        convert = self._converter(hint)
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return lambda number: convert(number) if number else None
        return convert


def _as_it_is(value: Any) -> Any:
    return value
