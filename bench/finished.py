"""Matchmaking's start on a log that holds tables by the ten thousand, all of them history.

They are written to the log directly. The first start has to read all of it; then the cache has what was kept, and the
second start goes on from there, as an instance does that is started on a running platform.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.plan import Scale
from bench.written import PARTITIONS, Commits, write
from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.hosting import Platform, Service, Settings
from ludolog.hosting import names as resources
from ludolog.hosting.clock import SystemClock
from ludolog.record.commits import Proposal
from ludolog.rulebooks.catalogue import CATALOGUE
from ludolog.sessions.memory import MemoryCache
from services.matchmaking import service as matchmaking
from services.matchmaking import tables
from services.matchmaking.aggregate import EVENTS, TOPIC, cause

NAMES = ("finished.start",)
RULEBOOK = "tempel_des_schreckens"
TABLES = int(os.environ.get("FINISHED", "20000"))
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
    table_ids = [resources.new_id(CATALOGUE[RULEBOOK]) for _ in range(count)]
    await write(folder, TOPIC, table_ids, _life())
    cache = MemoryCache()
    return await _start(folder, cache), await _start(folder, cache)


async def _start(folder: Path, cache: MemoryCache) -> float:
    """Seconds until matchmaking serves."""
    async with await Platform.create(Settings(data=folder, partitions=PARTITIONS), cache=cache) as platform:
        began = time.perf_counter()
        await platform.add(Service("matchmaking", matchmaking.bind))
        await platform.health.wait_serving()
        return time.perf_counter() - began


def _life() -> Commits:
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
