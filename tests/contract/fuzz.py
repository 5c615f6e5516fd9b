"""Commands that nobody would send: wrong numbers, enum values, texts, fields left out, other seats' commands, noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from ludolog.kernel import Chance, LegalCommand, Rulebook
from ludolog.kernel.players import fill

NUMBERS = (0, 1, 2, 3, 5, 11, -1, 2**31 - 1, -(2**31))
UNSIGNED = (0, 1, 2, 3, 5, 11, 2**31 - 1)
TEXTS = ("", "a", "0", "-1", "seat-1", "x" * 300, "\0", "é")
INTEGERS = {
    FieldDescriptor.TYPE_INT32,
    FieldDescriptor.TYPE_INT64,
    FieldDescriptor.TYPE_SINT32,
    FieldDescriptor.TYPE_SINT64,
}


def near(entries: Sequence[LegalCommand], chance: Chance) -> Message:
    """A legal command of some seat with one field changed."""
    command = fill(chance.choose("entry", entries), chance)
    change(command, chance)
    return command


def wild(rulebook: Rulebook[object], chance: Chance) -> Message:
    """A command of any type with every field at random."""
    names = sorted(rulebook.commands.field_of.values())
    command: Message = type(getattr(rulebook.command_type(), chance.choose("type", names)))()
    for _ in command.DESCRIPTOR.fields:
        change(command, chance)
    return command


def change(message: Message, chance: Chance) -> None:
    """Change one field of a message, at any depth."""
    fields = message.DESCRIPTOR.fields
    if not fields:
        return
    field = cast("FieldDescriptor", chance.choose("field", list(fields)))
    if field.message_type is not None:
        target = getattr(message, field.name)
        change(target.add() if field.is_repeated else target, chance)
    elif chance.choose("clear", range(6)) == 0:
        message.ClearField(field.name)
    elif field.is_repeated:
        getattr(message, field.name).append(value(field, chance))
    else:
        setattr(message, field.name, value(field, chance))


def value(field: FieldDescriptor, chance: Chance) -> object:
    """Some value of the field's type, likely a wrong one."""
    if field.enum_type is not None:
        return chance.choose("enum", [*field.enum_type.values_by_number, 99])
    if field.type == FieldDescriptor.TYPE_STRING:
        return chance.choose("text", TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.choose("bytes", (b"", b"\0", b"x" * 100))
    if field.type == FieldDescriptor.TYPE_BOOL:
        return chance.choose("bool", (True, False))
    if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return chance.choose("float", (0.0, -1.5, float("inf")))
    return chance.choose("number", NUMBERS if field.type in INTEGERS else UNSIGNED)


def noise(data: bytes, chance: Chance) -> Iterator[bytes]:
    """A command's bytes, cut short, with a wrong byte, with more after it."""
    yield data[: chance.choose("length", range(len(data) + 1))]
    if data:
        place = chance.choose("place", range(len(data)))
        yield data[:place] + bytes([chance.choose("byte", range(256))]) + data[place + 1 :]
    yield data + bytes([chance.choose("byte", range(256)) for _ in range(3)])
