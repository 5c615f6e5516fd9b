"""The SDK against a gateway that misbehaves, over a socket and in-process."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.any_pb2 import Any as AnyMessage

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as tempel
from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.client import (
    BrokenPromise,
    Client,
    InvalidField,
    NotAllowed,
    Refused,
    TooMuch,
    Unavailable,
    fill,
    messages,
    unpack,
)
from ludolog.client import errors as sdk_errors
from ludolog.hosting import OutOfRange, PermissionDenied
from ludolog.hosting import TooMuch as ServersTooMuch
from ludolog.hosting import Unavailable as ServersUnavailable
from ludolog.hosting.errors import status_of
from ludolog.kernel import BadInput, Refusal
from tests.unit.cli_online.test_asking import Command
from tests.unit.client.conftest import END, Gateway

MATCH = "tempel-" + "a2" * 13
COMMAND = AnyMessage(type_url="t/x", value=b"y")
SOON_S = 5


async def seen(updates: Any) -> list[int]:
    async with asyncio.timeout(SOON_S), aclosing(updates) as stream:
        return [update.sequence async for update in stream]


@pytest.mark.parametrize("repeat_one", [False, True])
async def test_a_watched_match_is_seen_once_whatever_breaks(repeat_one: bool, client: Client, gateway: Gateway) -> None:
    gateway.losses, gateway.repeat_one = 3, repeat_one
    assert await seen(client.watch(MATCH)) == list(range(1, END + 1))
    assert gateway.opened == [0, 4, 7, 10]


async def test_watching_goes_on_behind_a_server_that_catches_up(client: Client, gateway: Gateway) -> None:
    gateway.losses = 1
    updates = client.watch(MATCH)
    async with asyncio.timeout(SOON_S), aclosing(updates):
        got = [(await anext(updates)).sequence for _ in range(3)]
        gateway.failures = [OutOfRange("catching up"), ServersTooMuch("SLOW_READER", "slow", retry_after_ms=0)]
        got += [update.sequence async for update in updates]
    assert got == list(range(1, END + 1))


async def test_what_is_no_fault_of_the_line_is_raised(client: Client, gateway: Gateway) -> None:
    gateway.failures = [PermissionDenied("not yours")]
    with pytest.raises(NotAllowed):
        await seen(client.watch(MATCH, seat=1))
    gateway.failures = [OutOfRange("beyond")]
    with pytest.raises(sdk_errors.OutOfRange):
        await seen(client.watch(MATCH, from_sequence=99))


async def test_leaving_a_stream_ends_it_on_the_server(client: Client, gateway: Gateway) -> None:
    updates = client.watch(MATCH)
    await anext(updates)
    await updates.aclose()
    async with asyncio.timeout(SOON_S):
        while gateway.open:  # noqa: ASYNC110 - the server's step
            await asyncio.sleep(0)


async def test_a_command_is_submitted_once_though_its_answer_is_lost(client: Client, gateway: Gateway) -> None:
    gateway.forget_answers = 2
    async with client.play(MATCH, 1) as seat:
        receipt = await seat.submit(COMMAND, command_id="c1")
        assert receipt.sequence == 2
        assert gateway.receipts == {"c1": 2}
        assert gateway.attempts == ["c1"] * 3
        assert (await seat.submit(COMMAND, command_id="c2", decision_id="last")).sequence == 3
        got = [update.sequence async for update in seat]
    assert got == sorted(set(got))
    assert got[-1] == 3


async def test_unknown_in_band_is_repeated_and_a_refusal_isnt(client: Client, gateway: Gateway) -> None:
    async with client.play(MATCH, 1) as seat:
        gateway.failures = []
        await seat.submit(COMMAND, command_id="c0")
        gateway.failures = [ServersUnavailable("taking over", retry_after_ms=0), ServersUnavailable("again")]
        assert (await seat.submit(COMMAND, command_id="c1")).command_id == "c1"
        assert gateway.attempts == ["c0", "c1", "c1", "c1"]
        gateway.failures = [Refusal("NOT_KEY_PLAYER", "Gameplay 1", expected_seat=2)]
        with pytest.raises(Refused) as caught:
            await seat.submit(COMMAND, command_id="c2")
        assert (caught.value.reason, caught.value.section) == ("NOT_KEY_PLAYER", "Gameplay 1")
        assert caught.value.facts == {"expected_seat": "2"}
        gateway.failures = [BadInput("command.owner", "must be 1 to 3")]
        with pytest.raises(InvalidField) as bad:
            await seat.submit(COMMAND, command_id="c3")
        assert (bad.value.field, bad.value.problem) == ("command.owner", "must be 1 to 3")


async def test_a_command_whose_fate_stays_unknown_names_its_id(client: Client, gateway: Gateway) -> None:
    async with client.play(MATCH, 1) as seat:
        await seat.next()
        gateway.failures = [ServersUnavailable("never") for _ in range(1000)]
        with pytest.raises(Unavailable) as caught:
            await seat.submit(COMMAND, command_id="c1", timeout_s=0.3)
        assert caught.value.command_id == "c1"


async def test_a_seat_that_isnt_yours(client: Client, gateway: Gateway) -> None:
    gateway.failures = [PermissionDenied("somebody else sits there")]
    async with client.play(MATCH, 1) as seat:
        with pytest.raises(NotAllowed):
            await seat.next()


async def test_unary_calls_are_repeated_with_the_same_ids(client: Client, gateway: Gateway) -> None:
    gateway.failures = [ServersUnavailable("one", retry_after_ms=0), ServersUnavailable("two", retry_after_ms=0)]
    assert (await client.submit(MATCH, 1, COMMAND)).sequence == 2
    assert len(gateway.attempts) == 3
    assert len(set(gateway.attempts)) == 1
    gateway.failures = [ServersTooMuch("RATE_LIMITED", "slow down", retry_after_ms=60_000)]
    with pytest.raises(TooMuch) as caught:
        await client.submit(MATCH, 1, COMMAND)
    assert caught.value.retry_after_s == 60


async def test_the_token_goes_along_and_is_renewed(client: Client, gateway: Gateway) -> None:
    gateway.expire_s = 0
    player = await client.sign_in_guest("Ann")
    assert player.display_name == "Ann"
    await client.submit(MATCH, 1, COMMAND)
    assert gateway.authorization == ["", "Bearer token-2"]
    assert client.token == "token-2"


async def test_joining_brings_own_entropy_and_keeps_the_promise(client: Client, gateway: Gateway) -> None:
    gateway.failures = [ServersUnavailable("once", retry_after_ms=0)]
    await client.tables.join("tables/x")
    await client.tables.join("tables/x")
    first, repeated, second = gateway.requests
    assert first == repeated
    assert len(first.entropy) == 32
    assert first.entropy != second.entropy
    assert client.tables.commitments["tempel-x"].commitment == b"promise"
    kept = json_format.Parse(client.tables.receipt("matches/tempel-x"), tables_pb2.CommitmentReceipt())
    assert kept == client.tables.commitments["tempel-x"]
    gateway.commitment = b"another"
    with pytest.raises(BrokenPromise):
        await client.tables.join("tables/x")


async def test_an_export_is_complete_or_not_there(client: Client, gateway: Gateway, tmp_path: Path) -> None:
    target = tmp_path / "match.ludolog"
    gateway.failures = [PermissionDenied("no")]
    with pytest.raises(NotAllowed):
        await client.replays.export(MATCH, target)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - and pathlib is refused in coroutines
    assert await client.replays.export(MATCH, target) == 12
    assert target.read_bytes() == b"first,second"


async def test_frames_come_once_too(client: Client, gateway: Gateway) -> None:
    gateway.losses = 2
    assert await seen(client.replays.frames(MATCH)) == list(range(1, END + 1))
    assert gateway.opened == [1, 4, 7]


def test_a_line_that_breaks_inside_grpc_is_unavailable_and_our_own_errors_arent() -> None:
    nothing = grpc.aio.Metadata()
    broke = grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, nothing, nothing, "Internal error from Core")
    assert isinstance(sdk_errors.from_call(broke), Unavailable)
    status = status_of(ZeroDivisionError(), "test")
    told = grpc.aio.Metadata((sdk_errors.DETAILS_KEY, status.SerializeToString()))
    bug = grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, nothing, told, "a bug")
    assert not isinstance(sdk_errors.from_call(bug), Unavailable)


async def test_nobody_there_is_unavailable() -> None:
    async with Client("127.0.0.1:1", timeout_s=0.3) as client:
        with pytest.raises(Unavailable) as caught:
            await client.sign_in_guest("Ann")
        assert caught.value.code in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


def test_a_legal_command_is_filled_in() -> None:
    legal = match_pb2.LegalCommand()
    legal.prototype.Pack(tempel.Command(make_claim=tempel.MakeClaim()))
    legal.parameters.add(path="make_claim.gold", optional=True).range.maximum = 3
    claim = unpack(fill(legal, {"make_claim.gold": 2})).make_claim
    assert claim.gold == 2
    with pytest.raises(KeyError):
        fill(legal, {"make_claim.silver": 2})
    with pytest.raises(LookupError):
        unpack(COMMAND)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"number": 3}, {"number": 3}),
        ({"colour": "COLOUR_BLUE"}, {"colour": 2}),
        ({"slots": ["30", "10"]}, {"slots": [30, 10]}),
        ({"slots": "20"}, {"slots": [20]}),
        ({"goods": {"wood": 2, "iron": 1}}, {"goods": [{"id": "wood", "count": 2}, {"id": "iron", "count": 1}]}),
    ],
)
def test_a_parameter_of_every_domain_is_filled_in(
    value: dict[str, object], written: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "unpack", lambda _: Command())
    legal = match_pb2.LegalCommand()
    for name in value:
        legal.parameters.add(path=f"gift.{name}")
    packed = fill(legal, {f"gift.{name}": one for name, one in value.items()})
    assert Command.FromString(packed.value) == Command(gift=written)
