"""What could go on without end, on a platform of its own over real sockets: memory stays bounded, others are served."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from deploy.dev.embedded import Embedded
from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as tempel
from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc
from ludolog.api.match.v1 import match_pb2
from ludolog.client import Client, TooMuch
from ludolog.client.messages import pack
from ludolog.hosting.errors import Told, told
from tests.infra.playing import MOVE, RULEBOOK

SETTINGS = {
    "LUDOLOG_BOTS": "0",
    "LUDOLOG_CLIENT_QUEUE": "4",
    "LUDOLOG_PLAYER_STREAMS": "0",
    "LUDOLOG_SIGN_INS_PER_MINUTE": "0",
    "LUDOLOG_TABLES_PER_MINUTE": "0",
    "LUDOLOG_ADDRESS_CALLS_PER_SECOND": "0",
}
SEATS = 5
SOON_S = 30.0
IDLE, CONNECTIONS = 2000, 10
MOST_KB_OF_AN_IDLE_STREAM = 60
SLOW, COMMITS = 40, 31
TALKS = 3
"""What the game lets a seat say between two moves; no game ends before the second one, which would be commit 32."""
SMALL_WINDOW = (
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.lookahead_bytes", 4096),
    ("grpc.use_local_subchannel_pool", 1),
)
MOST_KB_OF_A_SLOW_STREAM = 300
"""HTTP/2's window of 64 KiB and what gRPC keeps on the way, some updates on our side."""
HOSTS, HOSTED = 20, 20
MOST_KB_OF_A_TABLE = 60
FLOOD = 4000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("endless") / "platform", SETTINGS) as platform:
        yield platform


def memory_kb(server: Embedded) -> int:
    """What the platform's process has in memory."""
    status = Path(f"/proc/{(server.folder / 'pid').read_text()}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1])


@dataclass
class People:
    """Three people in a match without a clock."""

    clients: list[Client]
    match: str
    seats: dict[int, Client]

    async def go_on(self, commits: int) -> None:
        """So many commits: everybody talks for as long as the rules let them, then somebody moves, and so on."""
        done = 0
        while done < commits:
            for seat, client in self.seats.items():
                for _ in range(TALKS):
                    await client.submit(self.match, seat, claim(done))
                    done += 1
                    if done == commits:
                        return
            await self._move()
            done += 1

    async def _move(self) -> None:
        for seat, client in self.seats.items():
            for legal in await client.legal_commands(self.match, seat):
                if legal.kind == MOVE:
                    await client.submit(self.match, seat, legal)
                    return


def claim(number: int) -> Message:
    """Something to say."""
    return tempel.Command(make_claim=tempel.MakeClaim(empty=number % 2))


@asynccontextmanager
async def people(server: Embedded) -> AsyncIterator[People]:
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(server.address)) for _ in range(SEATS)]
        for number, client in enumerate(clients):
            await client.sign_in_guest(f"P{number}")
        host = clients[0]
        table = await host.tables.create(RULEBOOK, SEATS, decision_time_s=0)
        for client in clients:
            await client.tables.join(table)
        await host.tables.start(table)
        table = await host.tables.until_playing(table)
        by_name = {client.player.name: client for client in clients if client.player}
        seats = {one.seat: by_name[one.player] for one in table.seats}
        yield People(clients, table.match, seats)


def watch(channel: grpc.aio.Channel, match: str, from_sequence: int = 0) -> Any:
    """A spectator who isn't signed in."""
    stub = play_pb2_grpc.WatchServiceStub(channel)
    return stub.Watch(play_pb2.WatchRequest(name=match, from_sequence=from_sequence))


async def test_tables_without_end_are_refused(
    server: Embedded, record_testsuite_property: Callable[[str, object], None]
) -> None:
    async with AsyncExitStack() as stack:
        hosts = [await stack.enter_async_context(Client(server.address)) for _ in range(HOSTS)]
        before = memory_kb(server)
        opened = 0
        for number, host in enumerate(hosts):
            await host.sign_in_guest(f"H{number}")
            for _ in range(HOSTED):
                await host.tables.create(RULEBOOK, SEATS)
            with pytest.raises(TooMuch) as caught:
                await host.tables.create(RULEBOOK, SEATS)
            assert caught.value.reason == "TOO_MANY_TABLES"
            assert caught.value.retry_after_s
            opened += HOSTED
        grown = (memory_kb(server) - before) / opened
        record_testsuite_property("kb_of_an_open_table", round(grown, 1))
        assert grown < MOST_KB_OF_A_TABLE
        # A table that is left makes room for another.
        mine = await hosts[0].tables.list(RULEBOOK)
        assert hosts[0].player
        await hosts[0].tables.leave(next(table for table in mine if table.host == hosts[0].player.name))
        await hosts[0].tables.create(RULEBOOK, SEATS)


def connection(server: Embedded) -> grpc.aio.Channel:
    """One over which little is sent ahead."""
    return grpc.aio.insecure_channel(server.address, options=SMALL_WINDOW)


async def to_the_end(reader: Any) -> tuple[list[int], Told]:
    """The numbers that a stream still shows, and the error that it ends with."""
    seen: list[int] = []
    try:
        while True:
            seen.append((await asyncio.wait_for(reader.read(), SOON_S)).sequence)
    except grpc.aio.AioRpcError as error:
        return seen, told(error)


async def test_slow_readers_lose_their_streams_and_cost_no_memory(
    server: Embedded, record_testsuite_property: Callable[[str, object], None]
) -> None:
    async with people(server) as some, AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(connection(server)) for _ in range(SLOW)]
        readers = [watch(channel, some.match) for channel in channels]
        for reader in readers:
            assert (await reader.read()).snapshot
        before = memory_kb(server)
        await some.go_on(COMMITS)
        grown = (memory_kb(server) - before) / SLOW
        record_testsuite_property("kb_of_a_slow_reader", round(grown))
        assert grown < MOST_KB_OF_A_SLOW_STREAM
        for reader in readers:
            seen, answer = await to_the_end(reader)
            assert (answer.code, answer.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_READER")
            assert seen == list(range(2, seen[-1] + 1))
            assert (answer.metadata or {})["next_sequence"] == str(seen[-1] + 1)
            again = watch(channels[0], some.match, seen[-1] + 1)
            assert (await again.read()).sequence == seen[-1] + 1
            again.cancel()


async def test_thousands_of_idle_streams_cost_little_and_hear_of_everything(
    server: Embedded, record_testsuite_property: Callable[[str, object], None]
) -> None:
    async with people(server) as some, AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(connection(server)) for _ in range(CONNECTIONS)]
        before = memory_kb(server)
        streams = [watch(channels[number % CONNECTIONS], some.match) for number in range(IDLE)]
        for updates in await asyncio.wait_for(asyncio.gather(*(stream.read() for stream in streams)), SOON_S):
            assert updates.sequence == 1
        grown = (memory_kb(server) - before) / IDLE
        record_testsuite_property("kb_of_an_idle_stream", round(grown, 1))
        assert grown < MOST_KB_OF_AN_IDLE_STREAM
        began_s = time.monotonic()
        await some.go_on(1)
        heard: list[match_pb2.Update] = await asyncio.wait_for(
            asyncio.gather(*(stream.read() for stream in streams)), SOON_S
        )
        record_testsuite_property("s_until_2000_idle_streams_have_heard", round(time.monotonic() - began_s, 2))
        assert {update.sequence for update in heard} == {2}
        for stream in streams:
            stream.cancel()


async def test_a_flood_of_commands_is_refused_and_hurts_nobody_else(server: Embedded) -> None:
    async with people(server) as some, grpc.aio.insecure_channel(server.address) as channel:
        before = memory_kb(server)
        metadata = (("authorization", f"Bearer {some.seats[1].token}"),)
        stream: Any = play_pb2_grpc.PlayServiceStub(channel).Play(metadata=metadata)
        opening = play_pb2.PlayRequest.Open(name=f"{some.match}/seats/1", from_sequence=0)
        await stream.write(play_pb2.PlayRequest(open=opening))
        assert (await stream.read()).update.snapshot
        reasons: list[str] = []

        async def answers() -> None:
            while len(reasons) < FLOOD:
                response = await stream.read()
                if response.WhichOneof("kind") != "update":
                    answer = told(response.refused.status) if response.HasField("refused") else None
                    assert answer is None or answer.reason != "RATE_LIMITED" or answer.retry_after_ms
                    reasons.append(answer.reason if answer else "")

        reading = asyncio.create_task(answers())
        for number in range(FLOOD):
            submit = play_pb2.PlayRequest.Submit(command_id=f"f{number}", command=pack(claim(number)))
            await stream.write(play_pb2.PlayRequest(submit=submit))
            if number % (FLOOD // 10) == 0:
                await asyncio.wait_for(some.seats[2].view(some.match, 2), SOON_S)
        await asyncio.wait_for(reading, SOON_S)
        stream.cancel()
        assert reasons.count("RATE_LIMITED") > FLOOD / 2, "some 100 a second, and 400 at once, may pass"
        assert set(reasons) <= {"", "RATE_LIMITED", "TOO_MUCH_TALK"}
        assert memory_kb(server) - before < 20_000
