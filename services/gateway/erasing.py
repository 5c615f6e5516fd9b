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
FORGET_S = 24 * 3600.0
"""How often the erased of long ago are forgotten; never at the start, when clocks are wrong most often."""

logger = logging.getLogger(__name__)


class Erasing:
    """What this gateway does for the erased."""

    def __init__(self, host: Host, accounts: Accounts) -> None:
        self._host, self._accounts = host, accounts
        self._forgot_s = host.clock.monotonic()

    async def erase(self, player_id: str) -> bool:
        """Erase a player now. False where there is none."""
        done = await self._accounts.erase(player_id, self._host.settings.token_ttl_s)
        await self.look()
        return done

    async def run(self) -> None:
        """Look for what was erased elsewhere, for ever."""
        while True:
            try:
                await self.look()
                await self.forget()
            except Unavailable as error:
                logger.warning("it isn't known who was erased: %s", error)
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Take no token of the erased, end their streams, and have their names forgotten. Unavailable."""
        before = self._host.keys.revoked
        after = await self._accounts.erased()
        self._host.keys.revoked = after
        self._host.end_streams(after - before)
        with contextlib.suppress(CacheUnavailable):
            for player_id in after - before:
                await self._host.cache.wake(ERASED, player_id.encode())

    async def forget(self) -> None:
        """Forget the erased of long ago, if that was done so long ago. Unavailable."""
        now = self._host.clock.monotonic()
        if now - self._forgot_s >= FORGET_S:
            await self._accounts.forget_erased()
            self._forgot_s = now
