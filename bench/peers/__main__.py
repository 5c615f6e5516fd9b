"""`python -m bench.peers [--quick]`: boardgame.io (npm) and pyeventsourcing (PyPI) beside ours, in turns, in one run.

Both are installed into .build/peers by the registries' own clients; they are no dependencies of the project. Without
npm, node or the network it says so, and the exit code is 1.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.__main__ import save
from bench.figures import Figure
from bench.peers import library, server
from bench.plan import Scale

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / ".build" / "peers"
EVENTSOURCING = "eventsourcing==9.5.6"
INSTALL_S = 300


class NotHere(Exception):
    """A peer can't be had; the message says why."""


def install() -> None:
    """Get the peers, unless they are here. NotHere."""
    if not shutil.which("npm") or not shutil.which("node"):
        raise NotHere("node and npm aren't installed (Debian: apt-get install nodejs npm)")
    BUILD.mkdir(parents=True, exist_ok=True)
    for path in (*HERE.glob("*.js"), HERE / "package.json"):
        shutil.copy(path, BUILD)
    quick = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000")
    _run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error", *quick])
    if not (BUILD / "venv").exists():
        _run([sys.executable, "-m", "venv", "venv"])
    _run([str(BUILD / "venv" / "bin" / "pip"), "install", "--quiet", "--retries=1", EVENTSOURCING])


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, cwd=BUILD, check=True, timeout=INSTALL_S, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        raise NotHere(f"{' '.join(command)} failed (is there a network?):\n{error.stderr[-500:]}") from None
    except subprocess.TimeoutExpired:
        raise NotHere(f"{' '.join(command)} took more than {INSTALL_S} s (is there a network?)") from None


def main(arguments: list[str]) -> int:
    """Measure all of it; the figures go into bench.json beside the others."""
    scale = Scale(quick="--quick" in arguments)
    try:
        install()
    except NotHere as error:
        print(f"bench-peers: nothing was measured: {error}", file=sys.stderr)
        return 1
    figures: list[Figure] = []
    for measure in (library.measure, server.measure):
        for figure in measure(BUILD, scale):
            print(figure.line(), flush=True)
            figures.append(figure)
    save(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
