"""What is let in from outside: so many calls a second of a player and of an address, so many at once of everybody.

Rates are token buckets. A call is decided by this process's bucket at once; what was taken is told to the cache later,
where all instances share a bucket, and who owes there waits here. Rare things ask the cache first. Without the cache
each process counts for itself: nobody is kept out because Redis is away.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

from ludolog.hosting.addresses import limited_by
from ludolog.hosting.clock import Clock
from ludolog.hosting.errors import TooMuch
from ludolog.hosting.identity import HOUSE, Caller
from ludolog.hosting.settings import Settings
from ludolog.sessions import buckets
from ludolog.sessions.buckets import Bucket
from ludolog.sessions.port import CacheUnavailable, SessionCache

REMEMBERED = 50_000
BURST_S = 4.0
"""A bucket holds what comes in so many seconds."""
TOLD_AT = 1 / 20
"""Part of a burst that a process takes before it tells the others."""
BUSY_RETRY_MS = 500
STREAMS_RETRY_MS = 10_000
Spawn = Callable[[str, Coroutine[Any, Any, None]], object]


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens a second, and most at once."""

    per_s: float
    burst: float


def per_second(calls: int) -> Rate | None:
    """The rate of a setting; None where it is 0: no limit."""
    return Rate(calls, calls * BURST_S) if calls else None


def per_minute(times: int) -> Rate | None:
    """The rate of a setting of rare things; None where it is 0: no limit."""
    return Rate(times / 60, times) if times else None


@dataclass(slots=True)
class _Kept:
    bucket: Bucket | None = None
    untold: int = 0
    blocked_until_s: float = 0.0
    telling: bool = False


class Limiter:
    """Buckets by what and who. `shared`: other processes count in the same cache."""

    def __init__(self, cache: SessionCache, clock: Clock, spawn: Spawn, *, shared: bool) -> None:
        self._cache, self._clock, self._spawn, self._shared = cache, clock, spawn, shared
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def charge(self, what: str, who: str, rate: Rate | None) -> None:
        """One more, decided at once. TooMuch where there have been too many."""
        if rate is None or not who:
            return
        key, now_s = f"{what}:{who}", self._clock.monotonic()
        kept = self._keep(key)
        if kept.blocked_until_s > now_s:
            raise _too_many(what, rate, kept.blocked_until_s - now_s)
        kept.bucket, wait_s = buckets.take(kept.bucket, now_s, rate.per_s, rate.burst)
        if wait_s:
            raise _too_many(what, rate, wait_s)
        kept.untold += 1
        if self._shared and not kept.telling and kept.untold >= max(1.0, rate.burst * TOLD_AT):
            kept.telling = True
            self._spawn("limits", self._tell(key, kept, rate))

    async def _tell(self, key: str, kept: _Kept, rate: Rate) -> None:
        taken, kept.untold = kept.untold, 0
        try:
            wait_s = await self._cache.take(f"limit:{key}", rate.per_s, rate.burst, taken, debt=True)
            kept.blocked_until_s = self._clock.monotonic() + wait_s if wait_s else 0.0
        except CacheUnavailable:
            pass
        finally:
            kept.telling = False

    async def take(self, what: str, who: str, rate: Rate | None) -> None:
        """One more, decided by what all processes have counted. TooMuch where there have been too many."""
        if rate is None or not who:
            return
        key = f"{what}:{who}"
        try:
            wait_s = await self._cache.take(f"limit:{key}", rate.per_s, rate.burst)
        except CacheUnavailable:
            kept = self._keep(key)
            kept.bucket, wait_s = buckets.take(kept.bucket, self._clock.monotonic(), rate.per_s, rate.burst)
        if wait_s:
            raise _too_many(what, rate, wait_s)

    def _keep(self, key: str) -> _Kept:
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _Kept()
            if len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return kept


class Admission:
    """What one process's public port lets in."""

    def __init__(self, settings: Settings, limiter: Limiter) -> None:
        self._limiter = limiter
        self._player = per_second(settings.player_calls_per_second)
        self._address = per_second(settings.address_calls_per_second)
        self._most_busy = settings.busy_calls
        self._most_wait_s = settings.busy_wait_ms / 1000
        self.wait_s: Callable[[], float] = lambda: 0.0
        """How long calls wait before they get here."""
        self._most_of_player = settings.player_streams
        self._most_of_address = settings.address_streams
        self._busy: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()

    def charge(self, caller: Caller) -> None:
        """One more call of somebody. TooMuch RATE_LIMITED. House players are the platform's own."""
        if HOUSE in caller.roles:
            return
        self._limiter.charge("player", caller.player_id, self._player)
        self._limiter.charge("address", limited_by(caller.address), self._address)

    @contextlib.contextmanager
    def busy(self, method: str) -> Iterator[None]:
        """A call is at work. TooMuch OVERLOADED where too many are, or wait: in line it would take all too long.

        One method takes half of the room at most, so that where one is stuck the others go on.
        """
        full = self._busy.total() >= self._most_busy or self._busy[method] >= math.ceil(self._most_busy / 2)
        if full or self.wait_s() > self._most_wait_s:
            # Not everybody at the same moment.
            retry_ms = random.randint(BUSY_RETRY_MS, 2 * BUSY_RETRY_MS)  # noqa: S311 - not a secret
            raise TooMuch("OVERLOADED", "too many calls are under way", retry_after_ms=retry_ms)
        with _counted(self._busy, method):
            yield

    @contextlib.contextmanager
    def stream(self, caller: Caller) -> Iterator[None]:
        """A stream is open. TooMuch TOO_MANY_STREAMS where somebody has too many open here."""
        if HOUSE in caller.roles:
            yield
            return
        address = limited_by(caller.address)
        with self._one_more(caller.player_id, self._most_of_player), self._one_more(address, self._most_of_address):
            yield

    @contextlib.contextmanager
    def _one_more(self, who: str, most: int) -> Iterator[None]:
        if not who or not most:
            yield
            return
        if self._streams[who] >= most:
            raise TooMuch(
                "TOO_MANY_STREAMS", f"at most {most} streams at once", retry_after_ms=STREAMS_RETRY_MS, limit=most
            )
        with _counted(self._streams, who):
            yield


@contextlib.contextmanager
def _counted(counter: Counter[str], key: str) -> Iterator[None]:
    counter[key] += 1
    try:
        yield
    finally:
        counter[key] -= 1
        if not counter[key]:
            del counter[key]


def _too_many(what: str, rate: Rate, wait_s: float) -> TooMuch:
    often = f"{rate.per_s:g} a second" if rate.per_s >= 1 else f"{rate.per_s * 60:g} a minute"
    retry_ms = max(1, math.ceil(wait_s * 1000))
    return TooMuch("RATE_LIMITED", f"at most {often}", retry_after_ms=retry_ms, limit=often, by=what)
