"""Kill everything, and prove that nothing is lost.

    python -m tests.chaos [--kills N] [--seed S] [--crews C] [--only KIND] [--quiet-s T] [--keep FOLDER] [--json FILE]

Starts the platform on real servers, has matches played, kills by the seed, and checks what clients were told against
log, archive and records. Prints how soon the first correct reply came, and one JSON object as its last line. Exit code
1: something was violated; the command that does it again is printed.
"""

# ruff: noqa: T201 - it talks to a person at a terminal
from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.dev.process import Missing
from tests.chaos.campaign import Campaign, Outcome
from tests.chaos.site import standing

SHOWN = 20


def main(arguments: list[str]) -> int:
    """Do what the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--crews", type=int, default=10, help="matches at a time")
    parser.add_argument("--only", default="", help='victims of one kind ("engine"), or of one way ("engine kill")')
    parser.add_argument("--quiet-s", type=float, default=3.0, help="seconds of load before the first kill")
    parser.add_argument("--keep", type=Path, help="folder for data and logs, which stay there")
    options = parser.parse_args(arguments)
    print(f"seed {options.seed}: {options.kills} kills, {options.crews} matches at a time", flush=True)
    try:
        with folder(options.keep) as place, standing(place) as site:
            campaign = Campaign(site, options.seed, options.crews, lambda line: print(line, flush=True))
            outcome = asyncio.run(campaign.run(options.kills, options.only, options.quiet_s, place))
    except Missing as missing:
        print(f"chaos: {missing}", file=sys.stderr)
        return 2
    return report(outcome, options)


@contextmanager
def folder(keep: Path | None) -> Iterator[Path]:
    """Where everything is kept; PostgreSQL's user can reach it."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="ludolog-chaos-", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o711)
        yield Path(made)


def report(outcome: Outcome, options: argparse.Namespace) -> int:
    """Say what came of it."""
    summary = outcome.summary()
    for kind, found in summary["first_reply_s"].items():
        print(f"  {kind:<20} median {found['median_s']:6.2f} s   max {found['max_s']:6.2f} s   of {found['replies']}")
    for violation in outcome.violations[:SHOWN]:
        print(f"VIOLATION {violation.rule}: {violation.where}: {violation.what}")
    if outcome.violations:
        only = f' --only "{options.only}"' if options.only else ""
        print(f"{len(outcome.violations)} violations. Again: ", end="")
        print(f"python -m tests.chaos --kills {options.kills} --seed {options.seed} --crews {options.crews}{only}")
    print(json.dumps(summary))
    return 1 if outcome.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
