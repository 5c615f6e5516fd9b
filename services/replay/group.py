"""A member of the consumer group on one topic: starts and stops following partitions as the group says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from ludolog.eventlog.port import EventLog, Listener, Membership
from services.replay.projection import Place

GROUP = "replay"
STOP_S = 5.0
"""Longest wait for the transactions that are under way."""


class Follower(Protocol):
    """Follows one partition."""

    async def run(self) -> None:
        """Follow until stopped."""

    def stop(self) -> None:
        """Let `run` return soon."""


class Group:
    """What one instance has of one topic."""

    def __init__(
        self,
        *,
        events: EventLog,
        topic: str,
        instance: str,
        follow: Callable[[Place], Follower],
        spawn: Callable[[str, Coroutine[Any, Any, None]], asyncio.Task[None]],
        gave_up: Callable[[Place], None],
    ) -> None:
        """`spawn` starts a supervised task; `gave_up` hears of partitions that are no longer followed here."""
        self._events = events
        self._topic = topic
        self._instance = instance
        self._follow = follow
        self._spawn = spawn
        self._gave_up = gave_up
        self._followed: dict[int, tuple[Follower, asyncio.Task[None]]] = {}
        self._membership: Membership | None = None

    async def start(self) -> None:
        """Join the group."""
        listener = Listener(assigned=self._assigned, revoked=self._revoked, lost=self._revoked)
        self._membership = await self._events.join(self._topic, GROUP, self._instance, listener)

    async def stop(self) -> None:
        """Leave the group; nothing is followed afterwards."""
        if self._membership is not None:
            await self._membership.leave()
            self._membership = None
        await self._revoked(frozenset(self._followed))

    def share(self) -> frozenset[int] | None:
        """What the group gives to this instance; None while it doesn't say."""
        return None if self._membership is None else self._membership.share()

    async def _assigned(self, partitions: frozenset[int]) -> None:
        for partition in sorted(partitions - set(self._followed)):
            follower = self._follow(Place(self._topic, partition))
            self._followed[partition] = follower, self._spawn(f"{self._topic}/{partition}", follower.run())

    async def _revoked(self, partitions: frozenset[int]) -> None:
        # What is under way is fenced by compare-and-set: a late one does no harm, ending it in order only saves work.
        followed = [self._followed.pop(partition) for partition in partitions if partition in self._followed]
        for follower, _ in followed:
            follower.stop()
        if followed:
            _, late = await asyncio.wait([task for _, task in followed], timeout=STOP_S)
            for task in late:
                task.cancel()
        for partition in partitions:
            self._gave_up(Place(self._topic, partition))
