"""Matches without end: crews that make a table, play its match, and begin again, until they are told to stop."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from ludolog.client import ApiError, Client
from tests.chaos.clients import PATIENCE_S, Player, Spectator
from tests.chaos.history import SPECTATOR, History
from tests.infra.playing import new_table

PEOPLE = 3
CLOCK_S = 8.0
"""Time for a decision at every second crew's tables: long outages run into it."""
LEAVE_S = 120.0


@dataclass(slots=True)
class Load:
    """All crews."""

    targets: Sequence[str]
    """Addresses of the gateways; each client knows both, and asks one of them first."""
    crews: int
    seed: int
    history: History = field(default_factory=History)
    finished: list[str] = field(default_factory=list)
    playing: set[str] = field(default_factory=set)
    _begun: list[asyncio.Event] = field(init=False)
    _stopping: bool = False
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._begun = [asyncio.Event() for _ in range(self.crews)]

    def target(self, number: int) -> str:
        """Both gateways, one of them first."""
        first = number % len(self.targets)
        return "ipv4:///" + ",".join([*self.targets[first:], *self.targets[:first]])

    async def start(self) -> None:
        """Begin, and return when every crew plays its first match."""
        self._tasks = [asyncio.create_task(self._crew(number), name=f"crew {number}") for number in range(self.crews)]
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(event.wait() for event in self._begun))

    async def stop(self) -> None:
        """Let every match that is on come to its end; begin no other."""
        self._stopping = True
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=LEAVE_S)
        for task in late:
            task.cancel()
            self.history.troubles.append(f"{task.get_name()} doesn't come to an end")
        for task in self._tasks:
            if task not in late and (error := task.exception()) is not None:
                raise error

    async def _crew(self, number: int) -> None:
        chance = random.Random(f"{self.seed} {number}")
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(Client(self.target(number + seat), timeout_s=PATIENCE_S))
                for seat in range(PEOPLE)
            ]
            for seat, client in enumerate(clients):
                await client.sign_in_guest(f"Crew {number} {seat}")
            for turn in itertools.count():
                if self._stopping:
                    return
                try:
                    await self._match(clients, int((number + turn) % 4 == 0), chance, self._begun[number])
                except ApiError as error:
                    self.history.troubles.append(f"crew {number}: {type(error).__name__}: {error}")
                    await asyncio.sleep(1)

    async def _match(self, clients: Sequence[Client], bots: int, chance: random.Random, begun: asyncio.Event) -> None:
        host = clients[0]
        table = await new_table(host, len(clients) + bots, bots, decision_time_s=chance.choice((0.0, CLOCK_S)))
        for client in clients[1:]:
            await client.tables.join(table)
        await host.tables.until_full(table)
        await host.tables.start(table)
        table = await host.tables.until_playing(table)
        self.history.promised.append(table.match)
        self.history.commitments[table.match] = table.commitment.commitment
        self.playing.add(table.match)
        begun.set()
        by_player = {client.player.name: client for client in clients if client.player}
        runs = [
            Player(
                by_player[one.player], self.history.journal(table.match, f"seats/{one.seat}"), one.seat, chance
            ).run()
            for one in table.seats
            if one.player in by_player
        ]
        watching = self.history.journal(table.match, SPECTATOR)
        runs.append(Spectator(self.target(chance.randrange(len(self.targets))), host.token, watching).run())
        await asyncio.gather(*runs)
        self.playing.discard(table.match)
        self.finished.append(table.match)


@dataclass(slots=True)
class Probe:
    """A call that is made again and again: when the ones that went well began and ended."""

    name: str
    done: list[tuple[float, float]] = field(default_factory=list)

    def first_s(self, after_s: float) -> float:
        """When the first good answer came to a call made after a moment; infinite where none did."""
        return min((end for begin, end in self.done if begin >= after_s), default=float("inf"))

    def note(self, began_s: float) -> None:
        """A call went well."""
        self.done.append((began_s, time.time()))
