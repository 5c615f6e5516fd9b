"""Blocks from the rng: fetched when a commit draws, and the next one ahead of time, so that a draw costs no hop."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import grpc

from ludolog.api.rng.v1 import rng_pb2, rng_pb2_grpc
from ludolog.eventlog.answers import Unavailable
from ludolog.record.match import BlockRequest

Fetch: TypeAlias = Callable[[str, BlockRequest], Awaitable[bytes]]
BLOCK_BYTES = 32
FETCH_TIMEOUT_S = 2.0
RETRY_MS = 250
HELD = 20_000
"""Matches whose next block is held; the least recently used one goes first."""
AHEAD = 64
"""Fetches ahead of time that may be under way; more are left for when they are needed."""

logger = logging.getLogger(__name__)


def from_rng(channel: grpc.aio.Channel) -> Fetch:
    """Fetch blocks over a channel. Unavailable while the rng is away or lacks the key: both may be mended."""
    stub = rng_pb2_grpc.RngServiceStub(channel)

    async def fetch(match_id: str, wanted: BlockRequest) -> bytes:
        request = rng_pb2.GetBlockRequest(
            name=f"matches/{match_id}",
            key_id=wanted.key_id,
            index=wanted.index,
            entropy_digest=wanted.entropy_digest,
        )
        try:
            answer = await stub.GetBlock(request, timeout=FETCH_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            logger.warning("no block %d: %s", wanted.index, error.code().name, extra={"match": match_id})
            raise Unavailable("the rng doesn't give a block", RETRY_MS) from error
        if len(answer.block) != BLOCK_BYTES:
            raise Unavailable("the rng gave something else than a block", RETRY_MS)
        return answer.block

    return fetch


class Blocks:
    """The next block of each match that draws. `hits` and `misses` count draws with the block here, or not yet."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._held: OrderedDict[str, tuple[BlockRequest, bytes]] = OrderedDict()
        self._ahead: dict[str, asyncio.Task[None]] = {}
        self.hits = 0
        self.misses = 0

    def held(self, match_id: str, wanted: BlockRequest) -> bytes | None:
        """The block, if it is here."""
        found = self._held.get(match_id)
        if found is None or found[0] != wanted:
            return None
        self._held.move_to_end(match_id)
        return found[1]

    async def fetch(self, match_id: str, wanted: BlockRequest) -> bytes:
        """Fetch a block and hold it until it is used up. Unavailable."""
        under_way = self._ahead.get(match_id)
        if under_way is not None:
            await asyncio.wait([under_way])
        block = self.held(match_id, wanted)
        if block is None:
            block = await self._fetch(match_id, wanted)
            self._hold(match_id, wanted, block)
        return block

    def fetch_ahead(self, match_id: str, wanted: BlockRequest) -> None:
        """Begin to fetch a block that will be wanted, unless too many are under way."""
        if match_id not in self._ahead and len(self._ahead) < AHEAD and self.held(match_id, wanted) is None:
            self._ahead[match_id] = asyncio.create_task(self._get_ahead(match_id, wanted))

    def forget(self, match_id: str) -> None:
        """The match draws no more."""
        self._held.pop(match_id, None)

    async def close(self) -> None:
        """Give up what is under way."""
        tasks = list(self._ahead.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._held.clear()

    async def _get_ahead(self, match_id: str, wanted: BlockRequest) -> None:
        try:
            self._hold(match_id, wanted, await self._fetch(match_id, wanted))
        except Unavailable:
            # It will be asked for again when it is needed, and that caller is told.
            logger.debug("block %d isn't here ahead of time", wanted.index, extra={"match": match_id})
        finally:
            del self._ahead[match_id]

    def _hold(self, match_id: str, wanted: BlockRequest, block: bytes) -> None:
        self._held[match_id] = wanted, block
        self._held.move_to_end(match_id)
        if len(self._held) > HELD:
            self._held.popitem(last=False)
