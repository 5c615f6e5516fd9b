"""Seeds that were revealed: how the rng log is read, by whoever needs seeds of finished matches.

The rng log has no owners and no takeovers: a reveal is a function of its match, so that repeats are equal and harmless.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.port import EventLog, LogError, Stored
from ludolog.eventlog.takeovers import Checkpoint, Fence
from ludolog.record.commits import FORMAT_VERSION

RNG_TOPIC = "ludolog.rng.log"
BATCH = 1000


class ConflictingReveals(LogError):
    """Two different seeds were revealed for one match. The rng has been given another master key under an old id."""


def reveal_record(reveal: log_pb2.SeedRevealed) -> bytes:
    """Serialise the record of a reveal."""
    return log_pb2.Record(format_version=FORMAT_VERSION, seed_revealed=reveal).SerializeToString(deterministic=True)


def reveals_in(fence: Fence, batch: Iterable[Stored]) -> list[log_pb2.SeedRevealed]:
    """The reveals among the next records; moves the fence along. UnreadableRecord where this version can't read one."""
    seen = (fence.see(stored).record for stored in batch)
    return [record.seed_revealed for record in seen if record is not None and record.HasField("seed_revealed")]


async def revealed(log: EventLog, partition: int, fence: Fence) -> AsyncGenerator[list[log_pb2.SeedRevealed], None]:
    """Reveals of one partition of the rng log, a list for each batch (maybe an empty one), for ever; as `counted`.

    Store `fence.checkpoint()` with what was derived. Close the generator to let go.
    """
    reader = await log.reader(RNG_TOPIC, partition, fence.position)
    try:
        while True:
            yield reveals_in(fence, await reader.batch())
    finally:
        await reader.close()


def add_reveals(seeds: Mapping[str, bytes], reveals: Iterable[log_pb2.SeedRevealed]) -> dict[str, bytes]:
    """Fold reveals into {match id: seed}. ConflictingReveals."""
    known = dict(seeds)
    for reveal in reveals:
        if known.setdefault(reveal.match_id, reveal.seed) != reveal.seed:
            raise ConflictingReveals(f"two seeds were revealed for {reveal.match_id}")
    return known


async def all_reveals(log: EventLog) -> dict[str, bytes]:
    """{match id: seed} of the whole rng log, up to its end as it was when the call began. For small logs."""
    seeds: dict[str, bytes] = {}
    for partition in range(await log.partitions(RNG_TOPIC)):
        fence = Fence(Checkpoint())
        end = await log.end_offset(RNG_TOPIC, partition)
        while fence.position < end:
            batch = await log.read(RNG_TOPIC, partition, fence.position, BATCH)
            seeds = add_reveals(seeds, reveals_in(fence, batch))
    return seeds
