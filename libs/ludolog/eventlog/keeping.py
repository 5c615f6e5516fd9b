"""What a reader of a partition leaves in the cache for its next start: where it stands, and what it made of the log.

Position and fold are one value, so that neither is ever there without the other. All of it may be missing, old, or
another reader's: whoever goes on from it reads the record at its bookmark first (`takeovers.resume`), and begins at 0
without it. Readers of one partition share a place, as each one's value is as true as the others'. A format has a place
of its own, so that versions that run side by side don't take each other's away.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

from ludolog.eventlog.sealing import seal, unseal
from ludolog.eventlog.takeovers import Checkpoint
from ludolog.sessions.port import CacheUnavailable, SessionCache

F = TypeVar("F")

KEPT_MS = 30 * 24 * 3600 * 1000
LOOK_S = 5.0
EVERY_S = 60.0
"""A fold that has moved is kept again after so long,"""
EVERY_RECORDS = 1000
"""or after so many records: a start reads little more than that."""
RENEW_S = 600.0
"""One that hasn't moved, too: the cache may have been flushed."""


class Kept(msgspec.Struct, Generic[F], frozen=True):
    """What was made of a partition before a position."""

    checkpoint: Checkpoint
    fold: F


@dataclass(slots=True)
class Keeper(Generic[F]):
    """Keeps what one reader makes of one partition, under a key of `kept_key`.

    `stand` gives what is to be kept now, position and fold in step; None where the reader has stopped and nothing is.
    `monotonic` gives seconds.
    """

    cache: SessionCache
    key: str
    kind: type[Kept[F]]
    stand: Callable[[], Kept[F] | None]
    monotonic: Callable[[], float]
    _position: int = -1
    _kept_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._kept_s = self.monotonic()

    async def load(self) -> Kept[F] | None:
        """What was kept last; None where there is nothing that can be read, or no cache."""
        try:
            data = await self.cache.get(self.key)
        except CacheUnavailable:
            return None
        body = unseal(self.key, data) if data is not None else None
        if body is None:
            return None
        try:
            found = msgspec.msgpack.decode(body, type=self.kind)
        except msgspec.DecodeError:
            return None
        self._position = found.checkpoint.position
        return found

    async def save(self, *, due: bool = False) -> None:
        """Keep what there is, unless it is what was kept last; `due`: only if it is time to. CacheUnavailable."""
        stand = self.stand()
        if stand is None or not (self._is_due(stand) if due else stand.checkpoint.position != self._position):
            return
        await self.cache.put(self.key, seal(self.key, msgspec.msgpack.encode(stand)), KEPT_MS)
        self._position, self._kept_s = stand.checkpoint.position, self.monotonic()

    def _is_due(self, stand: Kept[F]) -> bool:
        moved, age_s = abs(stand.checkpoint.position - self._position), self.monotonic() - self._kept_s
        return moved >= EVERY_RECORDS or (moved > 0 and age_s >= EVERY_S) or age_s >= RENEW_S


def kept_key(reader: str, fold_format: int, topic: str, partition: int) -> str:
    """Where readers of a kind keep theirs. The format counts up whenever the fold comes out otherwise, or looks so."""
    return f"{reader}:{fold_format}:{topic}:{partition}"


async def save_all(keepers: Collection[Keeper[Any]], *, due: bool = False) -> None:
    """Save each; what doesn't get into the cache is read again from the log."""
    with contextlib.suppress(CacheUnavailable):
        for keeper in keepers:
            await keeper.save(due=due)


async def save_for_ever(keepers: Collection[Keeper[Any]]) -> None:
    """Save each whenever it is due."""
    while True:
        await asyncio.sleep(LOOK_S)
        await save_all(keepers, due=True)
