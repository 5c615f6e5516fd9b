"""As much of a serialised message as routing needs (protobuf's encoding guide, "Message Structure")."""

from __future__ import annotations

from collections.abc import Iterator

from ludolog.kernel import BadInput

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
LONGEST_VARINT = 10
MORE = 0x80
TRACE_LENGTH = 55
TRACE_TAG = bytes([15 << 3 | LENGTH, TRACE_LENGTH])
TRACE_BYTES = len(TRACE_TAG) + TRACE_LENGTH


def name_of(data: bytes) -> str:
    """Field 1 as a text: the resource name of a routed request. BadInput where the bytes are no message."""
    found = b""
    for number, kind, value in fields(data):
        if number == 1 and kind == LENGTH and isinstance(value, bytes):
            found = value
    try:
        return found.decode()
    except UnicodeDecodeError:
        raise BadInput("name", "isn't UTF-8") from None


def sequence_of(data: bytes) -> int:
    """Field 1 as a number: the sequence number of an Update."""
    found = 0
    for number, kind, value in fields(data):
        if number == 1 and kind == VARINT and isinstance(value, int):
            found = value
            break
    return found


def without_trace(update: bytes) -> tuple[bytes, str]:
    """An Update without its trace context, which is for services only; and that context, "" for none.

    It stands last: field 15, 55 characters.
    """
    if len(update) < TRACE_BYTES or update[-TRACE_BYTES:-TRACE_LENGTH] != TRACE_TAG:
        return update, ""
    return update[:-TRACE_BYTES], update[-TRACE_LENGTH:].decode("ascii", "replace")


def embedded(number: int, data: bytes) -> bytes:
    """A message whose field `number` (1 to 15) is the message `data`."""
    return bytes([number << 3 | LENGTH]) + _varint(len(data)) + data


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """(number, wire type, value) of each field in order. BadInput where the bytes are no message."""
    at = 0
    try:
        while at < len(data):
            tag, at = _read_varint(data, at)
            kind = tag & 7
            value: int | bytes
            if kind == VARINT:
                value, at = _read_varint(data, at)
            else:
                length = {FIXED64: 8, FIXED32: 4}.get(kind, 0)
                if kind == LENGTH:
                    length, at = _read_varint(data, at)
                elif not length:
                    raise ValueError
                value, at = data[at : at + length], at + length
            if at > len(data):
                raise ValueError
            yield tag >> 3, kind, value
    except (IndexError, ValueError):
        raise BadInput("request", "isn't a protobuf message") from None


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(LONGEST_VARINT):
        byte = data[at + place]
        value |= (byte & ~MORE) << (7 * place)
        if byte < MORE:
            return value, at + place + 1
    raise ValueError


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= MORE:
        out.append(value & 0x7F | MORE)
        value >>= 7
    return bytes([*out, value])
