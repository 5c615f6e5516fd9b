"""Blocks ahead of time: a convenience that never stands in the way."""

import asyncio

import pytest

from ludolog.eventlog.answers import Unavailable
from ludolog.record.match import BlockRequest
from services.engine import blocks as module
from services.engine.blocks import Blocks

MATCH = "tempel-" + "a" * 26
FIRST, SECOND = (BlockRequest("k1", index, b"d" * 32) for index in (1, 2))


class Rng:
    """Answers when told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, BlockRequest]] = []
        self.answer = asyncio.Event()
        self.away = False

    async def __call__(self, match_id: str, wanted: BlockRequest) -> bytes:
        self.asked.append((match_id, wanted))
        await self.answer.wait()
        if self.away:
            raise Unavailable("away")
        return bytes([wanted.index]) * 32


async def test_a_block_is_fetched_once_even_if_it_is_wanted_while_it_is_under_way() -> None:
    rng = Rng()
    blocks = Blocks(rng)
    blocks.fetch_ahead(MATCH, FIRST)
    blocks.fetch_ahead(MATCH, FIRST)
    wanted = asyncio.create_task(blocks.fetch(MATCH, FIRST))
    await asyncio.sleep(0)
    rng.answer.set()
    assert await wanted == bytes([1]) * 32
    assert blocks.held(MATCH, FIRST) == bytes([1]) * 32
    assert blocks.held(MATCH, SECOND) is None
    assert rng.asked == [(MATCH, FIRST)]
    blocks.forget(MATCH)
    assert blocks.held(MATCH, FIRST) is None


async def test_a_failure_ahead_of_time_is_nobodys_business_until_the_block_is_needed() -> None:
    rng = Rng()
    rng.away = True
    rng.answer.set()
    blocks = Blocks(rng)
    blocks.fetch_ahead(MATCH, FIRST)
    with pytest.raises(Unavailable):
        await blocks.fetch(MATCH, FIRST)
    assert len(rng.asked) == 2
    rng.away = False
    assert await blocks.fetch(MATCH, FIRST)


async def test_what_is_under_way_and_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AHEAD", 2)
    monkeypatch.setattr(module, "HELD", 3)
    rng = Rng()
    blocks = Blocks(rng)
    for number in range(5):
        blocks.fetch_ahead(f"m{number}", FIRST)
    await asyncio.sleep(0)
    assert [match for match, _ in rng.asked] == ["m0", "m1"]
    rng.answer.set()
    for number in range(5):
        await blocks.fetch(f"m{number}", FIRST)
    assert [blocks.held(f"m{number}", FIRST) is not None for number in range(5)] == [False, False, True, True, True]


async def test_closing_gives_up_what_is_under_way() -> None:
    blocks = Blocks(Rng())
    blocks.fetch_ahead(MATCH, FIRST)
    await asyncio.sleep(0)
    await blocks.close()
    assert len(asyncio.all_tasks()) == 1
