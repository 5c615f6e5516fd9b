"""Files that hold secrets: read, or made once, for the owner's eyes only."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

OWNER_ONLY = 0o600


def read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """Read a secret; where the file isn't there yet, make it with mode 0600.

    Safe against another process doing the same.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    staged = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        file.write(make())
        file.flush()
        os.fsync(file.fileno())
    try:
        # A link fails if the name is taken: the first one to make a secret wins, and everybody reads that one.
        os.link(staged, path)
    except FileExistsError:
        pass
    finally:
        staged.unlink()
    return path.read_bytes()
