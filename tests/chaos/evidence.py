"""Reading what is there when all is over: the logs, the archive, and every record through the public API."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from ludolog.api.log.v1 import log_pb2
from ludolog.client import ApiError, Client
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from ludolog.eventlog.port import EventLog
from ludolog.eventlog.takeovers import Checkpoint, Counted, Fence
from ludolog.record.commits import record_hash
from ludolog.record.verify import verify
from services.matchmaking.aggregate import TOPIC as LOBBY
from services.replay.tables import SCHEMA
from tests.chaos.checker import Committed, Evidence
from tests.chaos.site import PARTITIONS, Site
from tests.infra.playing import TOPIC

BATCH = 500
EXPORT_S = 60.0
ARCHIVE_S = 60.0
AT_ONCE = 8


@dataclass(slots=True)
class Read:
    """A topic, read by the rule."""

    streams: dict[str, list[Committed]] = field(default_factory=dict)
    void: int = 0
    takeovers: int = 0


async def read_log(log: EventLog, topic: str) -> Read:
    """Every commit of a topic that counts."""
    found, streams = Read(), defaultdict[str, list[Committed]](list)
    for partition in range(PARTITIONS):
        fence = Fence(Checkpoint())
        while batch := await log.read(topic, partition, fence.position, BATCH):
            records = [log_pb2.Record.FromString(stored.value) for stored in batch if stored.value]
            found.takeovers += sum(record.HasField("takeover") for record in records)
            for counted in fence.count(batch):
                streams[f"matches/{counted.commit.stream_id}"].append(_committed(counted))
        found.void += fence.void_commits
    found.streams = dict(streams)
    return found


def _committed(counted: Counted) -> Committed:
    commit = counted.commit
    return Committed(
        commit.sequence,
        commit.cause.actor,
        commit.cause.command_id,
        record_hash(counted.value),
        commit.previous_hash,
        commit.commit_time.ToMilliseconds(),
        commit.HasField("ending"),
    )


async def takeovers(site: Site) -> int:
    """How often partitions of the game's log and of matchmaking's were taken over until now."""
    log = KafkaLog(site.broker.bootstrap, KafkaSettings(single_broker=True))
    try:
        return sum([(await read_log(log, topic)).takeovers for topic in (TOPIC, LOBBY)])
    finally:
        await log.close()


async def gather(site: Site, target: str, folder: Path, commitments: Mapping[str, bytes]) -> tuple[Evidence, Read]:
    """All the evidence, and the game's log as it was read."""
    log = KafkaLog(site.broker.bootstrap, KafkaSettings(single_broker=True))
    try:
        game, lobby = await read_log(log, TOPIC), await read_log(log, LOBBY)
        archive = await _archived(site, game)
    finally:
        await log.close()
    records = folder / "records"
    records.mkdir()
    ended = [match for match, commits in game.streams.items() if commits[-1].ends]
    return Evidence(game.streams, lobby.streams, archive, await _records(target, ended, records, commitments)), game


async def _archived(site: Site, game: Read) -> Mapping[str, list[tuple[int, bytes]]]:
    """What the archive keeps, once it has as many commits as the log, or won't get them."""
    wanted, deadline = sum(map(len, game.streams.values())), time.monotonic() + ARCHIVE_S
    while True:
        found = await asyncio.to_thread(_read_archive, site.database)
        if sum(map(len, found.values())) >= wanted or time.monotonic() > deadline:
            return found
        await asyncio.sleep(0.5)


def _read_archive(database: str) -> Mapping[str, list[tuple[int, bytes]]]:
    found = defaultdict[str, list[tuple[int, bytes]]](list)
    query = f"SELECT match_id, sequence, record FROM {SCHEMA}.commits ORDER BY match_id, sequence"  # noqa: S608 - ours
    try:
        with psycopg.connect(database.replace("+psycopg", "")) as connection:
            for match_id, sequence, record in connection.execute(query.encode()):
                found[f"matches/{match_id}"].append((sequence, record_hash(bytes(record))))
    except psycopg.errors.UndefinedTable:
        return {}
    return found


async def _records(
    target: str, matches: Iterable[str], folder: Path, commitments: Mapping[str, bytes]
) -> dict[str, str]:
    """Export and verify; "" for each record that holds."""
    room, problems = asyncio.Semaphore(AT_ONCE), dict[str, str]()
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        async with Client(target) as client:
            await client.sign_in_guest("Auditor")

            async def one(match: str) -> None:
                async with room:
                    path = folder / f"{match.removeprefix('matches/')}.ludolog"
                    problem = await _exported(client, match, path)
                    problems[match] = problem or await loop.run_in_executor(
                        pool, _verified, path, commitments.get(match)
                    )

            await asyncio.gather(*map(one, matches))
    return problems


async def _exported(client: Client, match: str, path: Path) -> str:
    """Empty once it is exported; else why it never was. The seed may be revealed a moment after the end."""
    deadline = time.monotonic() + EXPORT_S
    while True:
        try:
            await client.replays.export(match, path)
        except ApiError as error:
            if time.monotonic() > deadline:
                return f"can't be exported: {error}"
            await asyncio.sleep(0.2)
        else:
            return ""


def _verified(path: Path, commitment: bytes | None) -> str:
    report = verify(path.read_bytes(), commitment=commitment)
    return "" if report.holds else "; ".join(f"{check.name}: {check.detail}" for check in report.checks)
