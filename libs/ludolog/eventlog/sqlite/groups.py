"""Consumer groups inside one process: every partition has one member, changes go one after the other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence

from ludolog.eventlog.port import Listener

_LOG = logging.getLogger(__name__)
Callback = Callable[[frozenset[int]], Awaitable[None]]


def shares(owned: Sequence[frozenset[int]], partitions: int) -> list[frozenset[int]]:
    """Shares of 0 … partitions - 1 for members that own these now.

    Even (sizes differ by one at most), and moving as little as possible.
    """
    if not owned:
        return []
    least, larger = divmod(partitions, len(owned))
    kept: list[list[int]] = []
    for have in owned:
        quota = least + (larger > 0 and len(have) > least)
        larger -= quota > least
        kept.append(sorted(have)[:quota])
    free = sorted(set(range(partitions)).difference(*kept), reverse=True)
    for mine in kept:
        while free and len(mine) < least:
            mine.append(free.pop())
    for mine in kept:
        if free and len(mine) == least:
            mine.append(free.pop())
    return [frozenset(mine) for mine in kept]


class Member:
    """A membership. Its callbacks are called by the group's one task, so they never overlap."""

    def __init__(self, group: Group, instance: str, listener: Listener) -> None:
        """Made by the group."""
        self._group = group
        self.instance = instance
        self.listener = listener
        self.owned: frozenset[int] = frozenset()
        self.target: frozenset[int] | None = None

    def assigned(self) -> frozenset[int]:
        """The partitions that are mine, now."""
        return self.owned

    def share(self) -> frozenset[int] | None:
        """All that will be mine; None while the group hasn't given out its partitions with me among its members."""
        return self.target

    async def leave(self) -> None:
        """Give everything up in order (revoked is called) and leave."""
        await self._group.leave(self)


class Group:
    """The members of a group on a topic, and the task that gives out its partitions."""

    def __init__(self, partitions: int) -> None:
        """Begin without members."""
        self._partitions = partitions
        self._members: list[Member] = []
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, instance: str, listener: Listener) -> Member:
        """Take a member in; its partitions come by `assigned`."""
        member = Member(self, instance, listener)
        self._members.append(member)
        _ = self._start(self._share())
        return member

    async def leave(self, member: Member) -> None:
        """Let a member go. Nothing happens if it has gone."""
        if member in self._members:
            self._members.remove(member)
            member.target = None
            await asyncio.shield(self._start(self._let_go(member)))

    async def reassign(self, partitions: frozenset[int], *, lost: bool) -> None:
        """Take partitions from their members and give them out again."""
        await asyncio.shield(self._start(self._shuffle(partitions, lost=lost)))

    async def close(self) -> None:
        """Stop giving out; no member hears of it."""
        self._members.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, change: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Make a change when those before it are through; it belongs to the group, not to whoever asked for it."""

        async def in_turn() -> None:
            async with self._lock:
                await change

        task = asyncio.get_running_loop().create_task(in_turn())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _let_go(self, member: Member) -> None:
        await self._take(member, member.owned)
        await self._share()

    async def _shuffle(self, partitions: frozenset[int], *, lost: bool) -> None:
        await _all(self._take(member, member.owned & partitions, lost=lost) for member in self._members)
        await self._share()

    async def _share(self) -> None:
        """Take what is too much from everyone, then give out what nobody has."""
        members = list(self._members)
        targets = shares([member.owned for member in members], self._partitions)
        for member, target in zip(members, targets, strict=True):
            member.target = target
        await _all(self._take(member, member.owned - target) for member, target in zip(members, targets, strict=True))
        await _all(self._give(member, target - member.owned) for member, target in zip(members, targets, strict=True))

    async def _take(self, member: Member, partitions: frozenset[int], *, lost: bool = False) -> None:
        """As with Kafka, a partition is still assigned while `revoked` runs, and not any more when `lost` is called."""
        if not partitions:
            return
        if lost:
            member.owned -= partitions
        await _tell(member.listener.lost if lost else member.listener.revoked, partitions)
        member.owned -= partitions

    async def _give(self, member: Member, partitions: frozenset[int]) -> None:
        if partitions:
            member.owned |= partitions
            await _tell(member.listener.assigned, partitions)


async def _all(calls: Iterable[Awaitable[None]]) -> None:
    await asyncio.gather(*calls)


async def _tell(callback: Callback, partitions: frozenset[int]) -> None:
    """Call a member back. Its mistakes are its own: the group goes on."""
    try:
        await callback(partitions)
    except Exception:  # noqa: BLE001 - whatever it is, it is logged, and the other members go on
        _LOG.exception("a group member's callback failed", extra={"partitions": sorted(partitions)})
