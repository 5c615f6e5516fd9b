"""What is revealed, where to go on, and how a reveal gets into the rng log.

One record for each counted commit that ends a match; never before, never for a void one. Nothing is stored besides: a
restart goes on after the newest reveal of each source partition, found in the rng log itself.
"""

from __future__ import annotations

from contextlib import suppress

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import Appender, EventLog, LogError, LogOverloaded, Stored
from ludolog.eventlog.reveals import RNG_TOPIC, reveal_record
from ludolog.eventlog.takeovers import Checkpoint, Seen, checkpoint_of, source_position
from ludolog.record.commits import parse_record
from services.rng.keys import MasterKeys

WINDOW = 500
"""Records that are read at once while looking for the newest reveal."""


def reveal_of(
    keys: MasterKeys, topic: str, partition: int, seen: Seen, after: Checkpoint
) -> log_pb2.SeedRevealed | None:
    """The reveal that a judged record asks for; `after` is the reader's checkpoint after it. UnknownKey.

    None for void commits, for those that end nothing, and for a match that was called off before its founding: that one
    has no seed.
    """
    if not seen.counts or seen.record is None or not seen.record.commit.HasField("ending"):
        return None
    commit = seen.record.commit
    if not commit.ending.key_id:
        return None
    source = source_position(topic, partition, after)
    seed = keys.seed(commit.ending.key_id, commit.stream_id)
    return log_pb2.SeedRevealed(match_id=commit.stream_id, key_id=commit.ending.key_id, seed=seed, source=source)


async def newest_source(log: EventLog, topic: str, partition: int) -> Checkpoint:
    """Where to go on in a source partition: after the last match whose seed the rng log has, or at 0."""
    newest = Checkpoint()
    if await _never_ended(log, topic, partition):
        return newest
    count = await log.partitions(RNG_TOPIC)
    # With as many partitions as the source's, the reveals of one source partition all stand in the same one.
    places = [partition] if count == await log.partitions(topic) else range(count)
    for place in places:
        newest = max(newest, await _newest_in(log, place, topic, partition), key=lambda found: found.position)
    return newest


async def _never_ended(log: EventLog, topic: str, partition: int) -> bool:
    """True for a short partition without an end, as of a game that nobody plays: all reveals are other games'."""
    end = await log.end_offset(topic, partition)
    if end > WINDOW:
        return False
    records = await log.read(topic, partition, 0, WINDOW)
    commits = (parse_record(stored.value).commit for stored in records if stored.value is not None)
    return len(records) >= end and not any(commit.HasField("ending") for commit in commits)


async def _newest_in(log: EventLog, place: int, topic: str, partition: int) -> Checkpoint:
    """As above, in one partition of the rng log, read from its end backwards."""
    end = await log.end_offset(RNG_TOPIC, place)
    while end > 0:
        begin = max(0, end - WINDOW)
        found = Checkpoint()
        for stored in await _window(log, place, begin, end):
            source = _source(stored)
            if source is not None and (source.topic, source.partition) == (topic, partition):
                found = checkpoint_of(source)
        if found.position:
            return found
        end = begin
    return Checkpoint()


async def _window(log: EventLog, place: int, begin: int, end: int) -> list[Stored]:
    records: list[Stored] = []
    while begin < end and (batch := await log.read(RNG_TOPIC, place, begin, end - begin)):
        records += [stored for stored in batch if stored.offset < end]
        begin = batch[-1].offset + 1
    return records


def _source(stored: Stored) -> log_pb2.SourcePosition | None:
    if stored.value is None:
        return None
    record = parse_record(stored.value)
    return record.seed_revealed.source if record.HasField("seed_revealed") else None


class Publisher:
    """Appends reveals until the log has them: repeating one is harmless."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._appender: Appender | None = None

    async def publish(self, reveal: log_pb2.SeedRevealed) -> None:
        """Append and wait until it is durable. LogError where the log is away: try again later."""
        place = partition_of(reveal.match_id, await self._log.partitions(RNG_TOPIC))
        appender = self._appender = self._appender or await self._log.appender()
        try:
            await appender.append(RNG_TOPIC, place, reveal.match_id.encode(), reveal_record(reveal))
        except LogOverloaded:
            raise
        except LogError:
            # An appender that failed once is finished; the others of this process use a new one from now on.
            if self._appender is appender:
                self._appender = None
            with suppress(LogError):
                await appender.close()
            raise

    async def close(self) -> None:
        """Let go of the log."""
        if self._appender is not None:
            await self._appender.close()
