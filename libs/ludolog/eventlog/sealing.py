"""What is kept in the cache carries a digest: a value that was damaged there, or stands at another key, is none."""

from __future__ import annotations

import hashlib

DIGEST_BYTES = 8
"""Enough against damage; it isn't there to keep anybody out who may write to the cache."""


def seal(key: str, body: bytes) -> bytes:
    """What to put at a key."""
    return _digest(key, body) + body


def unseal(key: str, data: bytes) -> bytes | None:
    """The body of what was found at a key; None where it isn't what was put there."""
    digest, body = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    return body if digest == _digest(key, body) else None


def _digest(key: str, body: bytes) -> bytes:
    return hashlib.sha256(key.encode() + body).digest()[:DIGEST_BYTES]
