"""Invite codes can be guessed a few times only."""

from __future__ import annotations

import logging

from ludolog.hosting import TooMuch
from ludolog.sessions.port import CacheUnavailable, SessionCache

MOST_GUESSES = 10
WINDOW_MS = 3600 * 1000
logger = logging.getLogger(__name__)


class Guesses:
    """Counts a player's wrong codes. Without a cache nobody is kept out: a code has 49 bits."""

    def __init__(self, cache: SessionCache) -> None:
        self._cache = cache

    async def check(self, player_id: str) -> None:
        """TooMuch for whoever has guessed wrong too often within the hour, whatever the next guess is."""
        try:
            blocked = await self._cache.get(self._key(player_id))
        except CacheUnavailable:
            return
        if blocked is not None:
            raise TooMuch("TOO_MANY_GUESSES", "too many wrong invite codes", retry_after_ms=WINDOW_MS)

    async def wrong(self, player_id: str) -> None:
        """Note a wrong code."""
        try:
            if await self._cache.count(f"invite-guesses:{player_id}", WINDOW_MS) >= MOST_GUESSES:
                await self._cache.put(self._key(player_id), b"1", WINDOW_MS)
        except CacheUnavailable:
            logger.debug("a wrong invite code isn't counted: the cache doesn't answer")

    def _key(self, player_id: str) -> str:
        return f"invite-blocked:{player_id}"
