"""The broker goes away and comes back under a running cluster: commands are refused soon, reads go on, all resumes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from deploy.dev.platform import Cluster
from deploy.dev.servers import Kafka
from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc, tables_pb2, tables_pb2_grpc
from ludolog.client import Client
from ludolog.client.connection import credentials_of
from ludolog.eventlog.kafka import KafkaLog
from ludolog.hosting.errors import Told, told
from tests.infra.playing import MOVE, RULEBOOK
from tests.integration.cluster.conftest import certificates_of
from tests.integration.cluster.test_cluster import Meeting, assert_holds, play_all

FIRST_S, LATER_S, READ_S, BACK_S = 15.0, 6.0, 6.0, 40.0
"""Most seconds on a busy machine: until the first refusal, the later ones, a read, a command after the return. Usual
are 4, 1, 0.05 and 2."""
LONG_S = 60.0
"""Deadline of every call: it isn't what ends them."""
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
MOVES = 3
"""Made before the broker goes away, while somebody watches."""


class Raw:
    """Calls without the SDK, which would repeat what is refused."""

    def __init__(self, channel: grpc.aio.Channel, client: Client) -> None:
        self.play = play_pb2_grpc.PlayServiceStub(channel)
        self.tables = tables_pb2_grpc.TableServiceStub(channel)
        self.metadata = (("authorization", f"Bearer {client.token}"),)

    async def refusal(self, method: Any, request: Any) -> tuple[Told, float]:
        """The error that a call gets, and after how many seconds."""
        began_s = time.monotonic()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await method(request, metadata=self.metadata, timeout=LONG_S)
        return told(caught.value), time.monotonic() - began_s

    async def refusals(self, seat: str, move: Any, command_id: str) -> list[tuple[Told, float]]:
        """Of a command, over both ways to send one, and of a new table."""
        table = tables_pb2.CreateTableRequest(rulebook=f"rulebooks/{RULEBOOK}", seat_count=3, request_id=command_id)
        return list(
            await asyncio.gather(
                self.refusal(self.play.SubmitCommand, command(seat, move, command_id)),
                self.refusal(self.tables.CreateTable, table),
                self.in_band(seat, move, f"{command_id}-play"),
            )
        )

    async def in_band(self, seat: str, move: Any, command_id: str) -> tuple[Told, float]:
        """The refusal of a command on a Play stream, which goes on."""
        stream: Any = self.play.Play(metadata=self.metadata)
        try:
            await stream.write(play_pb2.PlayRequest(open=play_pb2.PlayRequest.Open(name=seat, from_sequence=0)))
            assert (await stream.read()).update.snapshot
            began_s = time.monotonic()
            submit = play_pb2.PlayRequest.Submit(command_id=command_id, command=move.prototype)
            await stream.write(play_pb2.PlayRequest(submit=submit))
            refused = (await asyncio.wait_for(stream.read(), LONG_S)).refused
            assert refused.command_id == command_id
            return told(refused.status), time.monotonic() - began_s
        finally:
            stream.cancel()


def command(seat: str, move: Any, command_id: str) -> play_pb2.SubmitCommandRequest:
    return play_pb2.SubmitCommandRequest(
        name=seat, command_id=command_id, command=move.prototype, decision_id=move.decision_id
    )


async def mover(meeting: Meeting) -> tuple[int, Any]:
    """(seat, legal command) of whoever is to move."""
    for seat, client in meeting.seats.items():
        for legal in await client.legal_commands(meeting.match, seat):
            if legal.kind == MOVE:
                return seat, legal
    raise AssertionError("nobody may move")


async def quick(doing: Awaitable[Any]) -> Any:
    """A read that goes on meanwhile."""
    return await asyncio.wait_for(doing, READ_S)


async def first_of(updates: Any) -> Any:
    try:
        return await anext(updates)
    finally:
        await updates.aclose()


async def reads(meeting: Meeting, seat: int, finished: Meeting) -> None:
    """Everything that only looks."""
    client = meeting.seats[seat]
    head = (await quick(client.view(meeting.match, seat))).sequence
    assert head == MOVES + 1
    assert await quick(client.legal_commands(meeting.match, seat))
    assert (await quick(first_of(client.watch(meeting.match)))).sequence == head
    assert (await quick(first_of(client.watch(meeting.match, from_sequence=1)))).sequence == 1
    assert (await quick(client.replays.get(finished.match))).name
    assert (await quick(client.replays.frame(finished.match, 1, eyes="omniscient"))).sequence == 1
    await quick(client.tables.list())
    await quick(client.get_player())


@pytest.mark.parametrize("how", ["frozen", "killed"])
async def test_commands_are_refused_soon_reads_go_on_and_everything_resumes(
    how: str,
    cluster: Cluster,
    broker: Kafka,
    log: KafkaLog,
    tmp_path: Path,
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    credentials = credentials_of(certificates_of(cluster).certificate("public-ca"))
    async with Meeting(cluster, 3, 0) as finished, Meeting(cluster, 3, 0, decision_time_s=0) as meeting:
        await play_all(finished)
        await finished.export(tmp_path / "finished.ludolog")
        watched = asyncio.ensure_future(watch(meeting))
        acknowledged: list[tuple[int, str, int]] = []
        for number in range(MOVES):
            seat, move = await mover(meeting)
            receipt = await meeting.seats[seat].submit(meeting.match, seat, move, command_id=f"before-{number}")
            acknowledged.append((seat, f"before-{number}", receipt.sequence))
        seat, move = await mover(meeting)
        async with grpc.aio.secure_channel(cluster.gateway_address, credentials) as channel:
            raw = Raw(channel, meeting.seats[seat])
            name = f"{meeting.match}/seats/{seat}"
            (broker.pause if how == "frozen" else broker.kill)()
            try:
                first = await raw.refusals(name, move, "away-1")
                await reads(meeting, seat, finished)
                later = [
                    answer for number in range(2, 4) for answer in await raw.refusals(name, move, f"away-{number}")
                ]
            finally:
                if how == "frozen":
                    broker.resume()
                else:
                    await asyncio.to_thread(broker.start)
            back_s = time.monotonic()
            receipt = await raw_until(raw, command(name, move, "away-1"))
            took_s = time.monotonic() - back_s
        for answer, _ in first + later:
            assert (answer.code, answer.reason) == (UNAVAILABLE, "LOG_UNAVAILABLE")
            assert 0 < (answer.retry_after_ms or 0) <= 5000
        assert max(seconds for _, seconds in first) < FIRST_S
        assert max(seconds for _, seconds in later) < LATER_S
        assert took_s < BACK_S
        figures = [max(s for _, s in first), max(s for _, s in later), took_s]
        record_testsuite_property(f"broker_{how}_refused_later_back_s", str([round(s, 2) for s in figures]))
        journals = await play_all(meeting)
        for by, command_id, sequence in [*acknowledged, (seat, "away-1", receipt.sequence)]:
            journals[by].acknowledged[command_id] = sequence
        assert await asyncio.wait_for(watched, LONG_S) == list(range(1, journals[seat].seen[-1] + 1)), "an open stream"
        await assert_holds(meeting, log, journals, tmp_path / f"{how}.ludolog")


async def watch(meeting: Meeting) -> list[int]:
    """The numbers that one stream shows, from the first to the last."""
    return [update.sequence async for update in meeting.clients[0].watch(meeting.match, from_sequence=1)]


async def raw_until(raw: Raw, request: play_pb2.SubmitCommandRequest) -> play_pb2.Receipt:
    """Repeat a command as a client does: with the same id, after what the answer says."""
    while True:
        try:
            receipt: play_pb2.Receipt = await raw.play.SubmitCommand(request, metadata=raw.metadata, timeout=LONG_S)
        except grpc.aio.AioRpcError as error:
            answer = told(error)
            assert answer.code is UNAVAILABLE, answer
            await asyncio.sleep((answer.retry_after_ms or 0) / 1000)
        else:
            return receipt
