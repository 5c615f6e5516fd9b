"""Streams show each number once, with the bytes of their audience, from wherever they begin."""

from __future__ import annotations

import asyncio
import random

import grpc
import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.hosting import Platform, TooMuch
from ludolog.hosting.names import new_id
from ludolog.kernel import SPECTATOR
from ludolog.record.commits import parse_record
from ludolog.record.story import Story
from ludolog.sessions.hints import Deadlines, deadlines_key, partitions_hint, wake_channel
from services.spectator import tracks
from services.spectator.watching import Stream
from tests.infra.asking import refused_for
from tests.integration.replay.calls import until
from tests.integration.replay.conftest import TOPIC
from tests.integration.replay.scribe import Scribe, Written
from tests.integration.spectator.watchers import Watcher, live_bytes, start


async def leave_and_come_back(watcher: Watcher, chance: random.Random) -> None:
    while not watcher.over:
        await watcher.watch(most=chance.randint(1, 12))


@pytest.mark.parametrize("seed", range(4))
async def test_whoever_comes_and_goes_sees_each_number_once_with_its_bytes(
    platform: Platform, scribe: Scribe, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(tracks, "RING", chance.choice([3, 8, 1000]))
    early, late = await scribe.found(3), await scribe.found(5)
    await scribe.play(early, 4, talk=0.5)
    await start(platform, most_steps=chance.choice([8, 50_000]))
    watchers = [Watcher(platform, match, seat) for match in (early, late) for seat in (None, None, 1, 2, 3)]
    tasks = [asyncio.create_task(leave_and_come_back(watcher, chance)) for watcher in watchers]
    for match in (early, late, early, late):
        for _ in range(chance.randint(2, 6)):
            if not match.over and chance.random() < 0.3:
                await scribe.void(match)
            await scribe.play(match, 1, talk=0.5)
            await asyncio.sleep(0)
    for match in (early, late):
        await scribe.play(match)
    await asyncio.wait_for(asyncio.gather(*tasks), 30)
    for watcher in watchers:
        expected = live_bytes(watcher.written, scribe.rulebook, watcher.viewer)
        assert watcher.seen == list(enumerate(expected, 1)), f"seed {seed}, seat {watcher.seat}"
        assert not watcher.snapshots


async def test_a_late_watcher_begins_with_a_snapshot_of_now(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await scribe.play(match, 3)
    await start(platform)
    watcher = Watcher(platform, match)
    await watcher.watch(most=1, from_sequence=0)
    story = _story(match, scribe)
    assert watcher.snapshots == [story.update(4, SPECTATOR, snapshot=True)]
    assert not watcher.snapshots[0].events
    await scribe.play(match)
    await watcher.watch()
    assert watcher.seen == list(enumerate(live_bytes(match, scribe.rulebook, SPECTATOR), 1))[4:]
    finished = Watcher(platform, match)
    await finished.watch(from_sequence=0)
    assert [update.outcome for update in finished.snapshots] == [match.match.outcome]
    assert finished.over
    beyond = Watcher(platform, match, following=len(match.records) + 1)
    await beyond.watch()
    assert (beyond.over, beyond.seen, beyond.snapshots) == (True, [], [])


async def test_after_a_snapshot_the_stream_goes_on_with_the_next_number(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await scribe.play(match, 3)
    await start(platform)
    watcher = Watcher(platform, match)
    watching = asyncio.create_task(watcher.watch(from_sequence=0))
    await until(lambda: bool(watcher.snapshots))
    await scribe.play(match)
    await watching
    assert [update.sequence for update in watcher.snapshots] == [4]
    assert watcher.seen == list(enumerate(live_bytes(match, scribe.rulebook, SPECTATOR), 1))[4:]


async def test_a_number_beyond_the_next_and_a_match_that_isnt_there(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await start(platform)
    assert (await refused_for(Watcher(platform, match).call(3)))[0] is grpc.StatusCode.OUT_OF_RANGE
    assert (await refused_for(Watcher(platform, match).call(-1)))[0] is grpc.StatusCode.INVALID_ARGUMENT
    unknown = scribe.unfounded()
    assert (await refused_for(Watcher(platform, unknown).call(0)))[0] is grpc.StatusCode.NOT_FOUND
    assert (await refused_for(Watcher(platform, unknown).call(7)))[0] is grpc.StatusCode.NOT_FOUND


async def test_a_seat_is_its_players_and_private_matches_are_for_those_who_play(
    platform: Platform, scribe: Scribe
) -> None:
    match = await scribe.found()
    private = await scribe.found(policy=log_pb2.SPECTATOR_POLICY_SEATS)
    await start(platform)
    stranger = new_id("p")
    seat, spectators = Watcher(platform, match, 1), Watcher(platform, private)
    assert (await refused_for(seat.call(0, match.players[1])))[0] is grpc.StatusCode.PERMISSION_DENIED
    assert (await refused_for(spectators.call(0, stranger)))[0] is grpc.StatusCode.PERMISSION_DENIED
    assert (await refused_for(spectators.call(0)))[0] is grpc.StatusCode.UNAUTHENTICATED
    nobody = Watcher(platform, match, 3)
    nobody.seat = 9
    assert (await refused_for(nobody.call(0, stranger)))[0] is grpc.StatusCode.NOT_FOUND
    call = spectators.call(0, private.players[2])
    assert (await anext(aiter(call))).snapshot
    call.cancel()


async def test_who_has_to_remember_gets_the_present_and_nothing_of_the_past(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found(memory_mode=True)
    await scribe.play(match, 3)
    await start(platform)
    seat = Watcher(platform, match, 1)
    await seat.watch(most=1, from_sequence=1)
    assert [update.sequence for update in seat.snapshots] == [4]
    assert not seat.seen
    await seat.watch(most=1, from_sequence=4)
    assert len(seat.snapshots) == 2
    await scribe.play(match)
    after = Watcher(platform, match, 1)
    await after.watch()
    assert after.seen == list(enumerate(live_bytes(match, scribe.rulebook, after.viewer), 1)), "after the end it may"


async def test_an_update_is_worked_out_once_however_many_watch(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    hub = await start(platform)
    watchers = [Watcher(platform, match) for _ in range(20)]
    tasks = [asyncio.create_task(watcher.watch()) for watcher in watchers]
    gauge = platform.metrics.registry.get_sample_value
    await until(lambda: gauge("ludolog_spectator_watchers") == 20)
    await scribe.play(match)
    await asyncio.gather(*tasks)
    assert all(watcher.seen == watchers[0].seen for watcher in watchers)
    assert hub.counts()["computed"] == len(match.records)
    assert gauge("ludolog_spectator_watchers") == 0


async def test_a_reader_that_falls_behind_loses_its_stream_and_is_told_where_to_go_on(
    platform: Platform, scribe: Scribe
) -> None:
    match = await scribe.found()
    hub = await start(platform)
    track = await hub.track(match.match_id)
    stream = Stream(hub, platform.cache, track, SPECTATOR, slow_after=4).updates(1)
    assert (await anext(stream)).sequence == 1
    waiting = asyncio.ensure_future(anext(stream))
    await scribe.play(match, 1)
    assert (await waiting).sequence == 2
    await scribe.play(match, 5)
    await until(lambda: track.story.head.sequence == 7)
    with pytest.raises(TooMuch) as slow:
        await anext(stream)
    assert slow.value.metadata == {"next_sequence": "3"}
    resumed = Stream(hub, platform.cache, track, SPECTATOR, slow_after=4).updates(3)
    assert [(await anext(resumed)).sequence for _ in range(5)] == [3, 4, 5, 6, 7]
    await resumed.aclose()


async def test_a_cancelled_stream_leaves_nothing_behind(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    hub = await start(platform)
    calls = [Watcher(platform, match).call(1) for _ in range(5)]
    for call in calls:
        await anext(aiter(call))
    track = await hub.track(match.match_id)
    assert track.watchers == 5
    for call in calls:
        call.cancel()
    await until(lambda: track.watchers == 0)
    assert platform.metrics.registry.get_sample_value("ludolog_spectator_watchers") == 0


async def test_present_decisions_come_with_the_engines_deadlines(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found(decision_s=60)
    await start(platform)
    watcher = Watcher(platform, match)
    call = watcher.call(1)
    updates = aiter(call)
    first = await anext(updates)
    assert not first.awaiting[0].HasField("deadline"), "the engine has said nothing"
    following = asyncio.ensure_future(anext(updates))
    await scribe.play(match, 1)
    decision = scribe.rulebook.awaiting(match.match.game)[0]
    told = Deadlines(2, {decision.decision_id: 1_750_000_123_000})
    await platform.cache.put(deadlines_key(match.match_id), told.dump(), 60_000)
    await platform.cache.wake(wake_channel(TOPIC), partitions_hint([match.partition]))
    assert (await following).awaiting[0].deadline.ToMilliseconds() == 1_750_000_123_000
    call.cancel()


async def test_a_match_that_was_called_off_ends_its_streams(platform: Platform, scribe: Scribe) -> None:
    founded, unfounded = await scribe.found(), scribe.unfounded()
    await start(platform)
    watcher = Watcher(platform, founded, 2)
    watching = asyncio.create_task(watcher.watch())
    await scribe.abort(founded)
    await scribe.abort(unfounded)
    await watching
    assert [sequence for sequence, _ in watcher.seen] == [1, 2]
    late = Watcher(platform, unfounded)
    await late.watch(from_sequence=0)
    assert late.snapshots[0].outcome.reason == "ABORTED"


def _story(written: Written, scribe: Scribe) -> Story:
    story = Story(scribe.rulebook)
    for record in written.records:
        story.extend(record, parse_record(record).commit)
    return story
