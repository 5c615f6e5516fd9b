"""A process that plays a share of a simulation: `python -m ludolog.testkit.worker`, for `simulate` only.

A program of its own, not multiprocessing: that would run the main module of whoever simulates again in each process.
Both ends are ours, so what is exchanged is pickled.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Generator, Sequence
from typing import IO, cast

from ludolog.testkit.simulate import Fault, Plan, Played, play_chunk


def shared(plan: Plan, chunks: Sequence[range], jobs: int) -> Generator[list[Played | Fault], None, None]:
    """Play chunks of a plan in `jobs` processes; yield results in order. RuntimeError if a process breaks down."""
    workers = [_start(plan, chunks[number::jobs]) for number in range(min(jobs, len(chunks)))]
    try:
        for place in range(len(chunks)):
            output = cast("IO[bytes]", workers[place % len(workers)].stdout)
            try:
                yield pickle.load(output)  # noqa: S301 - our own program wrote it
            except EOFError:
                raise RuntimeError("a process of the simulation broke down; what it said is above") from None
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
            cast("IO[bytes]", worker.stdout).close()


def _start(plan: Plan, chunks: Sequence[range]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ludolog.testkit.worker"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own program
    with contextlib.suppress(BrokenPipeError), cast("IO[bytes]", worker.stdin) as todo:
        pickle.dump((plan, chunks), todo)  # a worker that is gone already shows when its results are missing
    return worker


def main() -> None:
    """Read a plan and chunks from standard input, write the results of each chunk to standard output."""
    plan, chunks = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own program wrote it
    rulebook = plan.load()
    for chunk in chunks:
        pickle.dump(play_chunk(plan, rulebook, chunk), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
