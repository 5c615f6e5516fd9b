"""Who is watching: members of a group in the cache, whoever put them there. A figure to show, nothing more."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence

from ludolog.sessions.hints import watchers_group
from ludolog.sessions.port import CacheUnavailable, SessionCache

TTL_MS = 60_000
REFRESH_S = 20.0


class Presence:
    """The streams of spectators that are open here."""

    def __init__(self, cache: SessionCache, instance: str) -> None:
        self._cache = cache
        self._instance = instance
        self._numbers = itertools.count(1)
        self._here: dict[int, tuple[str, str]] = {}

    async def come(self, match_id: str, player_id: str) -> int:
        """A stream is open, of a player or ("") of somebody who isn't signed in. Returns a number to leave with."""
        number = next(self._numbers)
        self._here[number] = match_id, player_id or f"{self._instance}/{number}"
        await self._touch(number)
        return number

    def leave(self, number: int) -> None:
        """A stream is over; within a minute nobody counts it any more."""
        self._here.pop(number, None)

    async def refresh(self) -> None:
        """Say again who is here."""
        for number in tuple(self._here):
            await self._touch(number)

    async def counts(self, match_ids: Sequence[str]) -> list[int]:
        """How many watch each of the matches; 0 where the cache doesn't answer."""
        try:
            return [len(await self._cache.members(watchers_group(match_id))) for match_id in match_ids]
        except CacheUnavailable:
            return [0] * len(match_ids)

    async def _touch(self, number: int) -> None:
        if number in self._here:
            match_id, member = self._here[number]
            with contextlib.suppress(CacheUnavailable):
                await self._cache.touch(watchers_group(match_id), member, TTL_MS)
