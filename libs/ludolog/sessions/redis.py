"""The cache on Redis 7 or later, by redis-py. Every error of its is CacheUnavailable.

redis-py 8.1: a command that is cancelled half-way gives up its connection, so that no answer reaches the next caller
(https://github.com/redis/redis-py/issues/2624; a test stands guard). Pub/sub doesn't tell when it has reconnected:
the confirmations of subscriptions do.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

import redis.asyncio as aioredis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from ludolog.sessions.port import CacheUnavailable

PREFIX = "ludolog:"
RESUBSCRIBED = ("", b"")
_FIRST_BACKOFF_S = 0.05
_LAST_BACKOFF_S = 2.0
_MAX_LISTENERS = 1000

# By the server's clock, so that instances needn't agree on the time.
_NOW = "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
_TOUCH = (
    _NOW
    + """
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
"""
)
_MEMBERS = (
    _NOW
    + """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""
)
# The window begins with the first count; later ones don't lengthen it.
_COUNT = """
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count
"""

# As sessions.buckets.take. A bucket that is full again is forgotten.
_TAKE = """
local rate, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local t = redis.call('TIME')
local now = t[1] + t[2] / 1000000
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'time')
local tokens = math.min(burst, (tonumber(kept[1]) or burst) + math.max(0, now - (tonumber(kept[2]) or now)) * rate)
local wait = math.max(0, (cost - tokens) / rate)
if wait == 0 or ARGV[4] == '1' then tokens = math.max(-burst, tokens - cost) end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'time', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / rate * 1000) + 1)
return string.format('%.6f', wait)
"""


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError, TimeoutError) as error:
        raise CacheUnavailable(f"{type(error).__name__}: {error}") from error


class RedisCache:
    """Implements SessionCache. Belongs to one event loop."""

    def __init__(self, url: str, *, timeout_s: float = 0.5, max_connections: int = 32) -> None:
        """`url`: redis:// or rediss://, with database and password. Connects when used.

        `timeout_s`: for a connection, for an answer, and for a free connection, each.
        """
        self._timeout_s = timeout_s
        # One repeat: a pooled connection may have died with a server that is back since.
        options: dict[str, Any] = {
            "socket_timeout": timeout_s,
            "socket_connect_timeout": timeout_s,
            "retry": Retry(NoBackoff(), 1),
        }
        pool = aioredis.BlockingConnectionPool.from_url(
            url, max_connections=max_connections, timeout=timeout_s, **options
        )
        self._redis = aioredis.Redis(connection_pool=pool)
        listening = aioredis.ConnectionPool.from_url(url, max_connections=_MAX_LISTENERS, **options)
        self._listening = aioredis.Redis(connection_pool=listening)
        self._touch = self._redis.register_script(_TOUCH)
        self._members = self._redis.register_script(_MEMBERS)
        self._count = self._redis.register_script(_COUNT)
        self._take = self._redis.register_script(_TAKE)
        self._closed = False

    async def get(self, key: str) -> bytes | None:
        """Value at the key, or None."""
        with _translated():
            value: Any = await self._redis.get(PREFIX + key)
        return None if value is None else bytes(value)

    async def put(self, key: str, value: bytes, ttl_ms: int) -> None:
        """Set the value for so long."""
        with _translated():
            await self._redis.set(PREFIX + key, value, px=ttl_ms)

    async def delete(self, *keys: str) -> None:
        """Forget the keys."""
        if keys:
            with _translated():
                await self._redis.delete(*(PREFIX + key for key in keys))

    async def get_many(self, keys: list[str]) -> Mapping[str, bytes]:
        """Values of those keys that have one."""
        if not keys:
            return {}
        with _translated():
            values: list[Any] = await self._redis.mget([PREFIX + key for key in keys])
        return {key: value for key, value in zip(keys, values, strict=True) if value is not None}

    async def count(self, key: str, window_ms: int) -> int:
        """Count one more in the key's window, which begins with its first count; return the count."""
        with _translated():
            return int(await self._count(keys=[f"{PREFIX}count:{key}"], args=[window_ms]))

    async def take(self, key: str, rate: float, burst: float, tokens: float = 1, *, debt: bool = False) -> float:
        """Take tokens from the key's bucket; return the seconds to wait, 0 for none."""
        arguments = [float(rate), float(burst), float(tokens), int(debt)]
        with _translated():
            return float(await self._take(keys=[f"{PREFIX}bucket:{key}"], args=arguments))

    async def touch(self, group: str, member: str, ttl_ms: int) -> None:
        """Say that a member of a group is there, for so long."""
        with _translated():
            await self._touch(keys=[f"{PREFIX}group:{group}"], args=[member, ttl_ms])

    async def members(self, group: str) -> frozenset[str]:
        """Members of a group that are there."""
        with _translated():
            found: list[bytes] = await self._members(keys=[f"{PREFIX}group:{group}"])
        return frozenset(member.decode() for member in found)

    async def wake(self, channel: str, hint: bytes) -> None:
        """Tell whoever listens."""
        with _translated():
            await self._redis.publish(PREFIX + channel, hint)

    async def wakes(self, *channels: str) -> AsyncGenerator[tuple[str, bytes], None]:
        """Hints of the channels; ("", b"") after each (re)subscription. Goes on for ever, whatever happens to Redis."""
        backoff_s = _FIRST_BACKOFF_S
        while not self._closed:
            subscription = self._listening.pubsub()
            hints = self._hints(subscription, frozenset(PREFIX + channel for channel in channels))
            try:
                async with contextlib.aclosing(hints):
                    async for hint in hints:
                        backoff_s = _FIRST_BACKOFF_S
                        yield hint
            except CacheUnavailable:
                await asyncio.sleep(random.uniform(backoff_s / 2, backoff_s))  # noqa: S311 - not a secret
                backoff_s = min(2 * backoff_s, _LAST_BACKOFF_S)
            finally:
                with contextlib.suppress(RedisError, OSError, TimeoutError):
                    await subscription.aclose()  # type: ignore[no-untyped-call]

    async def _hints(self, subscription: PubSub, names: frozenset[str]) -> AsyncGenerator[tuple[str, bytes], None]:
        """Hints of one subscription, until something is wrong with it."""
        unconfirmed = names
        with _translated():
            await subscription.subscribe(*names)
        asked_whether_alive = False
        while True:
            with _translated():
                message = await subscription.get_message(timeout=self._timeout_s)
                if message is None:
                    if unconfirmed or asked_whether_alive:
                        raise TimeoutError("the subscription doesn't answer")
                    await subscription.ping()
                    asked_whether_alive = True
                    continue
            asked_whether_alive = False
            if message["type"] == "subscribe":
                # Again after redis-py has reconnected by itself.
                unconfirmed = (unconfirmed or names) - {message["channel"].decode()}
                if not unconfirmed:
                    yield RESUBSCRIBED
            elif message["type"] == "message":
                yield message["channel"].decode().removeprefix(PREFIX), message["data"]

    async def close(self) -> None:
        """Let go of connections."""
        self._closed = True
        for client in self._redis, self._listening:
            with contextlib.suppress(RedisError, OSError, TimeoutError):
                await client.aclose(close_connection_pool=True)
