"""Many callers on one stream: side by side, each answered, bounded, and nothing left behind."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable

import pytest

from services.engine.multiplex import multiplex


async def each(items: Iterable[int]) -> AsyncIterator[int]:
    for item in items:
        yield item


async def collect(answers: AsyncGenerator[int, None]) -> list[int]:
    return [answer async for answer in answers]


async def test_a_slow_one_holds_nobody_up() -> None:
    slow = asyncio.Event()

    async def handle(number: int) -> int:
        if number == 0:
            await slow.wait()
        elif number == 9:
            slow.set()
        return number

    assert await collect(multiplex(each(range(10)), handle, 10)) == [*range(1, 10), 0]


async def test_no_more_than_the_limit_are_at_work_and_untaken_answers_count() -> None:
    begun: list[int] = []

    async def handle(number: int) -> int:
        begun.append(number)
        return number

    answers = multiplex(each(range(10)), handle, 3)
    taken = [await anext(answers)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert len(begun) <= 4
    taken += await collect(answers)
    assert sorted(taken) == list(range(10))


async def test_leaving_early_cancels_what_is_under_way() -> None:
    cancelled: list[int] = []

    async def handle(number: int) -> int:
        try:
            if number:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    answers = multiplex(each(range(3)), handle, 5)
    assert await anext(answers) == 0
    await asyncio.sleep(0)
    await answers.aclose()
    assert sorted(cancelled) == [1, 2]
    assert len(asyncio.all_tasks()) == 1


async def test_an_error_of_the_requests_comes_out() -> None:
    async def broken() -> AsyncIterator[int]:
        yield 1
        raise RuntimeError("gone")

    async def handle(number: int) -> int:
        return number

    with pytest.raises(RuntimeError, match="gone"):
        await collect(multiplex(broken(), handle, 5))


async def test_no_requests_no_answers() -> None:
    async def handle(number: int) -> int:
        return number

    assert await collect(multiplex(each(()), handle, 1)) == []
