"""Who is watching through this gateway: members of a group in the cache for each match. A figure to show, no more."""

from __future__ import annotations

import asyncio
import contextlib
import itertools

from ludolog.sessions.hints import watchers_group
from ludolog.sessions.port import CacheUnavailable, SessionCache

TTL_MS = 60_000
REFRESH_S = 20.0
GONE_MS = 1


class Presence:
    """The spectators whose streams are open here. A player counts once in a match, however many streams it has."""

    def __init__(self, cache: SessionCache, instance: str) -> None:
        """`instance` tells those who aren't signed in from those of other gateways."""
        self._cache = cache
        self._instance = instance
        self._numbers = itertools.count(1)
        self._here: dict[int, tuple[str, str]] = {}

    def __len__(self) -> int:
        return len(self._here)

    async def come(self, match_id: str, player_id: str) -> int:
        """A stream is open, of a player or ("") of somebody who isn't signed in. Returns a number to leave with."""
        number = next(self._numbers)
        self._here[number] = match_id, player_id or f"{self._instance}/{number}"
        await self._touch(*self._here[number], TTL_MS)
        return number

    async def leave(self, number: int) -> None:
        """A stream is over. Another gateway that has one of the same player says so again within `REFRESH_S`."""
        match_id, member = self._here.pop(number)
        if (match_id, member) not in self._here.values():
            await self._touch(match_id, member, GONE_MS)

    async def run(self) -> None:
        """Say again who is here, for ever."""
        while True:
            await asyncio.sleep(REFRESH_S)
            for match_id, member in tuple(dict.fromkeys(self._here.values())):
                await self._touch(match_id, member, TTL_MS)

    async def _touch(self, match_id: str, member: str, ttl_ms: int) -> None:
        with contextlib.suppress(CacheUnavailable):
            await self._cache.touch(watchers_group(match_id), member, ttl_ms)
