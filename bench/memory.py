"""Memory of loaded matches: `python -m bench.memory RULEBOOK COUNT` loads so many and prints resident bytes for each.

Always a process of its own, so that nothing else that was measured has left holes behind.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.matches import Recorded, recorded
from ludolog.eventlog.book import Book
from ludolog.eventlog.takeovers import Checkpoint, Counted, Fence
from ludolog.record.commits import parse_record
from ludolog.rulebooks import catalogue
from services.engine.aggregate import Matches
from services.engine.blocks import Blocks

MATCH_BYTES = 20_000
"""The aim: most that a live match may take."""
VARIETY = 20
ROOT = Path(__file__).resolve().parent.parent


def resident_bytes(pid: int | str = "self") -> int:
    """Resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"process {pid} has no memory")


def bytes_each(rulebook: str, count: int) -> float:
    """Resident bytes for each of so many loaded matches."""
    command = [sys.executable, "-m", "bench.memory", rulebook, str(count)]
    found = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return float(found.stdout)


def main(name: str, count: int) -> None:
    """Load matches halfway through, as an engine does, and print what each takes."""
    rulebook = catalogue.load(name)
    matches = recorded(rulebook, VARIETY)
    aggregate = Matches(rulebook, Blocks(_no_blocks), ())
    book = Book(aggregate, Fence(Checkpoint()), keep_ended=False, receipts=None)
    sessions = [_session(book, matches[0])]  # whatever is made at the first one isn't a match's
    gc.collect()
    before = resident_bytes()
    sessions += [_session(book, matches[number % len(matches)]) for number in range(count)]
    gc.collect()
    print((resident_bytes() - before) / count)


def _session(book: Book[Any], match: Recorded) -> Any:
    half = match.records[: len(match.records) // 2 + 1]
    commits = [Counted(offset, parse_record(record).commit, record) for offset, record in enumerate(half)]
    return book.session(commits, commits[0].commit.stream_id)


async def _no_blocks(match_id: str, wanted: Any) -> bytes:
    raise LookupError(match_id)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
