"""The consumer group: says who should own what, in any order, late, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from ludolog.eventlog.port import Listener
from tests.simulation.loop import SimLoop


@dataclass(frozen=True, slots=True)
class _Notice:
    kind: str
    partition: int
    done: asyncio.Future[None]


class SimMembership:
    """What one process believes; it learns of changes when it gets to run."""

    def __init__(self, group: Group, process: int, listener: Listener) -> None:
        self._group = group
        self._process = process
        self._listener = listener
        self._mine: set[int] = set()
        self._notices: asyncio.Queue[_Notice] = asyncio.Queue()
        self._task = group.loop.start(self._hear(), process)

    def assigned(self) -> frozenset[int]:
        return frozenset(self._mine)

    def share(self) -> frozenset[int]:
        return frozenset(self._mine)

    def tell(self, kind: str, partition: int) -> asyncio.Future[None]:
        done: asyncio.Future[None] = self._group.loop.create_future()
        self._notices.put_nowait(_Notice(kind, partition, done))
        return done

    async def _hear(self) -> None:
        while True:
            notice = await self._notices.get()
            one = frozenset({notice.partition})
            if notice.kind == "assigned" and notice.partition not in self._mine:
                self._mine |= one
                await self._listener.assigned(one)
            elif notice.kind == "revoked" and notice.partition in self._mine:
                await self._listener.revoked(one)
                self._mine -= one
            elif notice.kind == "lost" and notice.partition in self._mine:
                self._mine -= one
                await self._listener.lost(one)
            if not notice.done.done():
                notice.done.set_result(None)

    async def leave(self) -> None:
        for partition in sorted(self._mine):
            await self.tell("revoked", partition)
        self._group.left(self._process)
        self._task.cancel()


class Group:
    """The coordinator. `owner`: which process each partition is given to, as the coordinator sees it."""

    def __init__(self, loop: SimLoop, partitions: int, lag_s: Callable[[], float]) -> None:
        self.loop = loop
        self.owner: list[int | None] = [None] * partitions
        self._lag_s = lag_s
        self._members: dict[int, SimMembership] = {}

    def join(self, process: int, listener: Listener) -> SimMembership:
        member = self._members[process] = SimMembership(self, process, listener)
        for partition, owner in enumerate(self.owner):
            if owner is None:
                self.give(partition, process)
        return member

    def left(self, process: int) -> None:
        self._members.pop(process, None)
        for partition, owner in enumerate(self.owner):
            if owner == process:
                self.owner[partition] = None

    def processes(self) -> list[int]:
        """Those that are members."""
        return sorted(self._members)

    def give(self, partition: int, process: int) -> None:
        """Assign at once, whoever has it."""
        self.owner[partition] = process
        self.loop.outside(self._lag_s(), self._tell, process, "assigned", partition)

    def _tell(self, process: int, kind: str, partition: int) -> None:
        member = self._members.get(process)
        if member is not None:
            _ = member.tell(kind, partition)

    def take(self, partition: int, process: int, delay_s: float = 0.0) -> None:
        """Say "lost", some time, even if it is given to the same process again meanwhile."""
        self.loop.outside(delay_s + self._lag_s(), self._take, partition, process)

    def _take(self, partition: int, process: int) -> None:
        self._tell(process, "lost", partition)
        if self.owner[partition] == process:
            self.loop.outside(self._lag_s(), self._tell, process, "assigned", partition)

    async def hand_over(self, partition: int, process: int, patience_s: float) -> None:
        """In order: revoke, wait (but not for ever), assign."""
        former = self._members.get(self.owner[partition] if self.owner[partition] is not None else -1)  # type: ignore[arg-type]
        self.owner[partition] = process
        if former is not None:
            await asyncio.wait((former.tell("revoked", partition),), timeout=patience_s)
        if self.owner[partition] == process:
            self.give(partition, process)
