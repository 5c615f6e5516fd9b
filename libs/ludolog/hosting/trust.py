"""Which public keys are trusted, and with what: a key is good for what it is listed under, and for nothing else.

A folder holds `<signer>.pub` or `<signer>.<anything>.pub` for each signer, a service or the operator, with one public
key or several in it (PEM, Ed25519); `receipts.<anything>.pub` has former keys of the rng. It is read again while the
process runs: a key is changed by listing the new one, restarting who signs with it, and taking the old one away.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ludolog.hosting.clock import Clock
from ludolog.record.publickeys import read_public_keys

SERVICES = ("engine", "gateway", "matchmaking", "rng", "spectator", "replay", "bots", "web")
OPERATOR = "operator"
SIGNERS = frozenset({*SERVICES, OPERATOR})
RECEIPTS = "receipts"
"""Keys that the rng had once: their receipts count, and nothing else that they sign."""
READ_AGAIN_S = 10.0
"""A key that was taken away is believed for so long at most."""
LOOK_AGAIN_S = 1.0
"""A token may name a key that isn't known yet: then the folder is looked at once more, but not more often than this."""
SUFFIX = ".pub"

logger = logging.getLogger("ludolog.keys")


@dataclass(frozen=True, slots=True)
class Listed:
    """A public key, and the signers that it is listed under."""

    key: Ed25519PublicKey
    signers: frozenset[str]


Keys = Mapping[str, Listed]
"""By key id."""


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    keys: Keys


class TrustedKeys:
    """Public keys by key id. With a folder they are what it lists, now."""

    def __init__(self, always: Keys, folder: Path | None, clock: Clock) -> None:
        """`always`: keys that are trusted besides. OSError and ValueError name what can't be read in the folder."""
        self._always, self._folder, self._clock = always, folder, clock
        paths = _paths(folder) if folder is not None else ()
        self._files: Mapping[str, _File] = {path.name: _read(path) for path in paths}
        self._keys = _all(always, self._files)
        self._read_s = clock.monotonic()
        self.version = 0
        """Counts how often the keys have changed."""

    def find(self, kid: str) -> Listed | None:
        """The key of that id; None for one that isn't listed."""
        self.look(LOOK_AGAIN_S if kid not in self._keys else READ_AGAIN_S)
        return self._keys.get(kid)

    def of(self, signer: str) -> tuple[bytes, ...]:
        """The keys of a signer, 32 bytes each."""
        self.look()
        return tuple(one.key.public_bytes_raw() for one in self._keys.values() if signer in one.signers)

    def look(self, oldest_s: float = READ_AGAIN_S) -> None:
        """Read the folder again, if that was done so long ago.

        A file that is gone isn't trusted any more; one that can't be read counts as it did before, and is logged.
        """
        now = self._clock.monotonic()
        if self._folder is None or now - self._read_s < oldest_s:
            return
        self._read_s = now
        try:
            paths = _paths(self._folder)
        except OSError as error:
            logger.error("the keys stay as they were: %s", error)  # noqa: TRY400 - a folder, no mistake of ours
            return
        files = {path.name: file for path in paths if (file := self._reread(path)) is not None}
        if files == self._files:
            return
        self._files, self._keys = files, _all(self._always, files)
        self.version += 1
        logger.info("the trusted keys have changed")

    def _reread(self, path: Path) -> _File | None:
        """What a file says; what it said before where it can't be read; None where nothing of it counts."""
        before = self._files.get(path.name)
        try:
            return _read(path, before)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            logger.error("what it said before counts: %s", error)  # noqa: TRY400 - a file, no mistake of ours
            return before


def key_id(key: Ed25519PublicKey) -> str:
    """Short name of a public key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def _paths(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.name.endswith(SUFFIX)]


def _read(path: Path, before: _File | None = None) -> _File:
    """Read a file; `before` if that is what it says. OSError; ValueError names one that isn't such a file."""
    content = path.read_bytes()
    if before is not None and content == before.content:
        return before
    signer = path.name.partition(".")[0]
    if signer not in SIGNERS and signer != RECEIPTS:
        raise ValueError(f"{path}: {signer!r} is none of {', '.join(sorted(SIGNERS))}, {RECEIPTS}")
    try:
        keys = read_public_keys(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return _File(content, {key_id(key): Listed(key, frozenset({signer})) for key in keys})


def _all(always: Keys, files: Mapping[str, _File]) -> Keys:
    found = always
    for file in files.values():
        found = _merged(found, file.keys)
    return found


def _merged(one: Keys, other: Keys) -> Keys:
    """A key that is listed twice is good for both."""
    merged = dict(one)
    for kid, listed in other.items():
        known = merged.get(kid)
        merged[kid] = listed if known is None else Listed(listed.key, known.signers | listed.signers)
    return MappingProxyType(merged)
