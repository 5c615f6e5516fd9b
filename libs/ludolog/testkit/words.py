"""Every word that an audience is sent, to look for those that it must not see."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from google.protobuf.message import Message

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import LegalCommand, Rulebook, wire

_WORD = re.compile(r"[\w-]+")


def words(message: Message) -> set[str]:
    """Enum values' names and every text, whole and cut into words. An Any isn't opened."""
    found: set[str] = set()
    messages = [message]
    while messages:
        for field, value in messages.pop().ListFields():
            items = value if field.is_repeated else (value,)
            if field.message_type is not None:
                for item in items:
                    if isinstance(item, Message):
                        messages.append(item)
                    else:
                        found.update(_texts(str(item)))  # the key of a map entry
            elif field.enum_type is not None:
                names = field.enum_type.values_by_number
                found.update(names[item].name if item in names else str(item) for item in items)
            elif field.type == field.TYPE_STRING:
                for item in items:
                    found.update(_texts(item))
    return found


def legal_words(rulebook: Rulebook[Any], entries: Iterable[LegalCommand]) -> set[str]:
    """The words of legal commands, their prototypes included."""
    found: set[str] = set()
    for entry in entries:
        message: match_pb2.LegalCommand = wire.legal_command(rulebook, entry)
        found |= words(entry.command) | words(message)
    return found


def enum_names(file: Any) -> frozenset[str]:
    """Names of all enum values that a .proto file declares, given its descriptor."""
    found = {value.name for enum in file.enum_types_by_name.values() for value in enum.values}
    messages = list(file.message_types_by_name.values())
    while messages:
        message = messages.pop()
        found |= {value.name for enum in message.enum_types for value in enum.values}
        messages += message.nested_types
    return frozenset(found)


@lru_cache(maxsize=10_000)
def _texts(text: str) -> tuple[str, ...]:
    return (text, *_WORD.findall(text))
