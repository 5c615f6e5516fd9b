"""What every implementation of the session cache must do. Each has a test module that inherits the cases."""

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

import pytest

from ludolog.sessions.port import SessionCache

LONG_MS = 60_000
SHORT_MS = 60


class CacheWorld(ABC):
    """A cache, and the time in it."""

    cache: SessionCache

    @abstractmethod
    async def short_time_passes(self) -> None:
        """Whatever was set before for SHORT_MS is over afterwards, and what was set for LONG_MS isn't."""


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Ask again and again until it is true."""
    async with asyncio.timeout(20):
        while not await condition():  # noqa: ASYNC110 - a server's clock wakes nobody
            await asyncio.sleep(0.005)


class ValueCases:
    """Values by key."""

    async def test_a_value_is_there_until_it_is_deleted(self, world: CacheWorld) -> None:
        cache = world.cache
        awkward = bytes(range(256))
        assert await cache.get("a") is None
        await cache.put("a", awkward, LONG_MS)
        await cache.put("b", b"", LONG_MS)
        assert await cache.get("a") == awkward
        assert await cache.get("b") == b""
        await cache.delete("a", "b", "c")
        await cache.delete()
        assert await cache.get("a") is None
        assert await cache.get("b") is None

    async def test_the_last_put_counts_and_so_does_its_time(self, world: CacheWorld) -> None:
        cache = world.cache
        await cache.put("longer", b"1", SHORT_MS)
        await cache.put("shorter", b"1", LONG_MS)
        await cache.put("longer", b"2", LONG_MS)
        await cache.put("shorter", b"2", SHORT_MS)
        await world.short_time_passes()
        assert await cache.get("longer") == b"2"
        assert await cache.get("shorter") is None

    async def test_many_at_once(self, world: CacheWorld) -> None:
        cache = world.cache
        await cache.put("a", b"1", LONG_MS)
        await cache.put("c", b"3", LONG_MS)
        await cache.put("d", b"4", SHORT_MS)
        await world.short_time_passes()
        assert await cache.get_many(["a", "b", "c", "d"]) == {"a": b"1", "c": b"3"}
        assert await cache.get_many([]) == {}

    async def test_everybody_gets_their_own_answer(self, world: CacheWorld) -> None:
        cache = world.cache
        keys = [f"key-{number}" for number in range(200)]
        await asyncio.gather(*(cache.put(key, key.encode(), LONG_MS) for key in keys))
        assert await asyncio.gather(*map(cache.get, keys)) == [key.encode() for key in keys]

    async def test_nobody_gets_the_answer_to_a_cancelled_call(self, world: CacheWorld) -> None:
        cache = world.cache
        chance = random.Random(7)
        keys = [f"key-{number}" for number in range(20)]
        for key in keys:
            await cache.put(key, key.encode(), LONG_MS)
        for _ in range(30):
            asked = {key: asyncio.create_task(cache.get(key)) for key in keys}
            for _ in range(chance.randrange(6)):
                await asyncio.sleep(0)
            for key in chance.sample(keys, 10):
                asked[key].cancel()
            await asyncio.wait(asked.values())
            for key, task in asked.items():
                assert task.cancelled() or task.result() == key.encode()


class CounterCases:
    """Counters in windows."""

    async def test_counts_are_per_key(self, world: CacheWorld) -> None:
        cache = world.cache
        assert [await cache.count("a", LONG_MS) for _ in range(3)] == [1, 2, 3]
        assert await cache.count("b", LONG_MS) == 1

    async def test_a_window_begins_with_its_first_count_and_is_not_lengthened(self, world: CacheWorld) -> None:
        cache = world.cache
        await cache.count("a", SHORT_MS)
        await cache.count("a", LONG_MS)
        await world.short_time_passes()
        assert await cache.count("a", LONG_MS) == 1

    async def test_concurrent_counts_are_all_counted(self, world: CacheWorld) -> None:
        counts = await asyncio.gather(*(world.cache.count("a", LONG_MS) for _ in range(100)))
        assert sorted(counts) == list(range(1, 101))


class MemberCases:
    """Presence."""

    async def test_members_come_and_go(self, world: CacheWorld) -> None:
        cache = world.cache
        assert await cache.members("here") == frozenset()
        await cache.touch("here", "stays", LONG_MS)
        await cache.touch("here", "goes", SHORT_MS)
        await cache.touch("here", "comes back", SHORT_MS)
        await cache.touch("elsewhere", "other", LONG_MS)
        await cache.touch("here", "comes back", LONG_MS)
        await world.short_time_passes()
        assert await cache.members("here") == {"stays", "comes back"}
        assert await cache.members("elsewhere") == {"other"}

    async def test_a_short_touch_does_not_shorten_the_others(self, world: CacheWorld) -> None:
        cache = world.cache
        await cache.touch("here", "stays", LONG_MS)
        await cache.touch("here", "goes", SHORT_MS)
        await world.short_time_passes()
        assert await cache.members("here") == {"stays"}

    async def test_a_group_is_not_a_key(self, world: CacheWorld) -> None:
        cache = world.cache
        await cache.put("x", b"value", LONG_MS)
        await cache.touch("x", "member", LONG_MS)
        assert await cache.count("x", LONG_MS) == 1
        assert await cache.get("x") == b"value"
        assert await cache.members("x") == {"member"}


class WakeCases:
    """Wake-ups."""

    async def test_first_look_for_yourself_then_hints(self, world: CacheWorld) -> None:
        hints = world.cache.wakes("a", "b")
        assert await anext(hints) == ("", b"")
        await world.cache.wake("c", b"not for me")
        await world.cache.wake("b", b"1")
        assert await anext(hints) == ("b", b"1")
        await world.cache.wake("a", bytes(range(256)))
        assert await anext(hints) == ("a", bytes(range(256)))
        await hints.aclose()  # type: ignore[attr-defined]

    async def test_every_listener_hears_of_it(self, world: CacheWorld) -> None:
        listeners = [world.cache.wakes("a") for _ in range(3)]
        for listener in listeners:
            assert await anext(listener) == ("", b"")
        await world.cache.wake("a", b"x")
        for listener in listeners:
            assert await anext(listener) == ("a", b"x")
            await listener.aclose()  # type: ignore[attr-defined]

    async def test_a_wake_without_listeners_is_nothing(self, world: CacheWorld) -> None:
        await world.cache.wake("a", b"x")
        hints = world.cache.wakes("a")
        assert await anext(hints) == ("", b"")
        await world.cache.wake("a", b"y")
        assert await anext(hints) == ("a", b"y")
        await hints.aclose()  # type: ignore[attr-defined]

    async def test_a_listener_may_be_cancelled_while_it_waits(self, world: CacheWorld) -> None:
        hints = world.cache.wakes("a")
        assert await anext(hints) == ("", b"")
        waiting = asyncio.ensure_future(anext(hints))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        await world.cache.put("k", b"the cache goes on", LONG_MS)
        assert await world.cache.get("k") == b"the cache goes on"


class BucketCases:
    """Tokens."""

    async def test_a_bucket_holds_so_many_and_fills_again(self, world: CacheWorld) -> None:
        cache, rate = world.cache, 1000 / SHORT_MS
        assert [await cache.take("a", 0.001, 3) for _ in range(3)] == [0, 0, 0]
        assert await cache.take("a", 0.001, 3) == pytest.approx(1000, rel=0.1)
        assert await cache.take("b", rate, 1) == 0
        wait_s = await cache.take("b", rate, 1)
        assert 0 < wait_s <= SHORT_MS / 1000
        await world.short_time_passes()
        assert await cache.take("b", rate, 1) == 0

    async def test_many_tokens_at_once_and_none_where_there_are_too_few(self, world: CacheWorld) -> None:
        cache = world.cache
        assert await cache.take("a", 0.001, 10, 8) == 0
        assert await cache.take("a", 0.001, 10, 8) > 0
        assert await cache.take("a", 0.001, 10, 2) == 0

    async def test_a_debt_is_waited_off_and_has_a_bound(self, world: CacheWorld) -> None:
        cache = world.cache
        assert await cache.take("a", 0.001, 10, 15, debt=True) == pytest.approx(5000, rel=0.1)
        assert await cache.take("a", 0.001, 10) == pytest.approx(6000, rel=0.1)
        await cache.take("a", 0.001, 10, 100, debt=True)
        assert await cache.take("a", 0.001, 10) == pytest.approx(11_000, rel=0.1)

    async def test_no_token_is_given_twice(self, world: CacheWorld) -> None:
        waits = await asyncio.gather(*(world.cache.take("a", 0.001, 40) for _ in range(100)))
        assert waits.count(0) == 40


class SessionCacheCases(ValueCases, CounterCases, BucketCases, MemberCases, WakeCases):
    """All of it."""
