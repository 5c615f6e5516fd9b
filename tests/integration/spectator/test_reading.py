"""Where matches come from: the log from the last checkpoint, the archive, and the log where the archive ends."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.spectator.v1 import spectator_pb2_grpc
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Service, Settings
from ludolog.hosting.names import new_id
from ludolog.rulebooks import catalogue
from ludolog.sessions.hints import watchers_group
from ludolog.sessions.memory import MemoryCache
from services.replay import service as replay
from services.spectator.feed import Place
from tests.infra.asking import refused_for
from tests.integration.replay.calls import all_archived, until
from tests.integration.replay.conftest import PARTITIONS, RULEBOOK, TOPIC
from tests.integration.replay.scribe import Scribe
from tests.integration.spectator.watchers import Watcher, live_bytes, start


async def live(platform: Platform, page_size: int = 0, token: str = "") -> play_pb2.ListLiveMatchesResponse:
    stub = spectator_pb2_grpc.SpectatorServiceStub(platform.channel("spectator", "gateway", on_behalf=True))
    request = play_pb2.ListLiveMatchesRequest(page_size=page_size, page_token=token)
    answer: play_pb2.ListLiveMatchesResponse = await stub.ListLiveMatches(request)
    return answer


async def test_a_restart_reads_on_from_its_checkpoint(settings: Settings, log: SqliteLog, scribe: Scribe) -> None:
    finished, on = await scribe.found(), await scribe.found()
    await scribe.play(finished)
    await scribe.play(on, 2)
    cache = MemoryCache()
    first = await Platform.create(settings, log=_unclosed(log), cache=cache)
    await start(first)
    await all_archived(first, finished, on)
    await first.close(0)
    ends = [await log.end_offset(TOPIC, partition) for partition in range(PARTITIONS)]
    reads: list[tuple[int, int]] = []
    second = await Platform.create(settings, log=_recording(log, reads), cache=cache)
    hub = await start(second)
    await scribe.play(on, 1)
    assert reads
    assert all(offset >= ends[partition] - 1 for partition, offset in reads), "no further back than the bookmark"
    assert {match.name for match in (await live(second)).matches} == {f"matches/{on.match_id}"}
    watcher = Watcher(second, finished)
    await watcher.watch()
    assert watcher.seen == list(enumerate(live_bytes(finished, scribe.rulebook, watcher.viewer), 1))
    assert hub.feeds[Place(TOPIC, on.partition)].index.get(on.match_id) is not None
    await second.close(0)


async def test_a_flushed_cache_costs_time_and_nothing_else(settings: Settings, log: SqliteLog, scribe: Scribe) -> None:
    match = await scribe.found()
    await scribe.play(match, 2)
    for _ in range(2):
        async with await Platform.create(settings, log=_unclosed(log)) as platform:
            await start(platform)
            assert [shown.sequence for shown in (await live(platform)).matches] == [3]


async def test_without_an_archive_live_matches_are_read_from_the_log(platform: Platform, scribe: Scribe) -> None:
    finished, on = await scribe.found(), await scribe.found()
    await scribe.play(finished)
    await scribe.void(on)
    await scribe.play(on, 3)
    await start(platform, archive=False)
    watcher = Watcher(platform, on)
    await watcher.watch(most=4)
    assert watcher.seen == list(enumerate(live_bytes(on, scribe.rulebook, watcher.viewer), 1))
    assert (await refused_for(Watcher(platform, finished).call(1)))[0] is grpc.StatusCode.UNAVAILABLE
    await platform.add(Service("replay", replay.bind))
    late = Watcher(platform, finished)
    await late.watch()
    assert late.seen == list(enumerate(live_bytes(finished, scribe.rulebook, late.viewer), 1))


async def test_an_archive_of_another_log_is_not_believed(tmp_path: Path, settings: Settings, scribe: Scribe) -> None:
    match = await scribe.found(match_id="tempel-" + "b" * 26)
    await scribe.play(match, 3)
    async with await Platform.create(settings, log=_unclosed(scribe.log)) as first:
        await first.add(Service("replay", replay.bind))
        await all_archived(first, match)
    other = SqliteLog(tmp_path / "other")
    await other.ensure_topic(TOPIC, PARTITIONS)
    appender = await other.appender()
    again = Scribe(other, appender, TOPIC, catalogue.load(RULEBOOK), PARTITIONS, seed=9)
    same_id = await again.found(4, match_id=match.match_id)
    await again.play(same_id, 2)
    async with await Platform.create(settings, log=other) as second:
        await start(second)
        watcher = Watcher(second, same_id)
        await watcher.watch(most=3)
        assert watcher.seen == list(enumerate(live_bytes(same_id, scribe.rulebook, watcher.viewer), 1))
        await appender.close()


async def test_a_corrupt_match_ends_its_streams_and_no_other(platform: Platform, scribe: Scribe) -> None:
    match, other = await scribe.found(), await scribe.found()
    await start(platform)
    call = Watcher(platform, match).call(1)
    updates = aiter(call)
    await anext(updates)
    await scribe.corrupt(match)
    with pytest.raises(grpc.aio.AioRpcError):
        await anext(updates)
    assert (await refused_for(Watcher(platform, match).call(0)))[0] is grpc.StatusCode.DATA_LOSS
    watcher = Watcher(platform, other)
    await scribe.play(other)
    await watcher.watch()
    assert watcher.over
    value = platform.metrics.registry.get_sample_value
    assert value("ludolog_spectator_corrupt_matches_total", {"topic": TOPIC}) == 1
    assert {shown.name for shown in (await live(platform)).matches} == set()


async def test_a_record_of_a_later_version_stops_its_partition(
    platform: Platform, log: SqliteLog, scribe: Scribe
) -> None:
    match = await scribe.found()
    await start(platform)
    record = log_pb2.Record(format_version=99, commit=log_pb2.Commit(stream_id=match.match_id))
    appender = await log.appender()
    await appender.append(TOPIC, match.partition, match.match_id.encode(), record.SerializeToString())
    await appender.close()
    await until(lambda: not platform.health.serving)
    assert (await refused_for(Watcher(platform, match).call(0)))[0] is grpc.StatusCode.UNAVAILABLE


async def test_the_list_has_public_matches_the_most_recently_active_first(platform: Platform, scribe: Scribe) -> None:
    matches = [await scribe.found() for _ in range(7)]
    await scribe.found(policy=log_pb2.SPECTATOR_POLICY_SEATS)
    await scribe.play(matches[0], 1)
    await scribe.play(matches[1])
    await start(platform)
    order = [matches[0], *reversed(matches[2:])]
    shown: list[play_pb2.Match] = []
    token = ""
    while True:
        page = await live(platform, 3, token)
        shown += page.matches
        if len(shown) == 3:
            await scribe.found()  # what comes in later doesn't move a page
        if not (token := page.next_page_token):
            break
    assert [match.name for match in shown] == [f"matches/{match.match_id}" for match in order]
    for match, written in zip(shown, order, strict=True):
        assert match.sequence == len(written.records)
        expected = {decision.seat for decision in scribe.rulebook.awaiting(written.match.game)}
        assert {decision.seat for decision in match.awaiting} == expected
        assert [seat.player for seat in match.seats] == [f"players/{player}" for player in written.players]


async def test_watchers_are_counted(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await start(platform)
    for watcher in ("gateway-1/1", "gateway-1/2", new_id("p")):
        await platform.cache.touch(watchers_group(match.match_id), watcher, 60_000)
    assert [shown.watchers for shown in (await live(platform)).matches] == [3]


class _Shared:
    """A log that a platform doesn't close, and that says where it was read."""

    def __init__(self, log: SqliteLog, reads: list[tuple[int, int]]) -> None:
        self._log, self._reads = log, reads

    def __getattr__(self, name: str) -> object:
        return getattr(self._log, name)

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> object:
        self._reads.append((partition, offset))
        return await self._log.read(topic, partition, offset, limit)

    async def reader(self, topic: str, partition: int, offset: int) -> object:
        if topic == TOPIC:
            self._reads.append((partition, offset))
        return await self._log.reader(topic, partition, offset)

    async def close(self) -> None:
        return


def _unclosed(log: object) -> SqliteLog:
    return _Shared(log, [])  # type: ignore[return-value, arg-type]


def _recording(log: SqliteLog, reads: list[tuple[int, int]]) -> SqliteLog:
    return _Shared(log, reads)  # type: ignore[return-value]
