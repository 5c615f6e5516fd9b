"""Jobs: repeated until definite, one for each key, dropped with their partition."""

from __future__ import annotations

import asyncio

from ludolog.eventlog.answers import Unavailable
from services.matchmaking.jobs import AT_ONCE, Jobs


async def ended(jobs: Jobs) -> None:
    async with asyncio.timeout(5):
        while jobs:  # noqa: ASYNC110 - jobs don't say when they end
            await asyncio.sleep(0)


async def test_a_job_goes_on_until_it_returns_whatever_it_raises() -> None:
    jobs, tries = Jobs(first_s=0), 0

    async def work() -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise Unavailable("not now")
        if tries == 2:
            raise ValueError("a bug")

    jobs.start(("match", "x"), 0, work)
    jobs.start(("match", "x"), 0, work)
    await ended(jobs)
    assert (tries, jobs.repeats) == (3, 2)


async def test_a_dropped_job_can_begin_again_at_once() -> None:
    jobs, begun, forever = Jobs(first_s=0), [], asyncio.Event()

    async def work(name: str) -> None:
        begun.append(name)
        await forever.wait()

    jobs.start(("match", "x"), 0, lambda: work("first"))
    jobs.start(("match", "y"), 1, lambda: work("other"))
    await asyncio.sleep(0)
    jobs.drop(0)
    jobs.start(("match", "x"), 0, lambda: work("second"))
    await asyncio.sleep(0)
    assert begun == ["first", "other", "second"]
    assert len(jobs) == 2
    await jobs.close()


async def test_only_so_many_run_at_once() -> None:
    jobs, running, most, gate = Jobs(), 0, 0, asyncio.Event()

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await gate.wait()
        running -= 1

    for number in range(3 * AT_ONCE):
        jobs.start(("match", str(number)), 0, work)
    for _ in range(5):
        await asyncio.sleep(0)
    gate.set()
    await ended(jobs)
    assert most == AT_ONCE
