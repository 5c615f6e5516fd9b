"""The services from gateway to engine in one process on a real log in a folder, and players who meet at tables."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2_grpc
from ludolog.client import Client
from ludolog.hosting import Clock, Platform, Service, Settings
from services.bots import service as bots
from services.engine import service as engine
from services.gateway import service as gateway
from services.matchmaking import service as matchmaking
from services.replay import service as replay
from services.rng import service as rng
from services.spectator import service as spectator

RULEBOOK = "tempel_des_schreckens"
GAME = f"rulebooks/{RULEBOOK}"
ENTROPY = b"e" * 32
REQUESTS = itertools.count(1)
PATIENCE_S = 20
T = TypeVar("T")
EVERYTHING = ("rng", "replay", "spectator", "engine", "matchmaking", "gateway", "bots")
TABLES_ONLY = ("rng", "engine", "matchmaking")
BINDS = {
    "rng": rng.bind,
    "replay": replay.bind,
    "spectator": spectator.bind,
    "engine": engine.bind,
    "matchmaking": matchmaking.bind,
    "gateway": gateway.bind,
    "bots": bots.bind,
}


def settings(folder: Path, **changes: Any) -> Settings:
    """Ports of nobody, bots that don't dawdle."""
    given = {"bot_delay_ms": 0, "gateway_port": 0, "tables_per_minute": 0, "partitions": 4, "bots": 3} | changes
    return Settings(data=folder, **given)


@asynccontextmanager
async def running(
    folder: Path, services: tuple[str, ...] = TABLES_ONLY, clock: Clock | None = None, **changes: Any
) -> AsyncIterator[Platform]:
    """Services on the folder's log, serving."""
    async with await Platform.create(settings(folder, **changes), clock=clock) as platform:
        for name in services:
            await platform.add(Service(name, BINDS[name], rulebook=RULEBOOK if name == "engine" else ""))
        async with asyncio.timeout(PATIENCE_S):
            await platform.health.wait_serving()
        yield platform


async def until(look: Callable[[], Awaitable[T | None]]) -> T:
    """What `look` finds, asked again and again."""
    async with asyncio.timeout(PATIENCE_S):
        while not (found := await look()):  # noqa: ASYNC110 - nobody says when the answer changes
            await asyncio.sleep(0.005)
    return found


def parts_of(platform: Platform) -> Any:
    """What the running matchmaking has put together: found by its drain callback."""
    [drain] = platform.hosts["matchmaking"]._drains  # noqa: SLF001 - a test looks inside
    return drain.__self__  # type: ignore[attr-defined]


class Person:
    """A player who calls matchmaking."""

    def __init__(self, platform: Platform, letter: str, *roles: str) -> None:
        self.player_id = "p-" + letter * 26
        token = platform.keys.sign(self.player_id, name=letter, roles=("player", *roles), ttl_s=3600)
        self.metadata = (("authorization", f"Bearer {token}"),)
        self._stub: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(
            platform.channel("matchmaking", "gateway", on_behalf=True)
        )

    def ask(self, method: str, request: Any) -> Any:
        """Call a method."""
        return getattr(self._stub, method)(request, metadata=self.metadata)

    def _id(self) -> str:
        return f"r{next(REQUESTS)}"

    def create(self, seats: int = 3, request_id: str = "", **more: Any) -> Any:
        request_id = request_id or self._id()
        return self.ask(
            "CreateTable",
            tables_pb2.CreateTableRequest(rulebook=GAME, seat_count=seats, request_id=request_id, **more),
        )

    def get(self, name: str, invite_code: str = "") -> Any:
        return self.ask("GetTable", tables_pb2.GetTableRequest(name=name, invite_code=invite_code))

    def list(self, **more: Any) -> Any:
        return self.ask("ListTables", tables_pb2.ListTablesRequest(**more))

    def watch(self) -> Any:
        return self.ask("WatchTables", tables_pb2.WatchTablesRequest())

    def join(self, name: str, request_id: str = "", **more: Any) -> Any:
        given = {"entropy": ENTROPY, "request_id": request_id or self._id()} | more
        return self.ask("JoinTable", tables_pb2.JoinTableRequest(name=name, **given))

    def leave(self, name: str) -> Any:
        return self.ask("LeaveTable", tables_pb2.LeaveTableRequest(name=name, request_id=self._id()))

    def add_bots(self, name: str, count: int, kind: str = "") -> Any:
        request = tables_pb2.AddBotsRequest(name=name, count=count, bot_kind=kind, request_id=self._id())
        return self.ask("AddBots", request)

    def start(self, name: str, request_id: str = "") -> Any:
        request = tables_pb2.StartTableRequest(name=name, request_id=request_id or self._id())
        return self.ask("StartTable", request)

    def queue(self, seats: int = 3, request_id: str = "") -> Any:
        request_id = request_id or self._id()
        return self.ask(
            "CreateTicket",
            tables_pb2.CreateTicketRequest(rulebook=GAME, seat_count=seats, entropy=ENTROPY, request_id=request_id),
        )

    def ticket(self, name: str) -> Any:
        return self.ask("GetTicket", tables_pb2.GetTicketRequest(name=name))

    def cancel(self, name: str) -> Any:
        return self.ask("CancelTicket", tables_pb2.CancelTicketRequest(name=name, request_id=self._id()))

    async def playing(self, name: str) -> tables_pb2.Table:
        """Wait until the match is on."""

        async def look() -> tables_pb2.Table | None:
            table: tables_pb2.Table = await self.get(name)
            return table if table.match else None

        return await until(look)


async def full_table(people: list[Person]) -> tables_pb2.Table:
    """The first one hosts, everybody sits."""
    table: tables_pb2.Table = await people[0].create(len(people))
    for person in people:
        table = await person.join(table.name)
    return table


@asynccontextmanager
async def guests(platform: Platform, *names: str) -> AsyncIterator[list[Client]]:
    """Signed-in guests at the gateway."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(platform.channel("gateway"))) for _ in names]
        for client, name in zip(clients, names, strict=True):
            await client.sign_in_guest(name)
        yield clients
