"""What the archive answers, and to whom."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from ludolog.api.gateway.v1 import play_pb2, replays_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.hosting import Platform, Service
from ludolog.hosting.names import new_id
from ludolog.kernel import OMNISCIENT, SPECTATOR, Seat, Seated, Viewer
from ludolog.record.commits import parse_record
from ludolog.record.file import read_record
from ludolog.record.story import Story
from ludolog.record.verify import verify
from ludolog.sessions.hints import Deadlines, deadlines_key
from services.replay.service import bind
from tests.infra.asking import refused_for
from tests.integration.replay.calls import all_archived, as_player, stub_of, until
from tests.integration.replay.scribe import Scribe, Written

REPLAY = Service("replay", bind)


@pytest.fixture(params=["sqlite"])
def database(request: pytest.FixtureRequest, tmp_path: Any) -> str:
    """What the RPCs answer doesn't depend on the database, but for the lists."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'archive.sqlite3'}"
    url: str = request.getfixturevalue("postgres").create_database()
    return url


both_databases = pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)


def perspective(viewer: Viewer) -> replays_pb2.Perspective:
    match viewer:
        case Seated(seat):
            return replays_pb2.Perspective(seat=seat)
        case _:
            return replays_pb2.Perspective(spectator=viewer == SPECTATOR, omniscient=viewer == OMNISCIENT)


def told_live(written: Written, rulebook: Any, viewer: Viewer) -> list[bytes]:
    story = Story(rulebook)
    told = []
    for record in written.records:
        story.extend(record, parse_record(record).commit)
        told.append(story.update(story.head.sequence, viewer).SerializeToString())
    return told


async def test_frames_are_what_each_audience_was_sent_live(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found(4)
    await scribe.play(match, talk=0.3)
    await platform.add(REPLAY)
    await all_archived(platform, match)
    name, stub = f"replays/{match.match_id}", stub_of(platform)
    viewers: list[Viewer] = [SPECTATOR, OMNISCIENT, *(Seated(Seat(seat)) for seat in range(1, 5))]
    for viewer in viewers:
        live = told_live(match, scribe.rulebook, viewer)
        request = replays_pb2.StreamFramesRequest(name=name, perspective=perspective(viewer))
        assert [frame.SerializeToString() async for frame in stub.StreamFrames(request)] == live
        frame = await stub.GetFrame(replays_pb2.GetFrameRequest(name=name, perspective=perspective(viewer), sequence=3))
        assert frame.SerializeToString() == live[2]
        last = await stub.GetFrame(replays_pb2.GetFrameRequest(name=name, perspective=perspective(viewer)))
        assert last.SerializeToString() == live[-1]


async def test_before_the_end_a_seat_is_its_owners_and_nobody_is_omniscient(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await scribe.play(match, 2)
    await platform.add(REPLAY)
    await all_archived(platform, match)
    name, stub = f"replays/{match.match_id}", stub_of(platform)
    mine = replays_pb2.GetFrameRequest(name=name, perspective=perspective(Seated(Seat(1))))
    one, two = (as_player(platform, player) for player in match.players[:2])
    frame = await stub.GetFrame(mine, metadata=one)
    assert frame.SerializeToString() == told_live(match, scribe.rulebook, Seated(Seat(1)))[-1]
    assert (await refused_for(stub.GetFrame(mine, metadata=two)))[0] is grpc.StatusCode.PERMISSION_DENIED
    assert (await refused_for(stub.GetFrame(mine)))[0] is grpc.StatusCode.UNAUTHENTICATED
    everything = replays_pb2.GetFrameRequest(name=name, perspective=perspective(OMNISCIENT))
    assert await refused_for(stub.GetFrame(everything, metadata=one)) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "MATCH_NOT_OVER",
    )
    nobody = replays_pb2.GetFrameRequest(name=name, perspective=replays_pb2.Perspective(seat=9))
    assert (await refused_for(stub.GetFrame(nobody)))[0] is grpc.StatusCode.INVALID_ARGUMENT
    beyond = replays_pb2.GetFrameRequest(name=name, sequence=len(match.records) + 1)
    assert (await refused_for(stub.GetFrame(beyond)))[0] is grpc.StatusCode.OUT_OF_RANGE
    unknown = replays_pb2.GetFrameRequest(name=f"replays/{new_id('tempel')}")
    assert (await refused_for(stub.GetFrame(unknown)))[0] is grpc.StatusCode.NOT_FOUND


async def test_who_has_to_remember_is_shown_nothing_again_before_the_end(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found(memory_mode=True)
    await scribe.play(match, 2)
    await platform.add(REPLAY)
    await all_archived(platform, match)
    stub, metadata = stub_of(platform), as_player(platform, match.players[0])
    name, mine = f"replays/{match.match_id}", perspective(Seated(Seat(1)))
    for call in (
        stub.GetFrame(replays_pb2.GetFrameRequest(name=name, sequence=1, perspective=mine), metadata=metadata),
        stub.StreamFrames(replays_pb2.StreamFramesRequest(name=name, perspective=mine), metadata=metadata),
    ):
        assert await refused_for(call) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_RECALL")
    await scribe.play(match)
    await all_archived(platform, match)
    request = replays_pb2.StreamFramesRequest(name=name, perspective=mine)
    frames = [frame.SerializeToString() async for frame in stub.StreamFrames(request, metadata=metadata)]
    assert frames == told_live(match, scribe.rulebook, Seated(Seat(1)))


@both_databases
async def test_my_matches_begin_with_those_that_wait_for_me(platform: Platform, scribe: Scribe) -> None:
    me = new_id("p")
    mine = [await scribe.found(players=[me, new_id("p"), new_id("p")], starting_player=1) for _ in range(8)]
    others = await scribe.found()
    for number, match in enumerate(mine):
        await scribe.play(match, 1000 if number == 3 else number % 3)
    await platform.add(REPLAY)
    await all_archived(platform, *mine, others)
    stub, metadata = stub_of(platform), as_player(platform, me)
    pages, token = [], ""
    while True:
        request = play_pb2.ListMyMatchesRequest(page_size=3, page_token=token)
        answer = await stub.ListMyMatches(request, metadata=metadata)
        pages += answer.matches
        if len(pages) == 3:  # what comes in later doesn't move a page
            late = await scribe.found(players=[me, new_id("p"), new_id("p")])
            await all_archived(platform, late)
        if not (token := answer.next_page_token):
            break
    assert len({match.name for match in pages} & {f"matches/{match.match_id}" for match in mine}) == 8
    assert len(pages) == len({match.name for match in pages})
    turns = [bool(match.my_turn_seats) for match in pages]
    assert turns == sorted(turns, reverse=True)
    assert any(turns)
    for turn in (True, False):
        times = [match.update_time.ToMilliseconds() for match in pages if bool(match.my_turn_seats) is turn]
        assert times == sorted(times, reverse=True)
    for match in pages:
        assert [decision.seat for decision in match.awaiting if decision.seat == 1] == list(match.my_turn_seats)
    live = await stub.ListMyMatches(play_pb2.ListMyMatchesRequest(live_only=True), metadata=metadata)
    assert len(live.matches) == 8
    assert not any(match.HasField("outcome") for match in live.matches)
    assert (await refused_for(stub.ListMyMatches(play_pb2.ListMyMatchesRequest())))[
        0
    ] is grpc.StatusCode.UNAUTHENTICATED


@both_databases
async def test_replays_come_newest_first_and_private_ones_to_their_players(platform: Platform, scribe: Scribe) -> None:
    me = new_id("p")
    matches = [await scribe.found() for _ in range(4)]
    private = await scribe.found(players=[me, new_id("p"), new_id("p")], policy=log_pb2.SPECTATOR_POLICY_SEATS)
    live = await scribe.found()
    for match in (*matches, private):
        await scribe.play(match)
    await platform.add(REPLAY)
    await all_archived(platform, *matches, private, live)
    stub, metadata = stub_of(platform), as_player(platform, me)
    shown, token = [], ""
    while True:
        answer = await stub.ListReplays(replays_pb2.ListReplaysRequest(page_size=3, page_token=token))
        shown += answer.replays
        if not (token := answer.next_page_token):
            break
    assert [replay.name for replay in shown] == [f"replays/{match.match_id}" for match in reversed(matches)]
    assert shown[0].frame_count == len(matches[-1].records)
    assert shown[0].outcome == matches[-1].match.outcome
    request = replays_pb2.ListReplaysRequest(player="players/me", rulebook="rulebooks/tempel_des_schreckens")
    answer = await stub.ListReplays(request, metadata=metadata)
    assert [replay.name for replay in answer.replays] == [f"replays/{private.match_id}"]
    get = replays_pb2.GetReplayRequest(name=f"replays/{private.match_id}")
    assert (await stub.GetReplay(get, metadata=metadata)).outcome == private.match.outcome
    assert (await refused_for(stub.GetReplay(get)))[0] is grpc.StatusCode.UNAUTHENTICATED
    still_on = replays_pb2.GetReplayRequest(name=f"replays/{live.match_id}")
    assert await refused_for(stub.GetReplay(still_on)) == (grpc.StatusCode.NOT_FOUND, "NOT_ARCHIVED")
    for bad in ("nonsense", "!", "W10"):
        listing = replays_pb2.ListReplaysRequest(page_token=bad)
        assert (await refused_for(stub.ListReplays(listing)))[0] is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_match_says_whose_turn_it_is(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found(starting_player=2)
    private = await scribe.found(policy=log_pb2.SPECTATOR_POLICY_SEATS)
    await platform.add(REPLAY)
    await all_archived(platform, match, private)
    stub = stub_of(platform)
    shown = await stub.GetMatch(play_pb2.GetMatchRequest(name=f"matches/{match.match_id}"))
    assert [decision.seat for decision in shown.awaiting] == [2]
    assert [seat.player for seat in shown.seats] == [f"players/{player}" for player in match.players]
    assert shown.spectators_allowed
    request = play_pb2.GetMatchRequest(name=f"matches/{private.match_id}")
    assert (await refused_for(stub.GetMatch(request)))[0] is grpc.StatusCode.UNAUTHENTICATED
    stranger = as_player(platform, new_id("p"))
    assert (await refused_for(stub.GetMatch(request, metadata=stranger)))[0] is grpc.StatusCode.PERMISSION_DENIED
    assert (await stub.GetMatch(request, metadata=as_player(platform, private.players[1]))).sequence == 1


async def test_an_exported_record_holds_and_verifies_on_the_server(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found(5)
    await scribe.play(match, talk=0.3)
    await platform.add(REPLAY)
    await all_archived(platform, match)
    stub, name = stub_of(platform), f"replays/{match.match_id}"
    export, check = replays_pb2.ExportReplayRequest(name=name), replays_pb2.VerifyReplayRequest(name=name)
    for call in (stub.ExportReplay(export), stub.VerifyReplay(check)):
        assert await refused_for(call) == (grpc.StatusCode.FAILED_PRECONDITION, "SEED_NOT_REVEALED")
    await scribe.reveal(match)
    await scribe.reveal(match)

    async def verifiable() -> bool:
        return bool((await stub.GetReplay(replays_pb2.GetReplayRequest(name=name))).verifiable)

    await until(verifiable)
    file = b"".join([part.chunk async for part in stub.ExportReplay(export)])
    assert read_record(file).records == tuple(match.records)
    report = verify(file, public_keys=[platform.keys.signer.public_key().public_bytes_raw()])
    assert report.holds, report
    answer = await stub.VerifyReplay(check)
    assert answer.holds
    assert [(one.name, one.holds) for one in answer.checks] == [(one.name, True) for one in report.checks]


async def test_a_match_that_was_called_off(platform: Platform, scribe: Scribe) -> None:
    founded, unfounded = await scribe.found(), scribe.unfounded()
    await scribe.abort(founded)
    await scribe.abort(unfounded)
    await platform.add(REPLAY)
    await all_archived(platform, founded, unfounded)
    stub = stub_of(platform)
    replay = await stub.GetReplay(replays_pb2.GetReplayRequest(name=f"replays/{founded.match_id}"))
    assert replay.outcome.reason == "ABORTED"
    last = await stub.GetFrame(replays_pb2.GetFrameRequest(name=f"replays/{founded.match_id}"))
    assert last.outcome.reason == "ABORTED"
    never = replays_pb2.GetReplayRequest(name=f"replays/{unfounded.match_id}")
    assert await refused_for(stub.GetReplay(never)) == (grpc.StatusCode.NOT_FOUND, "NOT_ARCHIVED")
    shown = await stub.GetMatch(play_pb2.GetMatchRequest(name=f"matches/{unfounded.match_id}"))
    assert shown.outcome.reason == "ABORTED"
    listed = await stub.ListReplays(replays_pb2.ListReplaysRequest())
    assert [replay.name for replay in listed.replays] == [f"replays/{founded.match_id}"]


async def test_decisions_come_with_the_deadlines_that_the_engine_told(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found(starting_player=1)
    await platform.add(REPLAY)
    await all_archived(platform, match)
    request = play_pb2.GetMatchRequest(name=f"matches/{match.match_id}")
    decision = (await stub_of(platform).GetMatch(request)).awaiting[0]
    assert not decision.HasField("deadline")
    for sequence, dated in ((1, True), (2, False)):
        told_now = Deadlines(sequence, {decision.decision_id: 1_750_000_099_000})
        await platform.cache.put(deadlines_key(match.match_id), told_now.dump(), 60_000)
        assert (await stub_of(platform).GetMatch(request)).awaiting[0].HasField("deadline") is dated
