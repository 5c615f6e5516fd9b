"""Erasing a person: the profile is deleted, its tokens end, and whoever remembers its name forgets it.

The log names players by opaque ids only, so nothing there changes: records of matches stay valid.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from ludolog.hosting import Host, Unavailable
from ludolog.sessions.hints import ERASED
from ludolog.sessions.port import CacheUnavailable
from services.gateway.accounts import Accounts

LOOK_S = 2.0
"""How soon a gateway hears of what others have erased."""

logger = logging.getLogger(__name__)


class Erasing:
    """What this gateway does for the erased."""

    def __init__(self, host: Host, accounts: Accounts) -> None:
        self._host, self._accounts = host, accounts

    async def erase(self, player_id: str) -> bool:
        """Erase a player now. False where there is none."""
        done = await self._accounts.erase(player_id, self._host.clock.now_ms())
        await self.look()
        return done

    async def run(self) -> None:
        """Look for what was erased elsewhere, for ever."""
        while True:
            try:
                await self.look()
            except Unavailable as error:
                logger.warning("it isn't known who was erased: %s", error)
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Take no token of the erased, end their streams, and have their names forgotten. Unavailable."""
        longest_ms = int(self._host.settings.token_ttl_s * 1000)
        before = self._host.keys.revoked
        after = await self._accounts.erased_since(self._host.clock.now_ms() - longest_ms)
        self._host.keys.revoked = after
        self._host.end_streams(after - before)
        with contextlib.suppress(CacheUnavailable):
            for player_id in after - before:
                await self._host.cache.wake(ERASED, player_id.encode())
