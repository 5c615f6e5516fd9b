"""Seeds, their commitments, and the blocks that draws are expanded from (docs/fairness.md, "Seed to block")."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from functools import lru_cache

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SEED_BYTES = 32


def prefixed(*parts: bytes) -> bytes:
    """Concatenate the parts, each after its length (4 bytes, big-endian): no two lists of parts give the same bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def derive_seed(master_key: bytes, match_id: str) -> bytes:
    """The seed of a match, 32 bytes: HKDF-SHA-256 (RFC 5869) without salt, info = prefixed(domain, match id).

    ValueError for a master key shorter than 32 bytes.
    """
    if len(master_key) < SEED_BYTES:
        msg = f"a master key has at least {SEED_BYTES} bytes, this one has {len(master_key)}"
        raise ValueError(msg)
    info = prefixed(b"ludolog/seed/v1", match_id.encode())
    return HKDF(algorithm=SHA256(), length=SEED_BYTES, salt=None, info=info).derive(master_key)


def commitment(seed: bytes) -> bytes:
    """SHA-256(prefixed(domain) ‖ seed): published before anybody sits down."""
    return hashlib.sha256(prefixed(b"ludolog/commitment/v1") + seed).digest()


def receipt_bytes(match_id: str, promised: bytes, key_id: str) -> bytes:
    """What the platform signs (Ed25519, RFC 8032) when it promises a seed."""
    return prefixed(b"ludolog/receipt/v1", match_id.encode(), promised, key_id.encode())


def entropy_digest(entropy: Iterable[bytes]) -> bytes:
    """Digest of the players' contributions in the order of the seats, 32 bytes."""
    return _entropy_digest(tuple(entropy))


@lru_cache(4096)
def _entropy_digest(entropy: tuple[bytes, ...]) -> bytes:
    # A match asks for it at every command.
    return hashlib.sha256(prefixed(b"ludolog/entropy/v1", *entropy)).digest()


def block(seed: bytes, match_id: str, index: int, entropy: bytes) -> bytes:
    """Block `index` (from 1) of a match, 32 bytes; `entropy` is the digest of the players' contributions.

    ValueError for an index below 1.
    """
    if index < 1:
        msg = f"blocks are counted from 1, not {index}"
        raise ValueError(msg)
    message = prefixed(b"ludolog/block/v1", match_id.encode(), index.to_bytes(8, "big"), entropy)
    return hmac.digest(seed, message, "sha256")
