"""Every word that an audience is sent, to look for those that it must not see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.message import Message

from ludolog.api.match.v1 import match_pb2
from ludolog.kernel import LegalCommand, Rulebook, wire

_WORD = re.compile(r"[\w-]+")


def words(message: Message) -> Iterator[str]:
    """Yield enum values' names and every text, whole and cut into words. An Any isn't opened."""
    for field, value in message.ListFields():
        for item in value if field.is_repeated else (value,):
            if field.message_type is not None:
                if isinstance(item, Message):
                    yield from words(item)
                else:
                    yield from _texts(str(item))  # the key of a map entry
            elif field.enum_type is not None:
                known = field.enum_type.values_by_number.get(item)
                yield known.name if known else str(item)
            elif isinstance(item, str):
                yield from _texts(item)


def legal_words(rulebook: Rulebook[Any], entries: Iterable[LegalCommand]) -> Iterator[str]:
    """Yield the words of legal commands, their prototypes included."""
    for entry in entries:
        yield from words(entry.command)
        message: match_pb2.LegalCommand = wire.legal_command(rulebook, entry)
        yield from words(message)


def enum_names(file: Any) -> frozenset[str]:
    """Names of all enum values that a .proto file declares, given its descriptor."""
    found = {value.name for enum in file.enum_types_by_name.values() for value in enum.values}
    messages = list(file.message_types_by_name.values())
    while messages:
        message = messages.pop()
        found |= {value.name for enum in message.enum_types for value in enum.values}
        messages += message.nested_types
    return frozenset(found)


def _texts(text: str) -> Iterator[str]:
    yield text
    yield from _WORD.findall(text)
