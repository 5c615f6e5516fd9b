"""Reveals on a real log: only after a counted ending, once is enough, and nothing is missed over restarts."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import AppendFailed, Stored
from ludolog.eventlog.reveals import RNG_TOPIC, ConflictingReveals, add_reveals, all_reveals, reveal_record
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, resume
from ludolog.fairness import derive_seed
from ludolog.record.commits import Head, Proposal, commit_record, takeover_record
from services.rng.follower import Figures, Follower
from services.rng.keys import MasterKeys
from services.rng.reveals import newest_source

TOPIC = "ludolog.toy.log"
PARTITIONS = 4
KEY = b"k" * 32
KEYS = MasterKeys("k1", {"k1": KEY})
ENDED = log_pb2.Ending(outcome=match_pb2.Outcome(reason="WON"), key_id="k1")
ABORTED = log_pb2.Ending(outcome=match_pb2.Outcome(reason="ABORTED"))


def match(number: int, partition: int = 0) -> str:
    """The number-th id that belongs to a partition."""
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    ids = (f"toy-{alphabet[i // 1024]}{alphabet[i // 32 % 32]}{alphabet[i % 32]}{'a' * 23}" for i in range(32**3))
    return [i for i in ids if partition_of(i, PARTITIONS) == partition][number]


class Source:
    """Writes a game log as an owner would."""

    def __init__(self, log: SqliteLog, partition: int = 0) -> None:
        self.log, self.partition = log, partition
        self.takeover = -1

    async def _append(self, value: bytes) -> int:
        appender = await self.log.appender()
        offset = await appender.append(TOPIC, self.partition, None, value)
        await appender.close()
        return offset

    async def take_over(self) -> int:
        self.takeover = await self._append(takeover_record(b"nonce", "engine"))
        return self.takeover

    async def commit(
        self, match_id: str, ending: log_pb2.Ending | None = None, takeover: int | None = None, sequence: int = 1
    ) -> int:
        record = commit_record(
            takeover_offset=self.takeover if takeover is None else takeover,
            stream_id=match_id,
            head=Head(sequence - 1),
            cause=log_pb2.Cause(actor="seats/1", command_id="c"),
            proposal=Proposal((), ending=ending),
            time_ms=1,
        )
        return await self._append(record)


@asynccontextmanager
async def opened(folder: Path, topic_partitions: int = PARTITIONS) -> AsyncIterator[SqliteLog]:
    log = SqliteLog(folder)
    try:
        await log.ensure_topic(TOPIC, topic_partitions)
        await log.ensure_topic(RNG_TOPIC, PARTITIONS)
        yield log
    finally:
        await log.close()


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    async with opened(tmp_path) as log:
        yield log


def spawn(name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.create_task(work, name=name)


class Count:
    """Counts calls, and is awaited."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self._called = asyncio.Event()

    def __call__(self, *said: Any) -> None:
        self.calls.extend(said or (None,))
        self._called.set()

    async def reached(self, number: int) -> None:
        async with asyncio.timeout(5):
            while len(self.calls) < number:
                self._called.clear()
                await self._called.wait()


@asynccontextmanager
async def following(log: Any, keys: MasterKeys = KEYS, **counts: Count) -> AsyncIterator[Count]:
    """Follow the log; yields the count of reveals."""
    revealed = Count()
    follower = Follower(log, keys, "rng-1", spawn, Figures(revealed=revealed, **counts))
    await follower.start([TOPIC])
    try:
        yield revealed
    finally:
        await follower.stop()


async def reveals(log: SqliteLog) -> list[log_pb2.SeedRevealed]:
    """Every reveal in the rng log, repeats included."""
    places = [await log.read(RNG_TOPIC, partition, 0, 10_000) for partition in range(PARTITIONS)]
    return [log_pb2.Record.FromString(stored.value or b"").seed_revealed for place in places for stored in place]


async def test_a_seed_is_revealed_after_the_counted_end(log: SqliteLog) -> None:
    source = Source(log)
    await source.take_over()
    await source.commit(match(0))
    async with following(log) as revealed:
        end = await source.commit(match(0), ENDED, sequence=2)
        await revealed.reached(1)
    [reveal] = await reveals(log)
    assert (reveal.match_id, reveal.key_id, reveal.seed) == (match(0), "k1", derive_seed(KEY, match(0)))
    assert (reveal.source.topic, reveal.source.partition, reveal.source.position) == (TOPIC, 0, end + 1)
    assert await all_reveals(log) == {match(0): derive_seed(KEY, match(0))}


async def test_neither_void_endings_nor_matches_without_a_seed_reveal_anything(log: SqliteLog) -> None:
    source = Source(log)
    former = await source.take_over()
    await source.commit(match(0))
    await source.take_over()
    void = Count()
    async with following(log, void=void) as revealed:
        await source.commit(match(0), ENDED, takeover=former, sequence=2)
        await source.commit(match(1), ABORTED)
        await source.commit(match(2), ENDED)
        await revealed.reached(1)
    assert [reveal.match_id for reveal in await reveals(log)] == [match(2)]
    assert sum(call for call in void.calls if call != TOPIC) == 1


async def test_a_restart_goes_on_after_the_newest_reveal(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        for partition in range(PARTITIONS):
            source = Source(log, partition)
            await source.take_over()
            for number in range(3):
                await source.commit(match(number, partition), ENDED)
        async with following(log) as revealed:
            await revealed.reached(3 * PARTITIONS)
        for partition in range(PARTITIONS):
            source = Source(log, partition)
            source.takeover = 0
            await source.commit(match(3, partition), ENDED)
    async with opened(tmp_path) as again:
        async with following(again) as revealed:
            await revealed.reached(PARTITIONS)
        found = [reveal.match_id for reveal in await reveals(again)]
        assert sorted(found) == sorted(match(n, p) for n in range(4) for p in range(PARTITIONS))


async def test_where_to_go_on_is_found_far_back_and_with_other_numbers_of_partitions(tmp_path: Path) -> None:
    async with opened(tmp_path, topic_partitions=2) as log:
        source = Source(log, 1)
        await source.take_over()
        await source.commit(match(0), ENDED)
        async with following(log) as revealed:
            await revealed.reached(1)
        [reveal] = await reveals(log)
        # Many reveals of another topic stand behind it.
        appender = await log.appender()
        other = log_pb2.SeedRevealed(match_id="x", seed=b"s", source=log_pb2.SourcePosition(topic="other", position=9))
        place = partition_of(match(0), PARTITIONS)
        values = [reveal_record(other)] * 1234
        await asyncio.gather(*(appender.append(RNG_TOPIC, place, b"x", value) for value in values))
        found = await newest_source(log, TOPIC, 1)
        assert found == Checkpoint(reveal.source.position, reveal.source.in_force, reveal.source.bookmark_digest)
        assert await newest_source(log, TOPIC, 0) == Checkpoint()
        await resume(log, TOPIC, 1, found)


async def test_a_game_that_nobody_finishes_costs_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as log:
        source = Source(log)
        await source.take_over()
        await source.commit(match(0))
        appender = await log.appender()
        other = log_pb2.SeedRevealed(match_id="x", seed=b"s", source=log_pb2.SourcePosition(topic="other", position=9))
        await asyncio.gather(*(appender.append(RNG_TOPIC, 0, b"x", reveal_record(other)) for _ in range(1234)))
        searched: list[int] = []
        read = log.read

        async def noting(topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
            searched.extend([offset] if topic == RNG_TOPIC else [])
            return await read(topic, partition, offset, limit)

        monkeypatch.setattr(log, "read", noting)
        assert (await newest_source(log, TOPIC, 0), searched) == (Checkpoint(), [])
        await source.commit(match(1), ENDED)
        assert await newest_source(log, TOPIC, 0) == Checkpoint()
        assert searched, "an end is there, so its reveal may be"


async def test_on_another_log_everything_is_read_again_from_the_beginning(tmp_path: Path) -> None:
    async with opened(tmp_path) as log:
        appender = await log.appender()
        source_position = log_pb2.SourcePosition(topic=TOPIC, position=2, in_force=0, bookmark_digest=b"other")
        lost = log_pb2.SeedRevealed(
            match_id=match(9), key_id="k1", seed=derive_seed(KEY, match(9)), source=source_position
        )
        await appender.append(RNG_TOPIC, 0, b"", reveal_record(lost))
        source = Source(log)
        await source.take_over()
        await source.commit(match(0), ENDED)
        with pytest.raises(AnotherLog):
            await resume(log, TOPIC, 0, await newest_source(log, TOPIC, 0))
        async with following(log) as revealed:
            await revealed.reached(1)
        assert match(0) in await all_reveals(log)


class Unlucky:
    """A log whose first append is said to have failed, whether it landed or not."""

    def __init__(self, log: SqliteLog, *, lands: bool) -> None:
        self._log, self.lands, self.failures, self.appenders = log, lands, 1, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def appender(self) -> Any:
        self.appenders += 1
        return UnluckyAppender(self, await self._log.appender())


class UnluckyAppender:
    def __init__(self, log: Unlucky, appender: Any) -> None:
        self._log, self._appender = log, appender

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        unlucky, self._log.failures = self._log.failures, 0
        offset = -1
        if not unlucky or self._log.lands:
            offset = await self._appender.append(topic, partition, key, value)
        if unlucky:
            raise AppendFailed("nobody knows")
        return offset

    async def close(self) -> None:
        await self._appender.close()


@pytest.mark.parametrize("lands", [True, False])
async def test_after_an_unknown_outcome_a_new_appender_goes_on_and_nothing_is_missed(
    log: SqliteLog, lands: bool
) -> None:
    source = Source(log)
    await source.take_over()
    await source.commit(match(0), ENDED)
    await source.commit(match(1), ENDED)
    unlucky = Unlucky(log, lands=lands)
    stuck = Count()
    async with following(unlucky, stuck=stuck) as revealed:
        await revealed.reached(1 if lands else 2)
    assert [reveal.seed for reveal in await reveals(log)] == [derive_seed(KEY, match(n)) for n in (0, 1)]
    assert unlucky.appenders == 2
    assert stuck.calls[0] == 1
    assert stuck.calls[-1] == 0


async def test_a_missing_key_holds_its_partition_up_and_no_other(log: SqliteLog) -> None:
    missing = log_pb2.Ending(outcome=ENDED.outcome, key_id="lost")
    held, other = Source(log, 0), Source(log, 1)
    for source in (held, other):
        await source.take_over()
    await held.commit(match(0), missing)
    await held.commit(match(1), ENDED)
    await other.commit(match(0, 1), ENDED)
    failed = Count()
    async with following(log, failed=failed) as revealed:
        await revealed.reached(1)
        await failed.reached(2)
    assert set(failed.calls) == {"UnknownKey"}
    assert set(await all_reveals(log)) == {match(0, 1)}
    async with following(log, MasterKeys("k1", {"k1": KEY, "lost": b"l" * 32})) as revealed:
        await revealed.reached(2)
    assert set(await all_reveals(log)) == {match(0), match(1), match(0, 1)}


def test_two_seeds_for_one_match_are_found() -> None:
    first, other = (log_pb2.SeedRevealed(match_id="m", seed=seed) for seed in (b"a", b"b"))
    assert add_reveals(add_reveals({}, [first]), [first]) == {"m": b"a"}
    with pytest.raises(ConflictingReveals):
        add_reveals({}, [first, other])
