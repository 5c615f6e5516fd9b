"""What the fuzzer shoots at: the whole platform in this process, with players, tables, tickets and matches on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.client import Client
from ludolog.hosting import Platform, Settings
from ludolog.rulebooks import catalogue
from services.local.service import services
from tests.infra.playing import match_of, play

RULEBOOK = "tempel_des_schreckens"
PEOPLE = 6
SEATS = 3
TOKEN_S = 36_000


@dataclass
class Target:
    """A running platform and the names of what is on it."""

    platform: Platform
    tokens: dict[str, str] = field(default_factory=dict)
    """Player name → token, of players whom the fuzzer speaks for."""
    live: str = ""
    finished: str = ""
    private: str = ""
    """A match that only its seats may see."""
    table: str = ""
    closed_table: str = ""
    invited_table: str = ""
    invite_code: str = ""
    ticket: str = ""

    @property
    def address(self) -> str:
        """The gateway's port."""
        return f"127.0.0.1:{self.platform.ports['gateway_port']}"

    @property
    def page(self) -> str:
        """The page's address."""
        return f"http://127.0.0.1:{self.platform.ports['web_port']}"

    def client(self) -> Client:
        """Somebody new, without a socket."""
        return Client(self.platform.channel("gateway"), timeout_s=60)

    def names(self) -> list[str]:
        """Every resource name there is, and some that there aren't."""
        matches = [self.live, self.finished, self.private]
        tables = [self.table, self.closed_table, self.invited_table]
        names = [f"{match}/seats/{seat}" for match in matches for seat in (0, 1, 2, 3, 4, 999)]
        names += matches + tables + [self.ticket, *self.tokens]
        names += [name.replace("matches/", "replays/") for name in matches]
        names += [name.replace("tables/", "matches/") for name in tables]
        names += [f"rulebooks/{name}" for name in (*catalogue.names(), "none_such")]
        return [
            *names,
            "players/me",
            "players/p-" + "a" * 26,
            "matches/tempel-" + "a" * 26,
            "tables/nothing-" + "a" * 26,
        ]

    async def end_offsets(self) -> dict[tuple[str, int], int]:
        """Where every partition of every topic ends."""
        log = self.platform.log
        assert log is not None
        topics = ["ludolog.matchmaking.log", "ludolog.rng.log", *(f"ludolog.{name}.log" for name in catalogue.names())]
        return {
            (topic, partition): await log.end_offset(topic, partition)
            for topic in topics
            for partition in range(await log.partitions(topic))
        }


@asynccontextmanager
async def running(folder: Path, **settings: Any) -> AsyncIterator[Target]:
    """Every service but the bots, and something of everything on it."""
    unlimited = Settings(
        data=folder,
        partitions=4,
        gateway_port=0,
        web_port=0,
        bots=0,
        sign_ins_per_minute=0,
        tables_per_minute=0,
        player_calls_per_second=0,
        address_calls_per_second=0,
        player_streams=0,
        address_streams=0,
        busy_wait_ms=600_000,
    )
    async with await Platform.create(replace(unlimited, **settings)) as platform:
        for service in services():
            if service.name != "bots":
                await platform.add(service)
        await platform.health.wait_serving()
        target = Target(platform)
        await _furnish(target)
        yield target


async def _furnish(target: Target) -> None:
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(target.client()) for _ in range(PEOPLE)]
        for number, person in enumerate(people):
            player = await person.sign_in_guest(f"Fuzz {number}")
            target.tokens[player.name] = person.token
        host = people[0]
        target.live = await seated_match(people[:SEATS])
        target.private = await seated_match(people[:SEATS], spectators=False)
        target.finished = await seated_match(people[:SEATS])
        await play_out(people[:SEATS], target.finished)
        target.table = (await host.tables.join(await host.tables.create(RULEBOOK, SEATS))).name
        invited = await host.tables.create(RULEBOOK, SEATS, private=True)
        target.invited_table, target.invite_code = invited.name, invited.invite_code
        closed = await host.tables.create(RULEBOOK, SEATS)
        target.closed_table = (await host.tables.leave(closed)).name
        target.ticket = (await people[-1].tables.queue(RULEBOOK, 9)).name


async def seated_match(people: list[Client], *, spectators: bool = True) -> str:
    """A match of these people, without a clock; its name."""
    table = await people[0].tables.create(RULEBOOK, len(people), decision_time_s=0, spectators=spectators)
    for person in people:
        table = await person.tables.join(table)
    return await match_of(people[0], table)


async def renewed(target: Target) -> None:
    """What the fuzzer has used up comes anew: a match that is on, a table that is open."""
    people = [Client(target.platform.channel("gateway"), token=token, timeout_s=60) for token in target.tokens.values()]
    if (await people[0].get_match(target.live)).HasField("outcome"):
        target.live = await seated_match(people[:SEATS])
    if (await people[0].tables.get(target.table)).state != tables_pb2.TABLE_STATE_OPEN:
        # Of somebody new: the others host as many as they may.
        host = target.client()
        player = await host.sign_in_guest("Host")
        target.tokens[player.name] = host.token
        target.table = (await host.tables.join(await host.tables.create(RULEBOOK, SEATS))).name


async def play_out(people: list[Client], match: str) -> None:
    """Everybody plays to the end."""
    seats = {}
    for seat in (await people[0].get_match(match)).seats:
        seats[seat.seat] = next(one for one in people if one.player and one.player.name == seat.player)
    await asyncio.gather(*(play(person, match, seat) for seat, person in seats.items()))
