"""The names of players, asked of the gateway and remembered for a while.

They are personal data: they stand in no log.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Iterable

import grpc

from ludolog.api.gateway.v1 import directory_pb2, directory_pb2_grpc
from ludolog.hosting.clock import Clock
from ludolog.sessions.hints import ERASED
from ludolog.sessions.port import CacheUnavailable, SessionCache

logger = logging.getLogger("ludolog.directory")
BELIEVED_S = 300.0
REMEMBERED = 20_000
TIMEOUT_S = 2.0
AT_ONCE = 1000
LISTEN_AGAIN_S = 1.0


class Directory:
    """Asks for what isn't known yet. Answers without names where nobody answers: a match is shown all the same."""

    def __init__(self, channel: grpc.aio.Channel, clock: Clock) -> None:
        self._stub = directory_pb2_grpc.PlayerDirectoryServiceStub(channel)
        self._clock = clock
        self._known: OrderedDict[str, tuple[str, float]] = OrderedDict()

    async def names(self, player_ids: Iterable[str]) -> dict[str, str]:
        """Display names, id → name."""
        now = self._clock.monotonic()
        wanted = list(dict.fromkeys(player_ids))
        missing = [one for one in wanted if one not in self._known or self._known[one][1] < now]
        for start in range(0, len(missing), AT_ONCE):
            await self._ask(missing[start : start + AT_ONCE], now)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return {one: self._known[one][0] for one in wanted if one in self._known and self._known[one][0]}

    async def listen(self, cache: SessionCache) -> None:
        """Forget whoever is erased, for ever. Without the cache, names are forgotten in `BELIEVED_S` seconds."""
        while True:
            with contextlib.suppress(CacheUnavailable):
                async for _, hint in cache.wakes(ERASED):
                    if hint:
                        self._known.pop(hint.decode("utf-8", "replace"), None)
                    else:
                        self._known.clear()
            await asyncio.sleep(LISTEN_AGAIN_S)

    async def _ask(self, player_ids: list[str], now: float) -> None:
        request = directory_pb2.BatchGetPlayersRequest(names=[f"players/{one}" for one in player_ids])
        try:
            response = await self._stub.BatchGetPlayers(request, timeout=TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            logger.info("no names of players: %s", error.code().name)
            return
        found = {player.name.removeprefix("players/"): player.display_name for player in response.players}
        for one in player_ids:
            self._known[one] = found.get(one, ""), now + BELIEVED_S
