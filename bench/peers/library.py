"""The rules beside boardgame.io's local reducer, and the fold beside pyeventsourcing's: by the processor's time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.figures import Figure
from bench.matches import recorded
from bench.openings import RULEBOOK
from bench.peers.talk import Answering
from bench.plan import Scale
from bench.rules import fold_records, judge_and_fold
from ludolog.rulebooks import catalogue

FOLD = Path(__file__).resolve().parent / "fold.py"


def measure(build: Path, scale: Scale) -> Iterator[Figure]:
    """`peers.rules` and `peers.fold`: ours a second, and how many times theirs that is."""
    rulebook = catalogue.load(RULEBOOK)
    matches = recorded(rulebook, scale.of(100, 8))
    rounds = scale.of(12, 3)
    with Answering(["node", "reducer.js"], build) as reducer:
        yield _beside(
            "peers.rules",
            "commands/s",
            "boardgame.io's reducer",
            lambda: judge_and_fold(rulebook, matches),
            lambda: reducer.rate(scale.of(200, 8)),
            rounds,
        )
    with Answering([str(build / "venv" / "bin" / "python"), str(FOLD)], build) as folding:
        yield _beside(
            "peers.fold",
            "events/s",
            "pyeventsourcing",
            lambda: fold_records(rulebook, matches),
            lambda: folding.rate(scale.of(100, 4)),
            rounds,
        )


def _beside(
    name: str, unit: str, peer: str, ours: Callable[[], int], theirs: Callable[[], float], rounds: int
) -> Figure:
    rates = []
    for number in range(rounds + 2):
        began = time.process_time()
        count = ours()
        rate = count / (time.process_time() - began)
        other = theirs()
        if number >= 2:  # noqa: PLR2004 - both sides have warmed up
            rates.append((rate, other))
    value = statistics.median(rate for rate, _ in rates)
    theirs_s = statistics.median(other for _, other in rates)
    return Figure(name, value, unit, f"{peer} ({theirs_s:,.0f})", statistics.median(a / b for a, b in rates))
