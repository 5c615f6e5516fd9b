"""The archive follows the log, whatever happens to either."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest
from msgspec.structs import replace
from sqlalchemy import text, update

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.replay.v1 import replay_pb2, replay_pb2_grpc
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Service, Settings
from ludolog.hosting.errors import told
from ludolog.record.commits import FORMAT_VERSION, parse_record
from ludolog.rulebooks import catalogue
from services.replay.consumer import look
from services.replay.database import connect, migrate
from services.replay.projection import Place
from services.replay.queries import Queries
from services.replay.service import bind
from services.replay.store import Fenced
from services.replay.tables import commits, matches, positions, seats
from tests.integration.replay.calls import all_archived, archived, archiver_of, as_player, follow_to_end, stub_of, until
from tests.integration.replay.conftest import PARTITIONS, RULEBOOK, TOPIC
from tests.integration.replay.scribe import Scribe, Written

REPLAY = Service("replay", bind)


async def test_what_counts_is_archived_as_stored(platform: Platform, scribe: Scribe) -> None:
    one, two = await scribe.found(), await scribe.found(5)
    await scribe.play(one, 5)
    await platform.add(REPLAY)
    await platform.health.wait_serving()
    await scribe.play(two, talk=0.3)
    await all_archived(platform, one, two)


async def test_void_commits_are_skipped_and_counted(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    void = [await scribe.void(match)]
    await scribe.play(match, 2)
    void.append(await scribe.void(match))
    await scribe.play(match, 2)
    await platform.add(REPLAY)
    await all_archived(platform, match)
    assert not set(void) & set(await archived(platform, match))
    value = platform.metrics.registry.get_sample_value
    assert value("ludolog_void_commits_total", {"projection": "replay", "topic": TOPIC}) == 2
    assert value("ludolog_replay_corrupt_matches_total", {"topic": TOPIC}) == 0


async def test_a_restart_goes_on_where_it_was(settings: Settings, log: SqliteLog, scribe: Scribe) -> None:
    engine = connect(settings.sql_url)
    await migrate(engine)
    match = await scribe.found()
    for _ in range(3):
        await scribe.play(match, 3)
        archiver, heard = archiver_of(engine, log, match.partition)
        await follow_to_end(archiver, log, engine, match.partition)
        assert sum(heard.records) <= 5, "what was archived before is read again"
    stretch = await Queries(engine).stretch(Place(TOPIC, match.partition), match.match_id, 1, 100)
    assert [commit.record for commit in stretch.commits] == match.records
    await engine.dispose()


async def test_two_consumers_of_one_partition_archive_each_commit_once(
    settings: Settings, log: SqliteLog, scribe: Scribe
) -> None:
    engines = [connect(settings.sql_url) for _ in range(2)]
    await migrate(engines[0])
    match = await scribe.found(5)
    archivers = [archiver_of(engine, log, match.partition)[0] for engine in engines]
    tasks = [asyncio.create_task(archiver.run()) for archiver in archivers]
    await scribe.play(match, talk=0.5)
    queries, place = Queries(engines[0]), Place(TOPIC, match.partition)
    end = await log.end_offset(TOPIC, match.partition)

    async def reached() -> bool:
        return await queries.position(place) == end

    await until(reached)
    stretch = await queries.stretch(place, match.match_id, 1, 1000)
    assert [commit.record for commit in stretch.commits] == match.records
    assert not any(task.done() for task in tasks)
    for archiver in archivers:
        archiver.stop()
    await asyncio.gather(*tasks)
    for engine in engines:
        await engine.dispose()


async def test_a_former_consumer_changes_nothing(settings: Settings, log: SqliteLog, scribe: Scribe) -> None:
    engine = connect(settings.sql_url)
    await migrate(engine)
    match = await scribe.found()
    await scribe.play(match, 2)
    place = Place(TOPIC, match.partition)
    late = await log.read(TOPIC, match.partition, 0, 100)
    former, _ = archiver_of(engine, log, match.partition)
    fence = await former._begin()  # noqa: SLF001 - held while another one goes on
    archiver, _ = archiver_of(engine, log, match.partition)
    await follow_to_end(archiver, log, engine, match.partition)
    position = await Queries(engine).position(place)
    with pytest.raises(Fenced):
        await former._write(fence, late)  # noqa: SLF001
    assert await Queries(engine).position(place) == position
    stretch = await Queries(engine).stretch(place, match.match_id, 1, 100)
    assert [commit.record for commit in stretch.commits] == match.records
    await engine.dispose()


async def test_an_idle_archiver_begins_again_where_its_archive_was_emptied(
    settings: Settings, log: SqliteLog, scribe: Scribe
) -> None:
    engine = connect(settings.sql_url)
    await migrate(engine)
    match = await scribe.found()
    await scribe.play(match, 2)
    place, queries = Place(TOPIC, match.partition), Queries(engine)
    archiver, heard = archiver_of(engine, log, match.partition)
    task = asyncio.create_task(archiver.run())
    end = await log.end_offset(TOPIC, match.partition)

    async def idle() -> bool:
        return archiver.idle_at == end == await queries.position(place)

    await until(idle)
    await look([archiver], queries)
    assert "restarted" not in heard.others
    async with engine.begin() as connection:
        for table in (commits, positions, seats, matches):
            await connection.execute(table.delete())
    await look([archiver], queries)
    await until(idle)
    assert heard.others["restarted"] == 1
    stretch = await queries.stretch(place, match.match_id, 1, 100)
    assert [commit.record for commit in stretch.commits] == match.records
    archiver.stop()
    await task
    await engine.dispose()


@pytest.mark.parametrize("dropped", ["commits", "positions", "matches", "seats"])
async def test_a_dropped_table_is_rebuilt(platform: Platform, scribe: Scribe, database: str, dropped: str) -> None:
    match = await scribe.found()
    await platform.add(REPLAY)
    await scribe.play(match, 4)
    await all_archived(platform, match)
    engine = connect(database)
    async with engine.begin() as connection:
        schema = "archive." if engine.dialect.name == "postgresql" else ""
        await connection.execute(text(f"DROP TABLE {schema}{dropped}"))
    await engine.dispose()
    await scribe.play(match, 2)

    async def rebuilt() -> bool:
        try:
            return await archived(platform, match) == match.records
        except grpc.aio.AioRpcError:
            return False

    await until(rebuilt)
    await until(lambda: platform.health.serving)


async def test_an_archive_that_contradicts_its_position_is_rebuilt(
    platform: Platform, scribe: Scribe, database: str
) -> None:
    match = await scribe.found()
    await platform.add(REPLAY)
    await scribe.play(match, 4)
    await all_archived(platform, match)
    engine = connect(database)
    async with engine.begin() as connection:
        await connection.execute(update(positions).values(position=0, in_force=-1, bookmark=b""))
    await engine.dispose()
    await platform.hosts["replay"].drain()
    del platform.hosts["replay"]
    await platform.add(REPLAY)
    await scribe.play(match, 2)
    await all_archived(platform, match)


async def test_another_log_is_noticed_and_the_archive_starts_again(
    tmp_path: Path, settings: Settings, log: SqliteLog, scribe: Scribe
) -> None:
    match = await scribe.found(match_id="tempel-" + "a" * 26)
    await scribe.play(match, 3)
    first = await Platform.create(settings, log=log)
    await first.add(REPLAY)
    await all_archived(first, match)
    await first.close(0)

    other = SqliteLog(tmp_path / "other")
    await other.ensure_topic(TOPIC, PARTITIONS)
    appender = await other.appender()
    scribe = Scribe(other, appender, TOPIC, catalogue.load(RULEBOOK), PARTITIONS, seed=8)
    same_id = await scribe.found(4, match_id=match.match_id)
    await scribe.play(same_id, 6)
    async with await Platform.create(settings, log=other) as second:
        await second.add(REPLAY)
        await all_archived(second, same_id)
        shown = await stub_of(second).GetMatch(play_pb2.GetMatchRequest(name=f"matches/{same_id.match_id}"))
        assert len(shown.seats) == 4
        await appender.close()


async def test_a_corrupt_match_is_stopped_and_the_others_go_on(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await scribe.play(match, 2)
    other = await scribe.found(match_id=_beside(scribe, match.partition))
    await scribe.corrupt(match)
    before = list(match.records)
    await scribe.play(match, 1)
    await scribe.play(other, 3)
    await platform.add(REPLAY)
    await all_archived(platform, other)
    assert await archived(platform, match) == before
    assert _corrupt(platform) == 1
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stub_of(platform).GetMatch(play_pb2.GetMatchRequest(name=f"matches/{match.match_id}"))
    assert told(refused.value).reason == "MATCH_CORRUPT"
    await until(lambda: platform.health.serving)


async def test_a_commit_after_the_end_is_corruption(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await scribe.abort(match)
    await scribe.play(match)
    at_end = list(match.records)
    match.match = replace(match.match, outcome=None)
    await scribe.abort(match)
    await platform.add(REPLAY)
    await until(lambda: _corrupt(platform) == 1)
    assert await archived(platform, match) == at_end


@pytest.mark.parametrize("record", ["event", "format"])
async def test_a_record_of_a_later_version_stops_the_partition(
    platform: Platform, log: SqliteLog, scribe: Scribe, record: str
) -> None:
    match = await scribe.found()
    await scribe.play(match, 2)
    beside = await scribe.found(match_id=_beside(scribe, (match.partition + 1) % PARTITIONS))
    unknown = _later(match, event=record == "event")
    appender = await log.appender()
    await appender.append(TOPIC, match.partition, match.match_id.encode(), unknown)
    await appender.close()
    await platform.add(REPLAY)
    await scribe.play(beside, 2)
    await all_archived(platform, match, beside)
    await until(lambda: any("partition" in why for why in platform.health.problems.values()))
    assert not platform.health.serving


async def test_partitions_change_hands(platform: Platform, settings: Settings, log: SqliteLog, scribe: Scribe) -> None:
    matches = [await scribe.found() for _ in range(6)]
    await platform.add(REPLAY)
    for lost in (False, True, False):
        for match in matches:
            await scribe.play(match, 1)
        await log.reassign(TOPIC, "replay", range(PARTITIONS), lost=lost)
        for match in matches:
            await scribe.play(match, 1)
    await all_archived(platform, *matches)
    await until(lambda: platform.health.serving)


async def test_services_only_get_commits(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await platform.add(REPLAY)
    request = replay_pb2.GetCommitsRequest(name=f"matches/{match.match_id}", from_sequence=1)
    for metadata, code in (
        (None, grpc.StatusCode.UNAUTHENTICATED),
        (as_player(platform, match.players[0]), grpc.StatusCode.PERMISSION_DENIED),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await replay_pb2_grpc.ArchiveServiceStub(platform.channel("replay")).GetCommits(request, metadata=metadata)
        assert refused.value.code() is code


async def test_commits_come_with_the_place_where_the_log_goes_on(platform: Platform, scribe: Scribe) -> None:
    match = await scribe.found()
    await scribe.play(match, 4)
    await platform.add(REPLAY)
    await all_archived(platform, match)
    request = replay_pb2.GetCommitsRequest(name=f"matches/{match.match_id}", from_sequence=3)
    page = await stub_of(platform, "engine").GetCommits(request)
    assert [commit.offset for commit in page.commits] == match.offsets[2:]
    assert page.position == match.offsets[-1] + 1
    assert page.in_force == 0
    assert page.bookmark_digest == match.head.hash
    assert not page.more


def _beside(scribe: Scribe, partition: int) -> str:
    """The id of a new match in a partition."""
    while partition_of(match_id := scribe.new_match_id(), PARTITIONS) != partition:
        pass
    return match_id


def _corrupt(platform: Platform) -> float | None:
    return platform.metrics.registry.get_sample_value("ludolog_replay_corrupt_matches_total", {"topic": TOPIC})


def _later(written: Written, *, event: bool) -> bytes:
    """The next record of a match, as a later version would write it."""
    record = parse_record(written.records[-1])
    record.commit.sequence, record.commit.previous_hash = written.head.sequence + 1, written.head.hash
    if event:
        del record.commit.events[:]
        record.commit.events.append(b"\xfa\x3e\x00")
    else:
        record.format_version = FORMAT_VERSION + 1
    return record.SerializeToString()
