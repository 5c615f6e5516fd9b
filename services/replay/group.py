"""A member of the consumer group on one topic: starts and stops following partitions as the group says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from ludolog.eventlog.port import EventLog, Listener, Membership
from services.replay.projection import Place

GROUP = "replay"


class Follower(Protocol):
    """Follows one partition."""

    async def run(self) -> None:
        """Follow until cancelled."""


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
        self._tasks: dict[int, asyncio.Task[None]] = {}
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
        await self._revoked(frozenset(self._tasks))

    async def _assigned(self, partitions: frozenset[int]) -> None:
        for partition in sorted(partitions - set(self._tasks)):
            place = Place(self._topic, partition)
            self._tasks[partition] = self._spawn(f"{self._topic}/{partition}", self._follow(place).run())

    async def _revoked(self, partitions: frozenset[int]) -> None:
        # What is under way is fenced by compare-and-set: a late one does no harm, ending it in order only saves work.
        tasks = [self._tasks.pop(partition) for partition in sorted(partitions) if partition in self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for partition in partitions:
            self._gave_up(Place(self._topic, partition))
