"""Receipts of a stream: which commands count, and with which body. 16 bytes each, since a long match has hundreds.

Kept are 8 bytes of a keyed hash (BLAKE2b, RFC 7693) of a command's actor and id, and as many of its body. Two of a
thousand commands share them by chance in one match of 10^13; nobody can look for such ids, as the key is a secret of
the session and its snapshots.
"""

from __future__ import annotations

import hashlib
import secrets

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.answers import CommandIdReused, Receipt

KEY_BYTES = 16
HASH_BYTES = 8
PART = b"\xff"
"""Stands between an actor and its command id: a byte that UTF-8 never has."""


class Receipts:
    """Receipts of a stream's commits, which come one after the other; the newest `keep` of them, or all."""

    __slots__ = ("_bodies", "_ids", "_keep", "_key", "_last")

    def __init__(self, keep: int | None = None) -> None:
        self._keep = keep
        self._key = secrets.token_bytes(KEY_BYTES)
        self._ids = bytearray()
        self._bodies = bytearray()
        self._last = 0

    def __len__(self) -> int:
        return len(self._ids) // HASH_BYTES

    def add(self, commit: log_pb2.Commit) -> None:
        """Keep the receipt of the stream's next commit."""
        self._ids += self._id(commit.cause)
        self._bodies += self._hash(commit.cause.body)
        self._last = commit.sequence
        if self._keep is not None and len(self) > self._keep:
            del self._ids[:HASH_BYTES], self._bodies[:HASH_BYTES]

    def find(self, cause: log_pb2.Cause) -> Receipt | None:
        """What was answered to this command, if it counts. CommandIdReused if the id counts with another body."""
        start = self._place(self._id(cause))
        if start is None:
            return None
        sequence = self._last - (len(self._ids) - start) // HASH_BYTES + 1
        if self._bodies[start : start + HASH_BYTES] != self._hash(cause.body):
            raise CommandIdReused(cause.command_id, sequence)
        return Receipt(sequence)

    def dump(self) -> bytes:
        """For snapshots, which say by themselves at which commit they were made."""
        return self._key + self._ids + self._bodies

    @classmethod
    def load(cls, data: bytes, last: int, keep: int | None) -> Receipts:
        """What `dump` gave when the stream's last commit was number `last`. ValueError where it can't be read."""
        count, rest = divmod(len(data) - KEY_BYTES, 2 * HASH_BYTES)
        if rest or not 0 <= count <= last:
            raise ValueError(f"{len(data)} bytes aren't receipts of {last} commits")
        receipts = cls(keep)
        middle = KEY_BYTES + count * HASH_BYTES
        receipts._key = data[:KEY_BYTES]
        receipts._ids += data[KEY_BYTES:middle]
        receipts._bodies += data[middle:]
        receipts._last = last
        return receipts

    def _place(self, wanted: bytes) -> int | None:
        """Where a hash stands among the ids'; what lies across two of them is none."""
        start = self._ids.find(wanted)
        while start % HASH_BYTES and start >= 0:
            start = self._ids.find(wanted, start + 1)
        return start if start >= 0 else None

    def _id(self, cause: log_pb2.Cause) -> bytes:
        return self._hash(cause.actor.encode() + PART + cause.command_id.encode())

    def _hash(self, data: bytes) -> bytes:
        return hashlib.blake2b(data, digest_size=HASH_BYTES, key=self._key).digest()
