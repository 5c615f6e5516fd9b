"""Write golden matches: `python -m tests.golden.rewrite` (make golden RULEBOOK=name).

    --rulebook NAME   only this one (default: all)
    --views           keep the stored matches, write what today's code sees in them
    --add             keep everything, add matches of the present rules version

Stored matches of released versions must fold for ever: rewrite them only before a release.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ludolog.kernel import Seat
from ludolog.record.file import read_record, write_record
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import Table
from ludolog.testkit.playing import Players, play
from tests.contract.matches import Case, option_sets, seated, walk
from tests.golden.matches import HERE, records, views, views_file


def main(arguments: list[str]) -> int:
    """Write, and name what was written. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="tests.golden.rewrite", description=__doc__)
    parser.add_argument("--rulebook", choices=catalogue.names(), action="append")
    parser.add_argument("--views", action="store_true")
    parser.add_argument("--add", action="store_true")
    options = parser.parse_args(arguments)
    for name in options.rulebook or catalogue.names():
        if not options.views:
            write_matches(name, keep=options.add)
        for record in records(name):
            write_views(name, record)
            sys.stdout.write(f"{record.relative_to(HERE)}\n")
    return 0


def write_matches(name: str, *, keep: bool) -> None:
    """For the fewest and the most seats a match of bots and a random walk; a random walk for each set of options."""
    rulebook = catalogue.load(name)
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for old in () if keep else [*folder.glob("*.jsonl"), *folder.glob("*.views.json")]:
        old.unlink()
    default, *others = option_sets(rulebook)
    few, many = rulebook.seats[0], rulebook.seats[-1]
    for number, (seats, options) in enumerate(
        [(few, default), (many, default), *((few, other) for other in others)], 1
    ):
        label = f"{rulebook.rules_version}-{seats}-seats-{number}"
        for who, play_ in (("bots", of_bots), ("walk", at_random)):
            table = seated(Case(name, seats), options, f"golden/{label}/{who}")
            play_(table, label)
            (folder / f"{label}-{who}.jsonl").write_bytes(write_record(table.records, table.seed))


def of_bots(table: Table, label: str) -> None:
    """The best bots play."""
    best = next(iter(table.rulebook.bots.values()))
    play(table, Players.seeded({Seat(seat): best for seat in range(1, table.setting.seats + 1)}, label))


def at_random(table: Table, label: str) -> None:
    """Everybody does anything legal, talks, lets time run out, resigns."""
    walk(table, SeededChance(label))


def write_views(name: str, record: Path) -> None:
    """Store what today's code sees in a stored match."""
    seen = views(catalogue.load(name), read_record(record.read_bytes()).commits)
    views_file(record).write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
