"""Who may ask what, and what is refused how: nothing of it changes the match."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage

from ludolog.api.engine.v1 import engine_pb2
from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.rng.v1 import rng_pb2, rng_pb2_grpc
from ludolog.hosting import names
from ludolog.hosting.errors import told
from services.engine.causes import LARGEST_COMMAND
from services.rng.keys import own_keys
from tests.infra.asking import refused
from tests.integration.engine.house import RULEBOOK, Table, running, stub

DENIED, INVALID = grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT
Change = Callable[[play_pb2.SubmitCommandRequest], object]


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    """A founded match."""
    async with running(tmp_path) as platform:
        table = Table(platform)
        await table.found()
        yield table


async def test_another_seat_is_nobody_elses_business(table: Table) -> None:
    seat, request = await table.some_move("c1")
    other = seat % 3 + 1
    stranger = table.signed_as("p-" + "z" * 26)
    for metadata in (table.signed(other), stranger):
        denied = await refused(table.owner.SubmitCommand(request, metadata=metadata))
        assert (denied.code, denied.reason) == (DENIED, "NOT_YOUR_SEAT")
        view = table.owner.GetView(play_pb2.GetViewRequest(name=table.at(seat)), metadata=metadata)
        assert (await refused(view)).code is DENIED
        legal = table.owner.ListLegalCommands(play_pb2.ListLegalCommandsRequest(name=table.at(seat)), metadata=metadata)
        assert (await refused(legal)).code is DENIED
    assert (await refused(table.owner.SubmitCommand(request))).code is grpc.StatusCode.UNAUTHENTICATED
    assert (await refused(stub(table.platform, "bots").SubmitCommand(request))).code is DENIED
    assert len(await table.commits()) == 1


async def test_only_services_found_abort_and_share_streams(table: Table) -> None:
    name = names.match_name(table.match_id)
    signed = table.signed(1)
    create = engine_pb2.CreateMatchRequest(name=name, founding=table.founding)
    assert (await refused(table.owner.CreateMatch(create, metadata=signed))).code is DENIED
    assert (
        await refused(table.owner.AbortMatch(engine_pb2.AbortMatchRequest(name=name), metadata=signed))
    ).code is DENIED
    call = table.owner.SubmitCommands(metadata=signed)
    try:
        assert (await refused(call.read())).code is DENIED
    finally:
        call.cancel()


async def test_a_match_or_seat_that_isnt_there_isnt_found(table: Table) -> None:
    _, request = await table.some_move("c1")
    for name in (table.at(4), names.match_name(names.new_id("tempel"), 1)):
        request.name = name
        missing = await refused(table.submit(1, request))
        assert (missing.code, missing.reason) == (grpc.StatusCode.NOT_FOUND, "NO_SUCH_SEAT")


def command_of_another_type(request: play_pb2.SubmitCommandRequest) -> None:
    request.command.Pack(play_pb2.Receipt())


def much(request: play_pb2.SubmitCommandRequest) -> None:
    request.command.value = b"x" * (LARGEST_COMMAND + 1)


def garbage(request: play_pb2.SubmitCommandRequest) -> None:
    request.command.value = b"\xff\xff"


def unknown_field_in_the_command(request: play_pb2.SubmitCommandRequest) -> None:
    request.command.value = request.command.value + b"\xfa\x3f\x01x"


def unknown_field(request: play_pb2.SubmitCommandRequest) -> None:
    request.MergeFromString(b"\xfa\x3f\x01x")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (command_of_another_type, "command"),
        (much, "command"),
        (garbage, "command"),
        (unknown_field_in_the_command, "command"),
        (unknown_field, "request"),
        (lambda request: request.ClearField("command"), "command"),
        (lambda request: request.command.Clear(), "command"),
        (lambda request: setattr(request, "command_id", ""), "command_id"),
        (lambda request: setattr(request, "command_id", "x" * 65), "command_id"),
        (lambda request: setattr(request, "command_id", "with space"), "command_id"),
        (lambda request: setattr(request, "decision_id", "x" * 129), "decision_id"),
        (lambda request: setattr(request, "name", "matches/none"), "name"),
        (lambda request: setattr(request, "name", request.name.partition("/seats")[0]), "name"),
    ],
)
async def test_what_cant_be_a_command_is_bad_input_that_names_the_field(
    table: Table, change: Change, field: str
) -> None:
    seat, request = await table.some_move("c1")
    change(request)
    bad = await refused(table.submit(seat, request))
    assert (bad.code, (bad.metadata or {}).get("field")) == (INVALID, field)
    assert len(await table.commits()) == 1


async def test_a_refusal_names_rule_and_section_and_changes_nothing(table: Table) -> None:
    seat, request = await table.some_move("c1")
    request.decision_id = "none"
    stale = await refused(table.submit(seat, request))
    assert (stale.code, stale.reason, stale.domain) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "STALE_DECISION",
        RULEBOOK,
    )
    assert len(await table.commits()) == 1
    request.decision_id = ""
    assert (await table.submit(seat, request)).sequence == 2


async def test_an_answer_is_never_older_than_asked_for(table: Table) -> None:
    await table.move("c1")
    assert (await table.view(1, 2)).sequence == 2
    assert (await refused(table.view(1, 3))).code is grpc.StatusCode.OUT_OF_RANGE
    assert (await refused(table.view(1, -1))).code is INVALID


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("commitment", b"short"),
        ("key_id", ""),
        ("rulebook", "another"),
        ("options", b"\xff"),
        ("options", b"\xfa\x3f\x01x"),
    ],
)
async def test_a_founding_that_cant_be_is_refused_for_good(table: Table, field: str, value: object) -> None:
    other = Table(table.platform)
    other.founding.CopyFrom(table.founding)
    setattr(other.founding, field, value)
    bad = await refused(other.create())
    assert bad.code is INVALID
    assert (bad.metadata or {})["field"].startswith(f"founding.{field}")
    assert await other.commits() == []


async def test_a_number_of_seats_that_the_book_doesnt_allow_is_refused(table: Table) -> None:
    other = Table(table.platform)
    other.founding.CopyFrom(table.founding)
    del other.founding.seats[2:]
    wrong = await refused(other.create())
    assert (wrong.code, wrong.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "WRONG_PLAYER_COUNT")
    other.founding.seats.add(seat=4, player_id="p", entropy=b"e" * 16)
    assert (await refused(other.create())).code is INVALID
    other.founding.seats[2].seat = 3
    other.founding.decision_time.seconds = 31 * 24 * 3600
    assert (await refused(other.create())).code is INVALID
    other.founding.decision_time.seconds = 60
    assert (await other.create()).sequence == 1


async def test_many_callers_share_a_stream_and_get_what_a_single_call_would_give(table: Table) -> None:
    seat, request = await table.some_move("c1")
    player = table.players[seat - 1]
    stale = play_pb2.SubmitCommandRequest()
    stale.CopyFrom(request)
    stale.command_id, stale.decision_id = "c2", "none"
    sent = [
        engine_pb2.SubmitCommandsRequest(correlation_id=1, player_id=player, submit=request),
        engine_pb2.SubmitCommandsRequest(correlation_id=2, player_id="p-" + "z" * 26, submit=request),
        engine_pb2.SubmitCommandsRequest(correlation_id=3, submit=request),
        engine_pb2.SubmitCommandsRequest(correlation_id=4, player_id=player, submit=stale),
        engine_pb2.SubmitCommandsRequest(correlation_id=5, player_id=player, submit=request),
    ]
    call = stub(table.platform, "gateway").SubmitCommands(iter(sent))
    try:
        answers = {answer.correlation_id: answer async for answer in call}
    finally:
        call.cancel()
    assert sorted(answers) == [1, 2, 3, 4, 5]
    assert answers[1].receipt == answers[5].receipt == await table.submit(seat, request)
    assert told(answers[2].status).reason == "NOT_YOUR_SEAT"
    assert told(answers[3].status).code is INVALID
    single = await refused(table.submit(seat, stale))
    assert told(answers[4].status) == single
    assert single.reason == "STALE_DECISION"


async def test_blocks_are_for_engines_and_promises_for_services(table: Table, tmp_path: Path) -> None:
    asked = rng_pb2.GetBlockRequest(
        name=names.match_name(table.match_id), key_id=table.receipt.key_id, index=1, entropy_digest=b"d" * 32
    )
    for sender, code in (("", grpc.StatusCode.UNAUTHENTICATED), ("gateway", DENIED), ("bots", DENIED), ("rng", DENIED)):
        rng = rng_pb2_grpc.RngServiceStub(table.platform.channel("rng", sender))
        assert (await refused(rng.GetBlock(asked))).code is code
    engine = rng_pb2_grpc.RngServiceStub(table.platform.channel("rng", "engine"))
    block = (await engine.GetBlock(asked)).block
    assert len(block) == 32
    assert (await engine.GetBlock(asked)).block == block
    matchmaking = rng_pb2_grpc.RngServiceStub(table.platform.channel("rng", "matchmaking"))
    promise = await matchmaking.CommitSeed(rng_pb2.CommitSeedRequest(name=names.match_name(table.match_id)))
    assert promise == table.receipt
    assert promise.key_id == own_keys(tmp_path).current
    anonymous = rng_pb2_grpc.RngServiceStub(table.platform.channel("rng"))
    commit = rng_pb2.CommitSeedRequest(name=names.match_name(table.match_id))
    assert (await refused(anonymous.CommitSeed(commit))).code is grpc.StatusCode.UNAUTHENTICATED
    assert (await refused(engine.CommitSeed(commit))).code is DENIED
    for change, code in (
        ({"index": 0}, INVALID),
        ({"entropy_digest": b""}, INVALID),
        ({"name": "matches/x"}, INVALID),
        ({"key_id": "lost"}, grpc.StatusCode.NOT_FOUND),
    ):
        bad = rng_pb2.GetBlockRequest()
        bad.CopyFrom(asked)
        for field, value in change.items():
            setattr(bad, field, value)
        assert (await refused(engine.GetBlock(bad))).code is code


async def test_an_any_without_a_type_isnt_a_command(table: Table) -> None:
    seat, request = await table.some_move("c1")
    request.command.CopyFrom(AnyMessage(value=request.command.value))
    assert (await refused(table.submit(seat, request))).code is INVALID
