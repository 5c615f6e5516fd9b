"""The cache of one process: what Redis is to many. It belongs to one event loop."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Generic, TypeVar

from ludolog.sessions import buckets
from ludolog.sessions.buckets import Bucket

T = TypeVar("T")

MAX_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 1_000_000
MAX_HINTS = 1000
RESUBSCRIBED = ("", b"")
_SWEEP_AT_LEAST = 1000


class Expiring(Generic[T]):
    """Values by key until their time is over, or until newer ones need the room."""

    def __init__(self, monotonic: Callable[[], float], weigh: Callable[[T], int], capacity: int) -> None:
        """`monotonic` gives seconds; the weights of all values are `capacity` at most."""
        self._monotonic = monotonic
        self._weigh = weigh
        self._capacity = capacity
        self._entries: OrderedDict[str, tuple[T, float]] = OrderedDict()
        self._weight = 0
        self._until_sweep = _SWEEP_AT_LEAST

    def get(self, key: str) -> T | None:
        """The value, or None."""
        entry = self._entries.get(key)
        return entry[0] if entry is not None and entry[1] > self._monotonic() else None

    def set(self, key: str, value: T, ttl_ms: int) -> None:
        """Set a value and its time. Where there is no room, those that were set longest ago go."""
        self.pop(key)
        self._entries[key] = value, self._monotonic() + ttl_ms / 1000
        self._weight += self._weigh(value)
        self._until_sweep -= 1
        if self._until_sweep <= 0:
            self._sweep()
        while self._weight > self._capacity:
            self.pop(next(iter(self._entries)))

    def change(self, key: str, value: T) -> None:
        """Another value for what is left of a key's time. KeyError where it isn't there."""
        old, deadline = self._entries[key]
        self._weight += self._weigh(value) - self._weigh(old)
        self._entries[key] = value, deadline

    def pop(self, key: str) -> None:
        """Forget a key, if it is there."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._weight -= self._weigh(entry[0])

    def keys(self) -> frozenset[str]:
        """What is there."""
        now = self._monotonic()
        return frozenset(key for key, (_, deadline) in self._entries.items() if deadline > now)

    def _sweep(self) -> None:
        """Drop what is over: once for as many sets as there are entries, so that it costs each set little."""
        now = self._monotonic()
        for key in [key for key, (_, deadline) in self._entries.items() if deadline <= now]:
            self.pop(key)
        self._until_sweep = max(_SWEEP_AT_LEAST, len(self._entries))


class _Listener:
    """Hints on their way to one reader. Where there are too many, it is told to look for itself."""

    def __init__(self) -> None:
        self._hints: deque[tuple[str, bytes]] = deque([RESUBSCRIBED])
        self._some = asyncio.Event()
        self._some.set()

    def put(self, channel: str, hint: bytes) -> None:
        if len(self._hints) >= MAX_HINTS:
            self._hints.clear()
            self._hints.append(RESUBSCRIBED)
        self._hints.append((channel, hint))
        self._some.set()

    async def next(self) -> tuple[str, bytes]:
        await self._some.wait()
        hint = self._hints.popleft()
        if not self._hints:
            self._some.clear()
        return hint


class MemoryCache:
    """Implements SessionCache in memory. Never unavailable."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic, *, max_bytes: int = MAX_BYTES) -> None:
        """`monotonic` gives seconds; beyond `max_bytes` of values those that were set longest ago go."""
        self._monotonic = monotonic
        self._max_bytes = max_bytes
        self._listeners: dict[str, set[_Listener]] = {}
        self.flush()

    def flush(self) -> None:
        """Forget everything, as a lost Redis does. Listeners stay."""
        self._values = Expiring[bytes](self._monotonic, len, self._max_bytes)
        self._counters = Expiring[int](self._monotonic, _one, MAX_ENTRIES)
        self._buckets = Expiring[Bucket](self._monotonic, _one, MAX_ENTRIES)
        self._groups: dict[str, Expiring[None]] = {}
        self._tidy_at = _SWEEP_AT_LEAST

    async def get(self, key: str) -> bytes | None:
        """Value at the key, or None."""
        return self._values.get(key)

    async def put(self, key: str, value: bytes, ttl_ms: int) -> None:
        """Set the value for so long."""
        self._values.set(key, value, ttl_ms)

    async def delete(self, *keys: str) -> None:
        """Forget the keys."""
        for key in keys:
            self._values.pop(key)

    async def get_many(self, keys: list[str]) -> Mapping[str, bytes]:
        """Values of those keys that have one."""
        found = {key: self._values.get(key) for key in keys}
        return {key: value for key, value in found.items() if value is not None}

    async def count(self, key: str, window_ms: int) -> int:
        """Count one more in the key's window, which begins with its first count; return the count."""
        before = self._counters.get(key)
        if before is None:
            self._counters.set(key, 1, window_ms)
            return 1
        self._counters.change(key, before + 1)
        return before + 1

    async def take(self, key: str, rate: float, burst: float, tokens: float = 1, *, debt: bool = False) -> float:
        """Take tokens from the key's bucket; return the seconds to wait, 0 for none."""
        before = self._buckets.get(key)
        bucket, wait_s = buckets.take(before, self._monotonic(), rate, burst, tokens, debt=debt)
        self._buckets.set(key, bucket, int(1000 * buckets.full_in_s(bucket, rate, burst)) + 1)
        return wait_s

    async def touch(self, group: str, member: str, ttl_ms: int) -> None:
        """Say that a member of a group is there, for so long."""
        if group not in self._groups:
            if len(self._groups) >= self._tidy_at:
                self._groups = {name: there for name, there in self._groups.items() if there.keys()}
                self._tidy_at = 2 * len(self._groups) + _SWEEP_AT_LEAST
            self._groups[group] = Expiring(self._monotonic, _one, MAX_ENTRIES)
        self._groups[group].set(member, None, ttl_ms)

    async def members(self, group: str) -> frozenset[str]:
        """Members of a group that are there."""
        there = self._groups.get(group)
        return frozenset() if there is None else there.keys()

    async def wake(self, channel: str, hint: bytes) -> None:
        """Tell whoever listens."""
        for listener in self._listeners.get(channel, ()):
            listener.put(channel, hint)

    async def wakes(self, *channels: str) -> AsyncGenerator[tuple[str, bytes], None]:
        """Hints of the channels, after a first ("", b""); another of those where hints were lost."""
        listener = _Listener()
        for channel in channels:
            self._listeners.setdefault(channel, set()).add(listener)
        try:
            while True:
                yield await listener.next()
        finally:
            for channel in channels:
                self._listeners[channel].discard(listener)
                if not self._listeners[channel]:
                    del self._listeners[channel]

    async def close(self) -> None:
        """There is nothing to let go of."""


def _one(value: object) -> int:
    return 1
