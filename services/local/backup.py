"""`python -m services.local.backup FOLDER`: copy an embedded platform's data, while it runs or not.

FOLDER becomes a data folder: to restore, start the platform on it (LUDOLOG_DATA=FOLDER). Databases are copied by
SQLite's backup (https://sqlite.org/backup.html), each as of one moment and without holding the platform up: the archive
first, then the log, so that the archive is never ahead of it, then the accounts, so that nobody in the log is without
one. FOLDER holds keys: guard it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from ludolog.hosting import load_or_exit

DATABASES = ("archive.sqlite3", "log.sqlite3", "accounts.sqlite3")
KEYS = ("identity.pem", "house.secret", "rng.keys")


def backup(data: Path, folder: Path) -> list[str]:
    """Copy a data folder; return the names of what was copied. FileExistsError; FileNotFoundError without a log."""
    if not (data / "log.sqlite3").is_file():
        raise FileNotFoundError(f"{data} is no data folder: there is no log")
    folder.mkdir(mode=0o700, parents=True)
    copied = []
    for name in DATABASES:
        if (data / name).is_file():
            _copy_database(data / name, folder / name)
            copied.append(name)
    for name in KEYS:
        if (data / name).is_file():
            _copy_key(data / name, folder / name)
            copied.append(name)
    return copied


def _copy_database(source: Path, target: Path) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))
    with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old, closing(sqlite3.connect(target)) as new:
        # In one step: of several, each write of the platform would begin the copy anew.
        old.backup(new)
        (state,) = new.execute("PRAGMA integrity_check").fetchone()
    if state != "ok":
        raise OSError(f"{target}: {state}")


def _copy_key(source: Path, target: Path) -> None:
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new, source.open("rb") as old:
        shutil.copyfileobj(old, new)


def main(arguments: list[str]) -> int:
    """Do it; return the exit code: 0 done, 1 it failed, 2 it can't be done."""
    if len(arguments) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    settings = load_or_exit()
    if not settings.embedded:
        sys.stderr.write("backup: this is for embedded platforms; docs/operate.md says how a cluster is backed up\n")
        return 2
    try:
        copied = backup(settings.data, Path(arguments[0]))
    except (OSError, sqlite3.Error) as error:
        sys.stderr.write(f"backup: {error}\n")
        return 1
    sys.stdout.write(f"copied {', '.join(copied)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
