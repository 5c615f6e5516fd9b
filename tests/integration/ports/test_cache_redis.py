"""The cache's suite on a real Redis, and its faults."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import redis

from deploy.dev.servers import Redis
from ludolog.sessions.port import CacheUnavailable
from ludolog.sessions.redis import RedisCache
from tests.contract.ports.cache_cases import LONG_MS, SHORT_MS, CacheWorld, SessionCacheCases, until
from tests.infra.provide import provided


class RedisWorld(CacheWorld):
    """A database of the server."""

    def __init__(self, url: str) -> None:
        self.cache: RedisCache = RedisCache(url)

    async def short_time_passes(self) -> None:
        await self.cache.put("a short time", b"x", SHORT_MS + 5)

        async def has_passed() -> bool:
            return await self.cache.get("a short time") is None

        await until(has_passed)


class TestRedis(SessionCacheCases):
    """Redis."""

    @pytest.fixture
    async def world(self, redis_server: Redis) -> AsyncIterator[RedisWorld]:
        with redis.Redis.from_url(redis_server.url) as client:
            client.flushall()
        world = RedisWorld(redis_server.url)
        yield world
        await world.cache.close()

    async def test_keys_stand_under_our_prefix(self, world: RedisWorld, redis_server: Redis) -> None:
        await world.cache.put("a", b"x", LONG_MS)
        await world.cache.count("a", LONG_MS)
        await world.cache.touch("a", "m", LONG_MS)
        with redis.Redis.from_url(redis_server.url) as client:
            keys = client.keys("*")
            assert all(client.pttl(key) > 0 for key in keys), "everything in a cache expires"
        assert sorted(keys) == [b"ludolog:a", b"ludolog:count:a", b"ludolog:group:a"]

    async def test_a_flush_in_mid_use(self, world: RedisWorld, redis_server: Redis) -> None:
        await world.cache.put("a", b"x", LONG_MS)
        await world.cache.touch("a", "m", LONG_MS)
        hints = world.cache.wakes("c")
        assert await anext(hints) == ("", b"")
        with redis.Redis.from_url(redis_server.url) as client:
            client.flushall()
            client.script_flush()
        assert await world.cache.get("a") is None
        assert await world.cache.members("a") == frozenset()
        assert await world.cache.count("a", LONG_MS) == 1
        await world.cache.touch("a", "m", LONG_MS)
        assert await world.cache.members("a") == {"m"}
        await world.cache.wake("c", b"still there")
        assert await anext(hints) == ("c", b"still there")
        await hints.aclose()

    async def test_more_callers_than_connections_wait_for_one(self, redis_server: Redis) -> None:
        cache = RedisCache(redis_server.url, max_connections=2, timeout_s=10)
        assert sorted(await asyncio.gather(*(cache.count("many", LONG_MS) for _ in range(200)))) == [*range(1, 201)]
        await cache.close()


class TestFaults:
    """A server of its own, to be hurt."""

    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[Redis]:
        with provided(Redis(tmp_path / "redis")) as server:
            yield server

    @pytest.fixture
    async def cache(self, server: Redis) -> AsyncIterator[RedisCache]:
        cache = RedisCache(server.url)
        yield cache
        await cache.close()

    async def test_unavailable_while_the_server_is_down_and_back_when_it_is(
        self, server: Redis, cache: RedisCache
    ) -> None:
        await asyncio.gather(*(cache.put(f"{number}", b"x", LONG_MS) for number in range(10)))
        server.kill()
        for call in (
            cache.get("a"),
            cache.put("a", b"x", LONG_MS),
            cache.delete("a"),
            cache.get_many(["a"]),
            cache.count("a", LONG_MS),
            cache.touch("a", "m", LONG_MS),
            cache.members("a"),
            cache.wake("a", b""),
        ):
            with pytest.raises(CacheUnavailable):
                await call
        server.start()
        assert await cache.get("0") is None
        await cache.put("0", b"back", LONG_MS)
        assert await asyncio.gather(*(cache.get("0") for _ in range(10))) == [b"back"] * 10

    async def test_a_server_that_does_not_answer_is_unavailable_soon(self, server: Redis, cache: RedisCache) -> None:
        await cache.put("a", b"x", LONG_MS)
        server.pause()
        try:
            began = time.monotonic()
            with pytest.raises(CacheUnavailable):
                await cache.get("a")
            assert time.monotonic() - began < 3
        finally:
            server.resume()
        assert await cache.get("a") == b"x"

    async def test_the_answer_to_a_cancelled_command_reaches_nobody(self, server: Redis) -> None:
        cache = RedisCache(server.url, max_connections=1, timeout_s=10)
        for key in "ab":
            await cache.put(key, key.encode(), LONG_MS)
        for _ in range(5):
            server.pause()
            asked = asyncio.create_task(cache.get("a"))
            for _ in range(10):
                await asyncio.sleep(0)
            asked.cancel()
            await asyncio.wait([asked])
            server.resume()
            assert await cache.get("b") == b"b"
        await cache.close()

    async def test_a_listener_comes_back_and_says_so(self, server: Redis, cache: RedisCache) -> None:
        hints = cache.wakes("a", "b")
        assert await anext(hints) == ("", b"")
        for _ in range(2):
            server.restart()
            async with asyncio.timeout(20):
                assert await anext(hints) == ("", b"")
                await cache.wake("b", b"again")
                assert await anext(hints) == ("b", b"again")
        await hints.aclose()

    async def test_a_listener_notices_a_server_that_does_not_answer(self, server: Redis, cache: RedisCache) -> None:
        hints = cache.wakes("a")
        assert await anext(hints) == ("", b"")
        server.pause()
        waiting = asyncio.ensure_future(anext(hints))
        done, _ = await asyncio.wait([waiting], timeout=2)
        server.resume()
        assert not done
        async with asyncio.timeout(20):
            assert await waiting == ("", b"")
        await hints.aclose()

    async def test_no_server_at_all(self) -> None:
        cache = RedisCache("redis://127.0.0.1:1/0")
        with pytest.raises(CacheUnavailable):
            await cache.get("a")
        await cache.close()
