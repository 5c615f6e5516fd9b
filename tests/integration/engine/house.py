"""Engine and rng in one process on a real log in a folder, and players who sit down at a table."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from ludolog.api.engine.v1 import engine_pb2, engine_pb2_grpc
from ludolog.api.gateway.v1 import play_pb2, tables_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.api.rng.v1 import rng_pb2, rng_pb2_grpc
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.reveals import RNG_TOPIC, revealed
from ludolog.eventlog.takeovers import Checkpoint, Counted, Fence
from ludolog.fairness import BlockChance
from ludolog.hosting import Clock, Platform, Service, Settings, names, topic_of
from ludolog.kernel import Seat, random_command, wire
from ludolog.rulebooks import catalogue
from ludolog.sessions.hints import wake_channel
from services.engine import service as engine
from services.rng import service as rng

RULEBOOK = "tempel_des_schreckens"
TOPIC = topic_of(RULEBOOK)
HOUR_S = 3600
MATCHMAKING = "matchmaking"
T = TypeVar("T")
PLAYER = "player"


@asynccontextmanager
async def running(folder: Path, clock: Clock | None = None, *, with_rng: bool = True) -> AsyncIterator[Platform]:
    """Engine and rng of Tempel on the folder's log, serving."""
    async with await Platform.create(Settings(data=folder), clock=clock) as platform:
        if with_rng:
            await platform.add(Service("rng", rng.bind))
        await platform.add(Service("engine", engine.bind, rulebook=RULEBOOK))
        await platform.health.wait_serving()
        yield platform


def stub(platform: Platform, sender: str = "") -> engine_pb2_grpc.EngineServiceStub:
    """The engine, called by a service, or by the gateway for whoever a call's own token names."""
    channel = platform.connect(f"local:engine/{RULEBOOK}", sender or "gateway", on_behalf=not sender)
    return engine_pb2_grpc.EngineServiceStub(channel)


async def after_commits(platform: Platform, look: Callable[[], Awaitable[T | None]]) -> T:
    """What `look` finds: it is asked now and after each commit, until it finds something."""
    wakes = cast("AsyncGenerator[tuple[str, bytes], None]", platform.cache.wakes(wake_channel(TOPIC)))
    async with asyncio.timeout(5), aclosing(wakes):
        async for _ in wakes:
            if (found := await look()) is not None:
                return found
    raise AssertionError


@dataclass
class Table:
    """Players at the seats of one match, and what they may ask."""

    platform: Platform
    seats: int = 3
    decision_time_s: int = 0
    match_id: str = field(default_factory=lambda: names.new_id("tempel"))
    players: list[str] = field(default_factory=list)
    receipt: tables_pb2.CommitmentReceipt = field(default_factory=tables_pb2.CommitmentReceipt)
    founding: log_pb2.CreateMatch = field(default_factory=log_pb2.CreateMatch)

    async def found(self) -> play_pb2.Receipt:
        """Have the seed promised, sit down, found the match."""
        await self.prepare()
        return await self.create()

    async def prepare(self) -> None:
        """Have the seed promised, and sit down."""
        self.players = [names.new_id("p") for _ in range(self.seats)]
        promises = rng_pb2_grpc.RngServiceStub(self.platform.channel("rng", MATCHMAKING))
        self.receipt = await promises.CommitSeed(rng_pb2.CommitSeedRequest(name=names.match_name(self.match_id)))
        self.founding = log_pb2.CreateMatch(
            rulebook=RULEBOOK,
            seats=[
                log_pb2.SeatedPlayer(seat=seat, player_id=player, entropy=secrets.token_bytes(32))
                for seat, player in enumerate(self.players, 1)
            ],
            commitment=self.receipt.commitment,
            key_id=self.receipt.key_id,
        )
        if self.decision_time_s:
            self.founding.decision_time.seconds = self.decision_time_s

    async def create(self) -> play_pb2.Receipt:
        """Found the match, again perhaps."""
        request = engine_pb2.CreateMatchRequest(name=names.match_name(self.match_id), founding=self.founding)
        return await stub(self.platform, MATCHMAKING).CreateMatch(request)

    @property
    def owner(self) -> engine_pb2_grpc.EngineServiceStub:
        return stub(self.platform)

    def at(self, seat: int) -> str:
        """Resource name of a seat."""
        return names.match_name(self.match_id, seat)

    def signed(self, seat: int) -> tuple[tuple[str, str], ...]:
        """Metadata of whoever sits there."""
        return self.signed_as(self.players[seat - 1])

    def signed_as(self, player_id: str) -> tuple[tuple[str, str], ...]:
        token = self.platform.keys.sign(player_id, roles=(PLAYER,), ttl_s=HOUR_S)
        return (("authorization", f"Bearer {token}"),)

    async def view(self, seat: int, minimum_sequence: int = 0) -> match_pb2.Update:
        request = play_pb2.GetViewRequest(name=self.at(seat), minimum_sequence=minimum_sequence)
        return await self.owner.GetView(request, metadata=self.signed(seat))

    async def legal(self, seat: int) -> play_pb2.ListLegalCommandsResponse:
        request = play_pb2.ListLegalCommandsRequest(name=self.at(seat))
        return await self.owner.ListLegalCommands(request, metadata=self.signed(seat))

    def submit(self, seat: int, request: play_pb2.SubmitCommandRequest) -> Any:
        return self.owner.SubmitCommand(request, metadata=self.signed(seat))

    async def some_move(self, command_id: str) -> tuple[int, play_pb2.SubmitCommandRequest]:
        """A random legal move of whoever is to decide: (seat, request)."""
        rulebook = catalogue.load(RULEBOOK)
        now = await self.view(1)
        seat = now.awaiting[0].seat
        legal = [wire.legal_command_from(rulebook, entry) for entry in (await self.legal(seat)).legal_commands]
        payload = random_command(now, legal, Seat(seat), BlockChance(secrets.token_bytes(32)))
        assert payload is not None
        command = wire.pack(rulebook.commands.wrap(payload))
        request = play_pb2.SubmitCommandRequest(
            name=self.at(seat), command_id=command_id, command=command, decision_id=now.awaiting[0].decision_id
        )
        return seat, request

    async def move(self, command_id: str) -> play_pb2.Receipt:
        """Make a random legal move."""
        seat, request = await self.some_move(command_id)
        receipt: play_pb2.Receipt = await self.submit(seat, request)
        return receipt

    async def play_on(self, limit: int = 1000) -> match_pb2.Update:
        """Make random moves to the end, or so many; return what seat 1 sees then."""
        now = await self.view(1)
        while not now.HasField("outcome") and limit:
            receipt = await self.move(f"move-{now.sequence}")
            now = await self.view(1, receipt.sequence)
            limit -= 1
        return now

    async def seed(self) -> bytes:
        """The match's seed, once it is revealed."""
        assert self.platform.log is not None
        partition = partition_of(self.match_id, await self.platform.log.partitions(RNG_TOPIC))
        async with asyncio.timeout(5), aclosing(revealed(self.platform.log, partition, Fence(Checkpoint()))) as batches:
            async for batch in batches:
                for reveal in batch:
                    if reveal.match_id == self.match_id:
                        return reveal.seed
        raise AssertionError

    async def commits(self) -> list[Counted]:
        """The match's counted commits, from the log."""
        assert self.platform.log is not None
        partition = partition_of(self.match_id, await self.platform.log.partitions(TOPIC))
        stored = await self.platform.log.read(TOPIC, partition, 0, 10_000)
        return [c for c in Fence(Checkpoint()).count(stored) if c.commit.stream_id == self.match_id]
