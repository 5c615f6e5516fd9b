"""Requests that no client would send, made of valid ones: by their structure, and by their bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message

from ludolog.kernel import Chance

NUMBERS = (0, 1, -1, 2, 3, 7, 99, 100, 101, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63), 2**32)
FLOATS = (0.0, -1.0, 1e-300, 1001.0, float("inf"), float("-inf"), float("nan"))
TEXTS = (
    "",
    " ",
    "a",
    "\0",
    "é",
    "𝔘",
    "\u202e",
    "%s%n",
    "../../x",
    "' OR 1=1 --",
    "x" * 65,
    "x" * 5000,
    "\x7f",
    "ſ",
    "١",
)
BYTES = (b"", b"\0", b"\xff" * 15, b"e" * 16, b"e" * 64, b"e" * 65, b"x" * 20_000)
DEEP = 200
NESTED = 5_000
OVERSIZED = 70_000
LIMITS = {
    Field.TYPE_INT32: (-(2**31), 2**31 - 1),
    Field.TYPE_INT64: (-(2**63), 2**63 - 1),
    Field.TYPE_UINT32: (0, 2**32 - 1),
    Field.TYPE_UINT64: (0, 2**64 - 1),
}
Twist: TypeAlias = Callable[[Message, Sequence[str], Chance], None]
Spoil: TypeAlias = Callable[[bytes, Chance], bytes]


# ---- by structure


def other_value(message: Message, names: Sequence[str], chance: Chance) -> None:
    """Another value in one field, at any depth, mostly a wrong one."""
    fields = message.DESCRIPTOR.fields
    if not fields:
        return
    field = cast("Field", chance.choose("field", list(fields)))
    if field.message_type is not None:
        target = getattr(message, field.name)
        if field.is_repeated:
            target.add()
        elif isinstance(target, AnyMessage) and chance.choose("whole", (True, False)):
            other_any(target, chance)
        else:
            target.SetInParent()
            other_value(target, names, chance)
    elif field.is_repeated:
        getattr(message, field.name).append(_value(field, names, chance))
    else:
        setattr(message, field.name, _value(field, names, chance))


def cleared(message: Message, names: Sequence[str], chance: Chance) -> None:
    """One field left out: zeros for ids, nothing for what is required."""
    if message.ListFields():
        message.ClearField(chance.choose("field", [field.name for field, _ in message.ListFields()]))


def other_name(message: Message, names: Sequence[str], chance: Chance) -> None:
    """Another resource, which is there, or isn't, or is of another kind."""
    field = next((f for f in message.DESCRIPTOR.fields if f.name in {"name", "rulebook", "player"}), None)
    if field is not None:
        setattr(message, field.name, chance.choose("name", names))


def several(message: Message, names: Sequence[str], chance: Chance) -> None:
    """Two or three of the above."""
    for _ in range(chance.choose("times", (2, 3))):
        chance.choose("twist", (other_value, other_name, cleared))(message, names, chance)


def other_any(message: AnyMessage, chance: Chance) -> None:
    """The wrong type, no type, nonsense in it, itself in itself."""
    urls = [
        "",
        "/",
        "type.googleapis.com/",
        "x/" + "y" * 3000,
        "type.googleapis.com/google.protobuf.Any",
        "type.googleapis.com/ludolog.api.log.v1.Record",
        "type.googleapis.com/no.such.Type",
        "é/é",
    ]
    match chance.choose("how", range(4)):
        case 0:
            message.type_url = chance.choose("url", urls)
        case 1:
            message.value = chance.choose("bytes", BYTES)
        case 2:
            message.value = _noise(message.value, chance)
        case _:
            for _ in range(DEEP // 10):
                inner = AnyMessage(type_url=message.type_url, value=message.value)
                message.Pack(inner)


def _value(field: Field, names: Sequence[str], chance: Chance) -> object:
    if field.enum_type is not None:
        return chance.choose("enum", (0, 1, 2, 99, -1, 2**31 - 1))
    if field.type == Field.TYPE_STRING:
        return chance.choose("text", (*TEXTS, *names))
    if field.type == Field.TYPE_BYTES:
        return chance.choose("bytes", BYTES)
    if field.type == Field.TYPE_BOOL:
        return chance.choose("bool", (True, False))
    if field.type in (Field.TYPE_DOUBLE, Field.TYPE_FLOAT):
        return chance.choose("float", FLOATS)
    least, most = LIMITS.get(field.type, (0, 1))
    return min(max(chance.choose("number", NUMBERS), least), most)


TWISTS: tuple[Twist, ...] = (other_value, other_value, other_name, cleared, several)

# ---- by bytes


def _noise(data: bytes, chance: Chance) -> bytes:
    if not data:
        return b"\x08"
    place = chance.choose("place", range(len(data)))
    return data[:place] + bytes([chance.choose("byte", range(256))]) + data[place + 1 :]


def shortened(data: bytes, chance: Chance) -> bytes:
    """Cut off somewhere."""
    return data[: chance.choose("length", range(len(data) + 1))]


def unknown_field(data: bytes, chance: Chance) -> bytes:
    """A field that this version doesn't know: at the top, of any wire type."""
    return data + chance.choose(
        "field", (b"\xc0\x3e\x01", b"\xc2\x3e\x03abc", b"\xc1\x3e" + b"\0" * 8, b"\xf8\xff\xff\xff\x0f\x01")
    )


def deep_groups(data: bytes, chance: Chance) -> bytes:
    """Groups in groups in groups."""
    return data + b"\x0b" * chance.choose("depth", (50, 101, NESTED))


def deep_messages(data: bytes, chance: Chance) -> bytes:
    """Field 3 in field 3 in field 3 (a command's place): deeper than any parser should follow."""
    inner = b""
    for _ in range(DEEP):
        inner = b"\x1a" + _varint(len(inner)) + inner
    return data + inner


def wrong_length(data: bytes, chance: Chance) -> bytes:
    """A field that says it is longer than there is."""
    return data + b"\x0a" + _varint(chance.choose("length", (1, 2**20, 2**31, 2**63)))


def not_text(data: bytes, chance: Chance) -> bytes:
    """Field 1, where names stand, that isn't UTF-8."""
    return data + b"\x0a\x04\xff\xfe\xfd\xfc"


def oversized(data: bytes, chance: Chance) -> bytes:
    """Larger than the limit, or just below it."""
    size = chance.choose("size", (OVERSIZED, 60_000))
    return data + b"\xc2\x3e" + _varint(size) + b"x" * size


def garbage(data: bytes, chance: Chance) -> bytes:
    """No message at all."""
    return struct.pack("<Q", chance.choose("bits", range(2**32)) * 2654435761)[: chance.choose("length", range(1, 9))]


def twice(data: bytes, chance: Chance) -> bytes:
    """Every field two times."""
    return data + data


SPOILS: tuple[Spoil, ...] = (
    _noise,
    _noise,
    shortened,
    unknown_field,
    deep_groups,
    deep_messages,
    wrong_length,
    not_text,
    oversized,
    garbage,
    twice,
)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
