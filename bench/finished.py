"""Matchmaking's start on a log that holds tables by the ten thousand, all of them history.

They are written to the log directly. The first start has to read all of it; then the cache has what was kept, and the
second start goes on from there, as an instance does that is started on a running platform.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.figures import Figure
from bench.plan import Scale
from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import Appender
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Service, Settings
from ludolog.hosting import names as resources
from ludolog.hosting.clock import SystemClock
from ludolog.record.commits import Head, Proposal, commit_record, record_hash, takeover_record
from ludolog.rulebooks.catalogue import CATALOGUE
from ludolog.sessions.memory import MemoryCache
from services.matchmaking import service as matchmaking
from services.matchmaking import tables
from services.matchmaking.aggregate import EVENTS, TOPIC, cause

NAMES = ("finished.start",)
RULEBOOK = "tempel_des_schreckens"
TABLES = int(os.environ.get("FINISHED", "20000"))
PARTITIONS = 8
AT_ONCE = 512
PLAYERS = ("p-1", "p-2", "p-3")


def names() -> tuple[str, ...]:
    """The section's figures."""
    return NAMES


def measure(scale: Scale) -> Iterator[Figure]:
    """The second start beside the first."""
    count = scale.of(TABLES, 200)
    with tempfile.TemporaryDirectory(prefix="ludolog-bench-") as folder:
        cold_s, kept_s = asyncio.run(_starts(Path(folder), count))
    yield Figure("finished.start", kept_s, "s", f"without what was kept ({cold_s:.1f} s)", kept_s / cold_s)


async def _starts(folder: Path, count: int) -> tuple[float, float]:
    await _play(folder, count)
    cache = MemoryCache()
    return await _start(folder, cache), await _start(folder, cache)


async def _start(folder: Path, cache: MemoryCache) -> float:
    """Seconds until matchmaking serves."""
    async with await Platform.create(Settings(data=folder, partitions=PARTITIONS), cache=cache) as platform:
        began = time.perf_counter()
        await platform.add(Service("matchmaking", matchmaking.bind))
        await platform.health.wait_serving()
        return time.perf_counter() - began


async def _play(folder: Path, count: int) -> None:
    log = SqliteLog(folder)
    await log.ensure_topic(TOPIC, PARTITIONS)
    appender = await log.appender()
    takeovers = [
        await appender.append(TOPIC, partition, None, takeover_record(bytes(16), "bench"))
        for partition in range(PARTITIONS)
    ]
    commits = _life()
    for start in range(0, count, AT_ONCE):
        ids = [resources.new_id(CATALOGUE[RULEBOOK]) for _ in range(min(AT_ONCE, count - start))]
        await asyncio.gather(*(_write(appender, table_id, takeovers, commits) for table_id in ids))
    await appender.close()
    await log.close()


async def _write(
    appender: Appender, table_id: str, takeovers: Sequence[int], commits: Sequence[tuple[log_pb2.Cause, Proposal]]
) -> None:
    partition, head = partition_of(table_id, PARTITIONS), Head()
    for about, proposal in commits:
        value = commit_record(
            takeover_offset=takeovers[partition],
            stream_id=table_id,
            head=head,
            cause=about,
            proposal=proposal,
            time_ms=SystemClock().now_ms(),
        )
        await appender.append(TOPIC, partition, table_id.encode(), value)
        head = Head(head.sequence + 1, record_hash(value))


def _life() -> list[tuple[log_pb2.Cause, Proposal]]:
    """Cause and contents of a table's commits, from its opening to the end of its match."""
    promise = tables_pb2.CommitmentReceipt(match_id="tempel-x", commitment=bytes(32), key_id="k1")
    host = PLAYERS[0]
    opening = pb.OpenTable(host_id=host, rulebook=RULEBOOK, seat_count=len(PLAYERS), commitment=promise)
    seats = [pb.TakeSeat(player_id=player, entropy=bytes(32)) for player in PLAYERS]
    table, found = tables.EMPTY, list[tuple[log_pb2.Cause, Proposal]]()
    for command in (opening, *seats, pb.StartMatch(player_id=host), pb.ConfirmMatch(), pb.EndMatch(reason="OVER")):
        judged = tables.decide(table, command, SystemClock().now_ms())
        for event in judged.events:
            table = tables.apply(table, event)
        ending = log_pb2.Ending() if judged.ends else None
        proposal = Proposal(tuple(map(EVENTS.encode, judged.events)), ending=ending)
        found.append((cause(host, f"c{len(found)}", command), proposal))
    return found
