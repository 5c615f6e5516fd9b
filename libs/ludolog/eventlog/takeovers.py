"""Which commits count: one rule, one integer a partition, the same for every reader.

A takeover at offset o is in force from there on; a commit counts if and only if it names the takeover in force.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.port import EventLog, LogError, OutOfRange, Stored
from ludolog.record.commits import parse_record, record_hash

NO_TAKEOVER = -1


class AnotherLog(LogError):
    """The record at a stored position isn't the one that was read there: this is another log. Start again from 0."""


class Checkpoint(msgspec.Struct, frozen=True):
    """A reader's position; stored in one piece with whatever was derived up to it.

    `position` is the offset after the last record of ours that was read, `in_force` the takeover before it, `bookmark`
    that record's hash. What isn't ours (control records, holes) is read again: it means nothing and marks nothing.
    """

    position: int = 0
    in_force: int = NO_TAKEOVER
    bookmark: bytes = b""


def source_position(topic: str, partition: int, after: Checkpoint) -> log_pb2.SourcePosition:
    """Where a reader of a partition stands, for the record of what it derived; `checkpoint_of` reads it back."""
    return log_pb2.SourcePosition(
        topic=topic,
        partition=partition,
        position=after.position,
        in_force=after.in_force,
        bookmark_digest=after.bookmark,
    )


def checkpoint_of(source: log_pb2.SourcePosition) -> Checkpoint:
    """Where a reader goes on that stored this."""
    return Checkpoint(source.position, source.in_force, source.bookmark_digest)


class Counted(msgspec.Struct, frozen=True):
    """A commit that counts, with its record as stored."""

    offset: int
    commit: log_pb2.Commit
    value: bytes


class Seen(msgspec.Struct, frozen=True):
    """Any record, judged: a takeover, a counted commit, a void commit, a reveal, or nothing of ours."""

    stored: Stored
    record: log_pb2.Record | None
    counts: bool


class Fence:
    """Judges the records of one partition in order of their offsets."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        """Begin at a checkpoint. `resume` checks its bookmark."""
        self.position = checkpoint.position
        self.in_force = checkpoint.in_force
        self.void_commits = 0
        self._marked = checkpoint

    def see(self, stored: Stored) -> Seen:
        """Judge the next record. UnreadableRecord where this version can't: the reader stops, its position unmoved."""
        record = parse_record(stored.value) if stored.value is not None else None
        counts = False
        if record is not None:
            if record.HasField("takeover"):
                self.in_force = stored.offset
            elif record.HasField("commit"):
                counts = record.commit.takeover_offset == self.in_force
                self.void_commits += not counts
        self.position = stored.offset + 1
        if stored.value is not None:
            self.mark(stored.offset, record_hash(stored.value))
        return Seen(stored, record, counts)

    def mark(self, offset: int, bookmark: bytes) -> None:
        """Move on past a record of ours, already judged, that has this hash."""
        self.position = offset + 1
        self._marked = Checkpoint(self.position, self.in_force, bookmark)

    def count(self, batch: Sequence[Stored]) -> list[Counted]:
        """Judge records in order; return those that count."""
        counted = []
        for stored in batch:
            seen = self.see(stored)
            if seen.counts and seen.record is not None and stored.value is not None:
                counted.append(Counted(stored.offset, seen.record.commit, stored.value))
        return counted

    def checkpoint(self) -> Checkpoint:
        """Where the fence stands, for storing."""
        return self._marked


async def resume(log: EventLog, topic: str, partition: int, checkpoint: Checkpoint) -> Fence:
    """Begin at a stored checkpoint after reading the record at its bookmark. AnotherLog where it isn't the same one."""
    if checkpoint.position > 0:
        last = checkpoint.position - 1
        try:
            found = await log.read(topic, partition, last, 1)
        except OutOfRange:
            found = ()
        if not found or found[0].offset != last or record_hash(found[0].value or b"") != checkpoint.bookmark:
            msg = f"{topic}/{partition}: another record at offset {last} than when it was read"
            raise AnotherLog(msg)
    return Fence(checkpoint)


async def counted(log: EventLog, topic: str, partition: int, fence: Fence) -> AsyncIterator[list[Counted]]:
    """Counted commits, a list for each batch that was read (maybe an empty one), for ever. `fence` moves along.

    Close the generator to let go.
    """
    reader = await log.reader(topic, partition, fence.position)
    try:
        while True:
            yield fence.count(await reader.batch())
    finally:
        await reader.close()
