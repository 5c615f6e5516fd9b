"""Another's seat, table, ticket and match, through the real gateway; guessed codes; repeated commands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.api.gateway.v1 import (
    play_pb2,
    play_pb2_grpc,
    replays_pb2,
    replays_pb2_grpc,
    tables_pb2,
    tables_pb2_grpc,
)
from ludolog.client import Client
from ludolog.hosting import Platform
from ludolog.hosting.errors import Told
from tests.infra.asking import refused
from tests.integration.matchmaking.house import EVERYTHING, RULEBOOK, guests, running, until
from tests.integration.security.test_every_method import commits

DENIED, UNAUTHENTICATED = grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED
MOVE = 1


@dataclass
class World:
    """Three people at a private table without spectators, in a match; and somebody else."""

    platform: Platform
    folder: Path
    people: list[Client]
    stranger: Client
    table: str
    code: str
    match: str

    def stub(self, kind: Any) -> Any:
        """A service of the gateway."""
        return kind(self.platform.channel("gateway"))

    def seat(self, number: int) -> str:
        return f"{self.match}/seats/{number}"


def signed(client: Client | None) -> Any:
    """Metadata of a client's call; of nobody's."""
    return (("authorization", f"Bearer {client.token}"),) if client else None


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with (
        running(tmp_path, EVERYTHING, bots=0) as platform,
        guests(platform, "Ann", "Bob", "Cid", "Dora") as [ann, bob, cid, dora],
    ):
        table = await ann.tables.create(RULEBOOK, 3, private=True, spectators=False, decision_time_s=0)
        for person in (ann, bob, cid):
            await person.tables.join(table, invite_code=table.invite_code)
        await ann.tables.start(table)
        playing = await ann.tables.until_playing(table)
        yield World(platform, tmp_path, [ann, bob, cid], dora, table.name, table.invite_code, playing.match)


async def mover(world: World) -> tuple[int, Any]:
    """(seat, legal command) of somebody who may move now."""

    async def look() -> tuple[int, Any] | None:
        for number, person in enumerate(world.people, 1):
            for legal in await person.legal_commands(world.match, number):
                if legal.kind == MOVE:
                    return number, legal
        return None

    return await until(look)


async def of_stream(call: Any) -> Told:
    """The error that a stream begins with."""
    try:
        return await refused(call.read())
    finally:
        call.cancel()


async def test_another_seat_and_a_spectator_who_acts(world: World) -> None:
    seat, legal = await mover(world)
    play = world.stub(play_pb2_grpc.PlayServiceStub)
    before = commits(world.folder)
    neighbour = world.people[seat % 3]
    command = play_pb2.SubmitCommandRequest(name=world.seat(seat), command_id="c1", command=legal.prototype)
    for who in (neighbour, world.stranger):
        requests = {
            "SubmitCommand": command,
            "Resign": play_pb2.ResignRequest(name=world.seat(seat), command_id="c2"),
            "GetView": play_pb2.GetViewRequest(name=world.seat(seat)),
            "ListLegalCommands": play_pb2.ListLegalCommandsRequest(name=world.seat(seat)),
        }
        for method, request in requests.items():
            answer = await refused(getattr(play, method)(request, metadata=signed(who)))
            assert (answer.code, answer.reason) == (DENIED, "NOT_YOUR_SEAT"), method

        async def opening() -> AsyncIterator[play_pb2.PlayRequest]:
            yield play_pb2.PlayRequest(open=play_pb2.PlayRequest.Open(name=world.seat(seat), from_sequence=1))
            yield play_pb2.PlayRequest(submit=play_pb2.PlayRequest.Submit(command_id="c3", command=legal.prototype))

        assert (await of_stream(play.Play(opening(), metadata=signed(who)))).code is DENIED
    assert commits(world.folder) == before


async def test_a_match_without_spectators_is_for_those_who_play(world: World) -> None:
    watch = world.stub(play_pb2_grpc.WatchServiceStub)
    match = world.stub(play_pb2_grpc.MatchServiceStub)
    replays = world.stub(replays_pb2_grpc.ReplayServiceStub)
    ann = world.people[0]

    async def archived() -> bool | None:
        try:
            await match.GetMatch(play_pb2.GetMatchRequest(name=world.match), metadata=signed(ann))
        except grpc.aio.AioRpcError:
            return None
        return True

    await until(archived)
    seat = replays_pb2.Perspective(seat=2)
    frame = replays_pb2.GetFrameRequest(name=world.match.replace("matches", "replays"), sequence=1)
    for who, code in ((world.stranger, DENIED), (None, UNAUTHENTICATED)):
        request = play_pb2.WatchRequest(name=world.match, from_sequence=1)
        assert (await of_stream(watch.Watch(request, metadata=signed(who)))).code is code
        mine = play_pb2.WatchRequest(name=world.seat(1), from_sequence=1)
        assert (await of_stream(watch.Watch(mine, metadata=signed(who)))).code is code
        found = await refused(match.GetMatch(play_pb2.GetMatchRequest(name=world.match), metadata=signed(who)))
        assert found.code is code
        assert (await refused(replays.GetFrame(frame, metadata=signed(who)))).code is code
    assert all(
        live.name != world.match for live in (await watch.ListLiveMatches(play_pb2.ListLiveMatchesRequest())).matches
    )
    frame.perspective.CopyFrom(seat)
    assert (await refused(replays.GetFrame(frame, metadata=signed(ann)))).code is DENIED, "Ann sits at seat 1"
    frame.perspective.omniscient = True
    early = await refused(replays.GetFrame(frame, metadata=signed(ann)))
    assert (early.code, early.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_OVER")
    own = watch.Watch(play_pb2.WatchRequest(name=world.seat(1), from_sequence=0), metadata=signed(ann))
    assert (await own.read()).sequence >= 1
    own.cancel()


async def test_a_table_is_its_hosts_and_a_ticket_its_players(world: World) -> None:
    tables = world.stub(tables_pb2_grpc.TableServiceStub)
    _, bob, _ = world.people
    table = await world.people[0].tables.create(RULEBOOK, 3)
    await bob.tables.join(table)
    before = commits(world.folder)
    for who in (bob, world.stranger):
        for method, request in {
            "StartTable": tables_pb2.StartTableRequest(name=table.name, request_id="r1"),
            "AddBots": tables_pb2.AddBotsRequest(name=table.name, count=1, request_id="r2"),
        }.items():
            answer = await refused(getattr(tables, method)(request, metadata=signed(who)))
            assert (answer.code, answer.reason) == (DENIED, "NOT_HOST"), method
    assert commits(world.folder) == before
    ticket = await bob.tables.queue(RULEBOOK, 3)
    for method, request in {
        "GetTicket": tables_pb2.GetTicketRequest(name=ticket.name),
        "CancelTicket": tables_pb2.CancelTicketRequest(name=ticket.name, request_id="r3"),
    }.items():
        answer = await refused(getattr(tables, method)(request, metadata=signed(world.stranger)))
        assert (answer.code, answer.reason) == (grpc.StatusCode.NOT_FOUND, "NO_SUCH_TICKET"), method
    assert (await bob.tables.ticket(ticket.name)).state == tables_pb2.TicketState.TICKET_STATE_WAITING


async def test_invite_codes_cant_be_guessed(world: World) -> None:
    tables = world.stub(tables_pb2_grpc.TableServiceStub)
    table = await world.people[0].tables.create(RULEBOOK, 3, private=True)
    hidden = await refused(
        tables.GetTable(tables_pb2.GetTableRequest(name=table.name), metadata=signed(world.stranger))
    )
    assert (hidden.code, hidden.reason) == (grpc.StatusCode.NOT_FOUND, "NO_SUCH_TABLE")
    reasons = []
    for number in range(12):
        join = tables_pb2.JoinTableRequest(
            name=table.name, entropy=b"e" * 32, invite_code=f"AAAAA-AAAA{number % 9 + 2}", request_id=f"r{number}"
        )
        reasons.append((await refused(tables.JoinTable(join, metadata=signed(world.stranger)))).reason)
    assert reasons == ["WRONG_INVITE_CODE"] * 10 + ["TOO_MANY_GUESSES"] * 2
    right = tables_pb2.JoinTableRequest(
        name=table.name, entropy=b"e" * 32, invite_code=table.invite_code, request_id="right"
    )
    late = await refused(tables.JoinTable(right, metadata=signed(world.stranger)))
    assert (late.code, late.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_GUESSES")
    assert late.retry_after_ms
    await tables.JoinTable(right, metadata=signed(world.people[1]))


async def test_a_repeated_command_gives_the_same_receipt_and_does_nothing(world: World) -> None:
    seat, legal = await mover(world)
    play = world.stub(play_pb2_grpc.PlayServiceStub)
    owner = world.people[seat - 1]
    command = play_pb2.SubmitCommandRequest(
        name=world.seat(seat), command_id="mine", command=legal.prototype, decision_id=legal.decision_id
    )
    first = await play.SubmitCommand(command, metadata=signed(owner))
    after = commits(world.folder)
    for _ in range(3):
        assert await play.SubmitCommand(command, metadata=signed(owner)) == first
    replayed = await refused(play.SubmitCommand(command, metadata=signed(world.stranger)))
    assert (replayed.code, replayed.reason) == (DENIED, "NOT_YOUR_SEAT"), "who records a command can't send it again"
    command.decision_id = "another"
    reused = await refused(play.SubmitCommand(command, metadata=signed(owner)))
    assert (reused.code, reused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "COMMAND_ID_REUSED")
    assert commits(world.folder) == after
