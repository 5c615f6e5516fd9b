"""What the cache is. Two implementations stand beside this file and pass one suite. Nothing rests on what it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol


class CacheUnavailable(Exception):
    """The cache doesn't answer. Whoever asks goes on without it."""


class SessionCache(Protocol):
    """Small values by key, expiring; members of groups; counters; wake-ups. Every method may raise CacheUnavailable."""

    async def get(self, key: str) -> bytes | None:
        """Value at the key, or None."""

    async def put(self, key: str, value: bytes, ttl_ms: int) -> None:
        """Set the value for so long (1 ms to 30 days)."""

    async def delete(self, *keys: str) -> None:
        """Forget the keys."""

    async def get_many(self, keys: list[str]) -> Mapping[str, bytes]:
        """Values of those keys that have one."""

    async def count(self, key: str, window_ms: int) -> int:
        """Count one more in the key's window, which begins with its first count; return the count. For rate limits."""

    async def take(self, key: str, rate: float, burst: float, tokens: float = 1, *, debt: bool = False) -> float:
        """Take tokens from the key's bucket as `sessions.buckets.take` does; return the seconds to wait, 0 for none."""

    async def touch(self, group: str, member: str, ttl_ms: int) -> None:
        """Say that a member of a group is there, for so long. For presence."""

    async def members(self, group: str) -> frozenset[str]:
        """Members of a group that are there."""

    async def wake(self, channel: str, hint: bytes) -> None:
        """Tell whoever listens, at most once, that there may be something new."""

    def wakes(self, *channels: str) -> AsyncIterator[tuple[str, bytes]]:
        """Hints of the channels; ("", b"") after each (re)subscription: look for yourself, hints may have been lost."""

    async def close(self) -> None:
        """Let go of connections."""
