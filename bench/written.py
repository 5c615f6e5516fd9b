"""A log that is written directly: streams by the ten thousand, all with the same causes and contents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting.clock import SystemClock
from ludolog.record.commits import Head, Proposal, commit_record, record_hash, takeover_record

PARTITIONS = 8
AT_ONCE = 512
Commits: TypeAlias = Sequence[tuple[log_pb2.Cause, Proposal]]
"""Cause and contents of a stream's commits, from the first one on."""


async def write(data: Path, topic: str, stream_ids: Sequence[str], commits: Commits) -> None:
    """Write the commits for each stream into the log of a data folder, after one takeover of each partition."""
    log = SqliteLog(data)
    await log.ensure_topic(topic, PARTITIONS)
    appender = await log.appender()
    takeovers = [
        await appender.append(topic, partition, None, takeover_record(bytes(16), "bench"))
        for partition in range(PARTITIONS)
    ]

    async def one(stream_id: str) -> None:
        partition, head = partition_of(stream_id, PARTITIONS), Head()
        for cause, proposal in commits:
            value = commit_record(
                takeover_offset=takeovers[partition],
                stream_id=stream_id,
                head=head,
                cause=cause,
                proposal=proposal,
                time_ms=SystemClock().now_ms(),
            )
            await appender.append(topic, partition, stream_id.encode(), value)
            head = Head(head.sequence + 1, record_hash(value))

    for start in range(0, len(stream_ids), AT_ONCE):
        await asyncio.gather(*map(one, stream_ids[start : start + AT_ONCE]))
    await appender.close()
    await log.close()
