"""Master keys, and the seeds that are derived from them (docs/fairness.md, "Keys").

A key file has a line "ID HEX" for each key: an id of letters, digits, ".", "_", "-", and at least 32 bytes in
hexadecimal. Empty lines and lines that begin with "#" mean nothing. The first key of all is the current one: new
promises are made with it; the others stay for the matches that were promised with them.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ludolog.fairness import derive_seed
from ludolog.fairness.seeds import SEED_BYTES, prefixed
from ludolog.hosting.secret import read_or_make

DEFAULT_FILE = "rng.keys"
KEY_LINE = re.compile(r"([A-Za-z0-9._-]{1,64})\s+((?:[0-9a-fA-F]{2})+)")
NOT_FOR_OTHERS = stat.S_IRWXO | stat.S_IWGRP | stat.S_IXGRP
"""Permissions that a key file must not give. The group may read: that is how Kubernetes mounts secrets."""


class BadKeys(ValueError):
    """Master keys that can't be used; says which file and why, never what is in it."""


class UnknownKey(LookupError):
    """No master key of that id here."""


@dataclass(frozen=True)
class MasterKeys:
    """All master keys by id; `current` is the id of the one for new promises."""

    current: str
    keys: dict[str, bytes] = field(repr=False)

    def seed(self, key_id: str, match_id: str) -> bytes:
        """The seed of a match, 32 bytes. UnknownKey."""
        if key_id not in self.keys:
            raise UnknownKey(f"no master key {key_id!r} here")
        return derive_seed(self.keys[key_id], match_id)


def read_keys(paths: Iterable[Path]) -> MasterKeys:
    """Read key files, the newest first; of a folder every visible file, the last name first. BadKeys."""
    found: list[tuple[str, bytes]] = []
    for path in paths:
        found += [pair for file in _files(path) for pair in _parse(file)]
    if not found:
        raise BadKeys("there is no master key")
    keys: dict[str, bytes] = {}
    for key_id, key in found:
        if keys.setdefault(key_id, key) != key:
            raise BadKeys(f"two different master keys have the id {key_id!r}")
    return MasterKeys(found[0][0], keys)


def own_keys(folder: Path) -> MasterKeys:
    """Read the embedded platform's key file in its data folder; on the first run make it, readable by its owner alone.

    A file that is there is never written to: whoever loses a key loses the proofs of all its matches. BadKeys.
    """
    path = folder / DEFAULT_FILE
    try:
        read_or_make(path, _new_key)
    except OSError as error:
        raise BadKeys(f"{path} can't be made: {error.strerror}") from error
    return read_keys([path])


def make_key_file(path: Path) -> str:
    """Make a file with a new key, mode 0600; return the key's id. BadKeys where there is a file already."""
    line = _new_key()
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(line)
    except OSError as error:
        raise BadKeys(f"{path} can't be made: {error.strerror}") from error
    return line.split()[0].decode()


def _new_key() -> bytes:
    """A line with a new key. Its id is made from the key itself, so that it can never be taken for a lost one."""
    key = secrets.token_bytes(SEED_BYTES)
    key_id = "k" + hashlib.sha256(prefixed(b"ludolog/key-id/v1") + key).hexdigest()[:10]
    return f"{key_id} {key.hex()}\n".encode()


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    visible = (file for file in path.iterdir() if not file.name.startswith(".") and file.is_file())
    return sorted(visible, key=lambda file: file.name, reverse=True)


def _parse(path: Path) -> list[tuple[str, bytes]]:
    try:
        mode = path.stat().st_mode
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadKeys(f"{path} can't be read: {getattr(error, 'strerror', 'not a text')}") from None
    if mode & NOT_FOR_OTHERS:
        raise BadKeys(f"{path} is open to others (mode {stat.S_IMODE(mode):04o}): chmod 600 it")
    pairs = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = KEY_LINE.fullmatch(line.strip())
        if found is None:
            raise BadKeys(f"{path}, line {number}: isn't an id and hexadecimal digits")
        key = bytes.fromhex(found[2])
        if len(key) < SEED_BYTES:
            raise BadKeys(f"{path}, line {number}: a master key has at least {SEED_BYTES} bytes")
        pairs.append((found[1], key))
    return pairs
