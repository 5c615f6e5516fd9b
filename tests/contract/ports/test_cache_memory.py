"""The cache's suite in memory, and what only that one does."""

import pytest

from ludolog.sessions.memory import MAX_HINTS, MemoryCache
from tests.contract.ports.cache_cases import LONG_MS, SHORT_MS, CacheWorld, SessionCacheCases


class MemoryWorld(CacheWorld):
    """A cache with a clock that we move."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.cache: MemoryCache = MemoryCache(lambda: self.now_s, max_bytes=10_000)

    async def short_time_passes(self) -> None:
        self.now_s += SHORT_MS / 1000


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld()


class TestMemory(SessionCacheCases):
    """Memory."""

    async def test_what_was_set_longest_ago_makes_room(self, world: MemoryWorld) -> None:
        for number in range(12):
            await world.cache.put(f"{number}", b"x" * 1000, LONG_MS)
        assert await world.cache.get("1") is None
        assert await world.cache.get("2") is not None
        await world.cache.put("2", b"again", LONG_MS)
        for number in range(12, 18):
            await world.cache.put(f"{number}", b"x" * 1000, LONG_MS)
        assert await world.cache.get("2") == b"again"
        assert await world.cache.get("3") is None

    async def test_what_is_over_takes_no_room(self, world: MemoryWorld) -> None:
        await world.cache.put("kept", b"x", LONG_MS)
        for number in range(5000):
            await world.cache.put(f"{number}", b"xxxxxxxxx", SHORT_MS)
            world.now_s += 0.001
        assert await world.cache.get("kept") == b"x"

    async def test_a_slow_listener_is_told_to_look_for_itself(self, world: MemoryWorld) -> None:
        hints = world.cache.wakes("a")
        assert await anext(hints) == ("", b"")
        for number in range(MAX_HINTS + 1):
            await world.cache.wake("a", b"%d" % number)
        assert await anext(hints) == ("", b"")
        assert await anext(hints) == ("a", b"%d" % MAX_HINTS)
        await hints.aclose()

    async def test_a_flush_forgets_everything(self, world: MemoryWorld) -> None:
        await world.cache.put("a", b"x", LONG_MS)
        await world.cache.count("a", LONG_MS)
        await world.cache.touch("a", "m", LONG_MS)
        world.cache.flush()
        assert await world.cache.get("a") is None
        assert await world.cache.count("a", LONG_MS) == 1
        assert await world.cache.members("a") == frozenset()
