"""How many are watching: members of a group in the cache, whom the gateways put there. A figure to show, no more."""

from __future__ import annotations

from collections.abc import Sequence

from ludolog.sessions.hints import watchers_group
from ludolog.sessions.port import CacheUnavailable, SessionCache


async def watchers(cache: SessionCache, match_ids: Sequence[str]) -> list[int]:
    """How many watch each of the matches; 0 where the cache doesn't answer."""
    try:
        return [len(await cache.members(watchers_group(match_id))) for match_id in match_ids]
    except CacheUnavailable:
        return [0] * len(match_ids)
