"""What a reader keeps for its next start: when, and what is believed of it."""

from __future__ import annotations

import pytest

from ludolog.eventlog import keeping
from ludolog.eventlog.keeping import Keeper, Kept, kept_key, save_all
from ludolog.eventlog.takeovers import Checkpoint
from ludolog.sessions.port import CacheUnavailable
from tests.infra.caches import DictCache

KEY = kept_key("lists", 1, "topic", 3)


class Reader:
    """A reader that makes a list of words, and a clock."""

    def __init__(self, cache: DictCache, key: str = KEY) -> None:
        self.now_s = 1000.0
        self.words: list[str] | None = ["one"]
        self.position = 7
        self.cache = cache
        self.keeper = Keeper(cache, key, Kept[list[str]], self._stand, lambda: self.now_s)

    def _stand(self) -> Kept[list[str]] | None:
        return None if self.words is None else Kept(Checkpoint(self.position, 2, b"b"), self.words)

    async def kept_when_due(self) -> bool:
        """Whether it is kept now: the key is taken away first, so that nothing is mistaken for it."""
        self.cache.values.clear()
        await self.keeper.save(due=True)
        return bool(self.cache.values)


async def test_the_next_start_finds_position_and_fold() -> None:
    cache = DictCache()
    await Reader(cache).keeper.save()
    assert await Reader(cache).keeper.load() == Kept(Checkpoint(7, 2, b"b"), ["one"])
    assert await Reader(DictCache()).keeper.load() is None


async def test_other_bytes_are_nothing() -> None:
    cache = DictCache()
    await Reader(cache).keeper.save()
    kept = cache.values[KEY]
    for place in range(len(kept)):
        changed = bytearray(kept)
        changed[place] ^= 1
        cache.values[KEY] = bytes(changed)
        assert await Reader(cache).keeper.load() is None
    for cut in range(len(kept)):
        cache.values[KEY] = kept[:cut]
        assert await Reader(cache).keeper.load() is None


async def test_another_format_or_place_is_ignored_and_left_alone() -> None:
    cache, newer = DictCache(), kept_key("lists", 2, "topic", 3)
    await Reader(cache, newer).keeper.save()
    of_newer = cache.values[newer]
    old = Reader(cache)
    assert await old.keeper.load() is None
    await old.keeper.save()
    assert cache.values[newer] == of_newer
    cache.values[KEY] = of_newer
    assert await old.keeper.load() is None, "found where it doesn't belong"


async def test_a_value_that_has_another_shape_is_nothing() -> None:
    cache = DictCache()
    await Keeper(cache, KEY, Kept[int], lambda: Kept(Checkpoint(7, 2, b"b"), 5), lambda: 0.0).save()
    assert await Reader(cache).keeper.load() is None


async def test_it_is_kept_when_it_has_moved_far_or_long_ago_or_may_have_been_forgotten() -> None:
    reader = Reader(DictCache())
    await reader.keeper.save()
    assert not await reader.kept_when_due()
    reader.position += keeping.EVERY_RECORDS - 1
    assert not await reader.kept_when_due()
    reader.position += 1
    assert await reader.kept_when_due()
    reader.position += 1
    reader.now_s += keeping.EVERY_S - 1
    assert not await reader.kept_when_due()
    reader.now_s += 1
    assert await reader.kept_when_due()
    reader.now_s += keeping.RENEW_S - 1
    assert not await reader.kept_when_due()
    reader.now_s += 1
    assert await reader.kept_when_due()


async def test_after_what_was_kept_of_another_log_the_next_one_is_kept_too() -> None:
    cache = DictCache()
    before = Reader(cache)
    before.position = 1_000_000
    await before.keeper.save()
    again = Reader(cache)
    assert await again.keeper.load() is not None
    again.position = 0
    assert await again.kept_when_due()


async def test_whoever_has_stopped_keeps_nothing() -> None:
    reader = Reader(DictCache())
    reader.words = None
    await reader.keeper.save()
    assert not reader.cache.values


async def test_without_a_cache_nothing_is_kept_and_it_is_tried_again() -> None:
    reader = Reader(DictCache())
    reader.cache.down = True
    assert await reader.keeper.load() is None
    with pytest.raises(CacheUnavailable):
        await reader.keeper.save()
    await save_all([reader.keeper])
    reader.cache.down = False
    await save_all([reader.keeper])
    assert list(reader.cache.values) == [KEY]
