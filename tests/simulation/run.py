"""Playing many seeds, on several processes, and saying what came of it."""

# ruff: noqa: T201 - it talks to a person at a terminal
from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tests.simulation.mutants import MUTANTS
from tests.simulation.world import Result, play

PROVES = (
    "void commits",
    "gaps read",
    "late landings",
    "barriers",
    "outcomes unknown",
    "snapshots used",
    "snapshots rejected",
    "control records",
    "timers dropped",
    "calls cancelled",
    "acknowledged without offset",
)
"""Without these a simulation proves nothing (12)."""
ENOUGH = 100
CHUNK = 5


def results(seeds: Iterable[int], jobs: int) -> Iterator[Result]:
    """Play seeds, in any order."""
    if jobs <= 1:
        yield from map(play, seeds)
        return
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap_unordered(play, seeds, chunksize=CHUNK)


def main(arguments: list[str]) -> int:
    """Do what the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--mutant", help="take this rule away; the simulation must object")
    options = parser.parse_args(arguments)
    if options.mutant:
        return mutant(options.mutant, options.seed, options.seeds)
    return plain(range(options.seed, options.seed + options.seeds), options.jobs)


def mutant(rule: str, first: int, seeds: int) -> int:
    """Play seeds without a rule, until the eye objects."""
    if rule not in MUTANTS:
        print(f"no such rule; there are: {', '.join(MUTANTS)}")
        return 2
    result = replace(MUTANTS[rule], within=seeds).hunt(first)
    if result is None:
        print(f"without {rule}: {seeds} seeds and no objection")
        return 1
    print(f"without {rule}: seed {result.seed}: {result.found}")
    return 0


def plain(seeds: range, jobs: int) -> int:
    """Play seeds with all rules."""
    began, stats, found, steps = time.monotonic(), Counter[str](), [], 0
    for result in results(seeds, jobs):
        stats.update(result.stats)
        steps += result.steps
        if result.found is not None:
            found.append(result)
            print(f"seed {result.seed}: {result.found}")
            print(f"  replay: python -m tests.simulation --seeds 1 --seed {result.seed}", flush=True)
    print(", ".join(f"{name} {count}" for name, count in sorted(stats.items())))
    missing = [name for name in PROVES if not stats[name]] if len(seeds) >= ENOUGH else []
    if missing:
        print(f"this proves nothing: never seen: {', '.join(missing)}")
    took_s = time.monotonic() - began
    sentences = Counter(result.found for result in found)
    what = "; ".join(f"{sentence} ({count})" for sentence, count in sentences.items()) or "no violation"
    print(f"{len(seeds)} seeds in {took_s:.0f} s ({steps} steps): {what}")
    return 1 if found or missing else 0
