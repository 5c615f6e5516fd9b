"""Public keys as files: Ed25519 (RFC 8410) in PEM (RFC 7468), one or several."""

from __future__ import annotations

import re

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

BLOCK = re.compile(rb"-----BEGIN [^-]+-----.*?-----END [^-]+-----", re.DOTALL)


def read_public_keys(pem: bytes) -> list[Ed25519PublicKey]:
    """The keys of a file, at least one. ValueError says what is wrong with it."""
    keys = [_public_key(block) for block in BLOCK.findall(pem)]
    if not keys:
        raise ValueError("no public key in PEM")
    return keys


def _public_key(block: bytes) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(block)
    except ValueError as error:
        raise ValueError("not a public key in PEM") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("not an Ed25519 key")  # noqa: TRY004 - a file has a wrong value
    return key
