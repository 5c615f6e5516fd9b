"""Receipts of a stream: which commands count, and with which body. Packed, since a long match has hundreds of them.

A dictionary of tuples takes 350 bytes for each. These are found by searching, twice for each command: 30 microseconds
where there are a thousand of them.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TypeAlias

SEQUENCE_BYTES, DIGEST_BYTES = 8, 32
VALUE_BYTES = SEQUENCE_BYTES + DIGEST_BYTES
END, PART = b"\xff", b"\xfe"
"""End of a key, and what stands between its actor and its command id: bytes that UTF-8 never has."""

Receipts: TypeAlias = MutableMapping[tuple[str, str], tuple[int, bytes]]
"""(actor, command id) → (sequence number, SHA-256 of the body), in the order in which they were added."""


class PackedReceipts(MutableMapping[tuple[str, str], tuple[int, bytes]]):
    """Receipts of which each takes its ids and 42 bytes."""

    __slots__ = ("_keys", "_values")

    def __init__(self) -> None:
        self._keys = bytearray(END)
        self._values = bytearray()

    def __getitem__(self, key: tuple[str, str]) -> tuple[int, bytes]:
        """KeyError where the command has no receipt."""
        index = self._index(key)
        if index is None:
            raise KeyError(key)
        value = self._values[index * VALUE_BYTES : (index + 1) * VALUE_BYTES]
        return int.from_bytes(value[:SEQUENCE_BYTES], "big"), bytes(value[SEQUENCE_BYTES:])

    def __setitem__(self, key: tuple[str, str], receipt: tuple[int, bytes]) -> None:
        """ValueError for a digest that isn't 32 bytes long."""
        sequence, digest = receipt
        if len(digest) != DIGEST_BYTES:
            raise ValueError(f"a digest has {DIGEST_BYTES} bytes, not {len(digest)}")
        value = sequence.to_bytes(SEQUENCE_BYTES, "big") + digest
        index = self._index(key)
        if index is None:
            self._keys += _packed(key) + END
            self._values += value
        else:
            self._values[index * VALUE_BYTES : (index + 1) * VALUE_BYTES] = value

    def __delitem__(self, key: tuple[str, str]) -> None:
        """KeyError where the command has no receipt."""
        index = self._index(key)
        if index is None:
            raise KeyError(key)
        packed = _packed(key) + END
        start = self._keys.index(END + packed) + 1
        del self._keys[start : start + len(packed)]
        del self._values[index * VALUE_BYTES : (index + 1) * VALUE_BYTES]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for packed in bytes(self._keys).split(END)[1:-1]:
            actor, command_id = packed.split(PART)
            yield actor.decode(), command_id.decode()

    def __len__(self) -> int:
        return len(self._values) // VALUE_BYTES

    def _index(self, key: tuple[str, str]) -> int | None:
        start = self._keys.find(END + _packed(key) + END)
        return None if start < 0 else self._keys.count(END, 0, start)


def _packed(key: tuple[str, str]) -> bytes:
    actor, command_id = key
    return actor.encode() + PART + command_id.encode()
