"""Database files for the owner's eyes only: a log holds hidden cards, accounts hold names."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

OWNER_ONLY = 0o600
BESIDE = ("", "-wal", "-shm")
"""SQLite's files; it makes those beside with the mode of the first one."""


def for_owner_only(path: Path) -> Path:
    """Make an SQLite file with mode 0600 where it is missing, or give it that mode. Returns the path. OSError."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
    # By name: closing a descriptor of a database that is open in this process would drop its locks.
    for suffix in BESIDE:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).chmod(OWNER_ONLY)
    return path
