"""A copy of the checkout with one rulebook more, as an author has it after `ludolog new-rulebook`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.tidy.tree import ROOT, files

NAME = "forest_tricks"


@dataclass(frozen=True)
class Checkout:
    """A temporary copy, and what was copied.

    Programs that run in it import from it, and from nowhere else but the venv's packages.
    """

    root: Path
    copied: Mapping[Path, bytes]

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Environment of a program that runs in the copy."""
        path = os.pathsep.join([str(self.root / "libs"), str(self.root)])
        return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(extra or {})}

    def python(self, *arguments: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy and wait. Output is captured; AssertionError shows it where the exit code isn't 0."""
        # -P keeps the working folder off the path: PYTHONPATH names the copy, in the order of the checkout.
        done = subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=self.root,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"{' '.join(arguments)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done


def copy_checkout(target: Path) -> Checkout:
    """Copy what git knows or would add. Messages are still to be generated there."""
    copied = {}
    for path in files():
        if (ROOT / path).is_file():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, target / path)
            copied[path] = (target / path).read_bytes()
    return Checkout(target, copied)


def with_new_room(target: Path, name: str = NAME) -> Checkout:
    """Copy the checkout and make a room in it: messages generated, golden matches written."""
    checkout = copy_checkout(target)
    checkout.python("-m", "ludolog.cli", "new-rulebook", name)
    checkout.python("-m", "tools.protos")
    checkout.python("-m", "tests.golden.rewrite", "--rulebook", name)
    return checkout
