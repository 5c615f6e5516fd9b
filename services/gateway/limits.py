"""How often somebody may do something, counted in the cache.

Fails open: without a cache nobody is kept from playing.
"""

from __future__ import annotations

import logging

from ludolog.hosting import TooMuch
from ludolog.sessions.port import CacheUnavailable, SessionCache

logger = logging.getLogger("ludolog.gateway")
WINDOW_MS = 60_000


class Limits:
    """Counts by the minute."""

    def __init__(self, cache: SessionCache) -> None:
        self._cache = cache

    async def check(self, what: str, who: str, most: int) -> None:
        """Count one more. TooMuch beyond `most` a minute; 0: no limit."""
        if most == 0 or not who:
            return
        try:
            count = await self._cache.count(f"limit:{what}:{who}", WINDOW_MS)
        except CacheUnavailable:
            logger.debug("no limit on %s: the cache doesn't answer", what)
            return
        if count > most:
            raise TooMuch("RATE_LIMITED", f"at most {most} a minute", retry_after_ms=WINDOW_MS, limit=most)
