"""Calling the archive as somebody, following logs without a service, and waiting."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from ludolog.api.replay.v1 import replay_pb2, replay_pb2_grpc
from ludolog.eventlog.port import EventLog
from ludolog.hosting import Platform
from ludolog.rulebooks import catalogue
from services.replay.consumer import PartitionArchiver
from services.replay.projection import Place
from services.replay.queries import Queries
from services.replay.store import Store
from tests.integration.replay.conftest import RULEBOOK, TOPIC
from tests.integration.replay.scribe import Written

Metadata = tuple[tuple[str, str], ...]


def as_player(platform: Platform, player_id: str) -> Metadata:
    """The metadata of a player's call."""
    return (("authorization", f"Bearer {platform.keys.sign(player_id, roles=('player',), ttl_s=600)}"),)


def stub_of(platform: Platform, sender: str = "") -> Any:
    """The archive, called by a service, or by the gateway for whoever a call's own token names."""
    channel = platform.channel("replay", sender or "gateway", on_behalf=not sender)
    return replay_pb2_grpc.ArchiveServiceStub(channel)


async def until(condition: Callable[[], bool | Awaitable[bool]], seconds: float = 20) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(seconds):
        while True:
            found = condition()
            if await found if inspect.isawaitable(found) else found:
                return
            await asyncio.sleep(0.01)


async def archived(platform: Platform, written: Written) -> list[bytes]:
    """The records that the archive has of a match."""
    request = replay_pb2.GetCommitsRequest(name=f"matches/{written.match_id}", from_sequence=1)
    return [commit.record for commit in (await stub_of(platform, "engine").GetCommits(request)).commits]


async def all_archived(platform: Platform, *matches: Written) -> None:
    """Wait until the archive has every record of these matches, and no other."""
    for written in matches:

        async def equal(written: Written = written) -> bool:
            return await archived(platform, written) == written.records

        await until(equal)


class Heard:
    """What an archiver told."""

    def __init__(self) -> None:
        self.records: list[int] = []
        self.others: Counter[str] = Counter()

    def wrote(self, place: Place, records: int) -> None:
        self.records.append(records)

    def void(self, place: Place, commits: int) -> None:
        self.others["void"] += commits

    def broken(self, place: Place, match_id: str) -> None:
        self.others["broken"] += 1

    def caught_up(self, place: Place) -> None:
        self.others["caught_up"] += 1

    def stopped(self, place: Place, why: str) -> None:
        self.others["stopped"] += 1

    def restarted(self, place: Place) -> None:
        self.others["restarted"] += 1


def archiver_of(engine: AsyncEngine, log: EventLog, partition: int) -> tuple[PartitionArchiver, Heard]:
    """An archiver of one partition, outside of any group."""
    heard = Heard()

    async def repair() -> None:
        raise AssertionError("nothing is broken")

    archiver = PartitionArchiver(
        events=log,
        store=Store(engine),
        queries=Queries(engine),
        place=Place(TOPIC, partition),
        rulebook=catalogue.load(RULEBOOK),
        observer=heard,
        repair=repair,
    )
    return archiver, heard


async def follow_to_end(archiver: PartitionArchiver, log: EventLog, engine: AsyncEngine, partition: int) -> None:
    """Let an archiver run to the end of the log as it is now."""
    task = asyncio.create_task(archiver.run())
    queries, end = Queries(engine), await log.end_offset(TOPIC, partition)

    async def reached() -> bool:
        return await queries.position(Place(TOPIC, partition)) >= end

    await until(reached)
    archiver.stop()
    await task
