"""A rulebook's own messages, out of `Any` and into it: commands, views, events, options."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf import symbol_database
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from ludolog.api.match.v1 import match_pb2

GAME = re.compile(r"(?P<package>ludolog\.api\.games\.(?P<rulebook>\w+)\.v\d+)\.\w[\w.]*")


def pack(message: Message | AnyMessage | None) -> AnyMessage | None:
    """A message in an Any; an Any and None as they are."""
    if message is None or isinstance(message, AnyMessage):
        return message
    packed = AnyMessage()
    packed.Pack(message)
    return packed


def unpack(packed: AnyMessage) -> Any:
    """The message inside an Any. LookupError for a rulebook whose messages aren't installed here."""
    name = packed.TypeName()
    found = GAME.fullmatch(name)
    if found is None:
        raise LookupError(f"{name} isn't a message of a rulebook")
    try:
        importlib.import_module(f"{found['package']}.{found['rulebook']}_pb2")
        message = symbol_database.Default().GetSymbol(name)()
    except (ImportError, KeyError):
        raise LookupError(f"{name}: this client is older than the rulebook; install a newer one") from None
    packed.Unpack(message)
    return message


def fill(legal: match_pb2.LegalCommand, values: Mapping[str, object] | None = None) -> AnyMessage:
    """A legal command with its parameters filled in, ready to be submitted.

    `values`: path of a parameter → value: a number, an id, ids, a number for each id, a text. KeyError for a path
    that the command doesn't have, or one that is needed and missing. What the values must be, the server checks.
    """
    left = dict(values or {})
    command = unpack(legal.prototype)
    for parameter in legal.parameters:
        if parameter.path in left:
            _set(command, parameter.path, left.pop(parameter.path))
        elif not parameter.optional:
            raise KeyError(f"{parameter.path} is needed")
    if left:
        raise KeyError(f"the command has no {', '.join(sorted(left))}")
    packed = AnyMessage()
    packed.Pack(command)
    return packed


def _set(message: Any, path: str, value: Any) -> None:
    *parents, name = path.split(".")
    for parent in parents:
        message = getattr(message, parent)
        message.SetInParent()
    field = message.DESCRIPTOR.fields_by_name[name]
    if field.message_type is not None:
        for key, count in value.items():
            getattr(message, name).add(id=key, count=count)
    elif field.is_repeated:
        values: Iterable[Any] = value if isinstance(value, list | tuple) else [value]
        getattr(message, name).extend(_plain(field, one) for one in values)
    else:
        if isinstance(value, list | tuple) and len(value) == 1:
            value = value[0]
        setattr(message, name, _plain(field, value))


def _plain(field: Any, value: Any) -> Any:
    """Ids of enums are the names of their values, ids of numbered things their numbers."""
    if isinstance(value, str) and field.enum_type is not None:
        return field.enum_type.values_by_name[value].number
    if isinstance(value, str) and field.cpp_type != field.CPPTYPE_STRING:
        return int(value)
    return value
