"""Putting the archive together and starting it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from ludolog.api.replay.v1 import replay_pb2_grpc
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.private import for_owner_only
from ludolog.eventlog.reveals import RNG_TOPIC
from ludolog.hosting import Host, Settings, topic_of
from ludolog.hosting.trust import RECEIPTS
from ludolog.kernel import Rulebook
from ludolog.rulebooks import catalogue
from services.replay.consumer import PartitionArchiver, look
from services.replay.database import connect, migrate
from services.replay.group import Group
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.projection import Place
from services.replay.proofs import Proofs
from services.replay.queries import DatabaseUnavailable, Queries
from services.replay.rpcs import ArchiveService
from services.replay.store import Store
from services.replay.watchful import Watchful

LOOK_S = 0.25
"""How often the groups are asked for this instance's share, for its health."""
POSITIONS_S = 5.0
"""How often it is made sure that the positions of idle archivers are still there."""


def database_url(settings: Settings) -> str:
    """Where the archive lives. ValueError in a cluster without a database."""
    if settings.sql_url:
        return settings.sql_url
    if not settings.embedded:
        raise ValueError("LUDOLOG_SQL_URL is needed in a cluster: the archive lives there")
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    return f"sqlite:///{for_owner_only(settings.data.absolute() / 'archive.sqlite3')}"


async def bind(host: Host) -> None:
    """Open the database, serve the RPCs, follow the logs. ValueError where there is no database."""
    engine = connect(database_url(host.settings))
    await migrate(engine)
    rulebooks = catalogue.build_all(host.settings.content_dir)
    partitions = {}
    for topic in (*map(topic_of, rulebooks), RNG_TOPIC):
        await host.log.ensure_topic(topic, host.settings.topic_partitions)
        partitions[topic] = await host.log.partitions(topic)
    queries = Queries(engine)
    _serve(host, queries, rulebooks, partitions)
    await _follow(host, engine, queries, rulebooks, tuple(partitions))
    # At the very end: calls and tasks that are under way would open new connections, which nobody closed.
    host.on_close(engine.dispose)


def _signers(host: Host) -> tuple[bytes, ...]:
    """The keys whose signatures count: of the archive for heads, of the rng for receipts, its former ones included."""
    return tuple(key for signer in ("replay", "rng", RECEIPTS) for key in host.keys.public_keys(signer))


def _serve(host: Host, queries: Queries, rulebooks: Mapping[str, Rulebook[Any]], partitions: Mapping[str, int]) -> None:
    def place_of(match_id: str) -> Place:
        topic = topic_of(catalogue.of_match(match_id))
        return Place(topic, partition_of(match_id, partitions[topic]))

    histories = Histories(queries, lambda match_id: rulebooks[catalogue.of_match(match_id)])
    service = ArchiveService(
        library=Library(host.log, queries, histories, place_of),
        proofs=Proofs(host.keys.signer, lambda: _signers(host)),
        player_names=host.player_names,
        cache=host.cache,
        rulebook=rulebooks.__getitem__,
    )
    replay_pb2_grpc.add_ArchiveServiceServicer_to_server(service, host.server)


async def _follow(
    host: Host, engine: AsyncEngine, queries: Queries, rulebooks: Mapping[str, Rulebook[Any]], topics: Sequence[str]
) -> None:
    watchful = Watchful(host.metrics, host.clock, host.serving, topics)
    turns = asyncio.Lock() if engine.dialect.name == "sqlite" else None
    by_topic = {topic_of(name): rulebook for name, rulebook in rulebooks.items()}

    archivers: dict[Place, PartitionArchiver] = {}

    def follow(place: Place) -> PartitionArchiver:
        watchful.following(place)
        archivers[place] = archiver = PartitionArchiver(
            events=host.log,
            store=Store(engine, turns),
            queries=queries,
            place=place,
            rulebook=by_topic.get(place.topic),
            observer=watchful,
            repair=lambda: migrate(engine),
        )
        return archiver

    async def positions() -> dict[tuple[str, int], int]:
        with contextlib.suppress(DatabaseUnavailable):
            found = await queries.positions()
            return {(place.topic, place.partition): found.get(place, 0) for place in watchful.places}
        return {}

    groups = {}
    for topic in topics:
        groups[topic] = group = Group(
            events=host.log,
            topic=topic,
            instance=host.instance,
            follow=follow,
            spawn=host.spawn,
            gave_up=watchful.gave_up,
        )
        await group.start()
        host.on_drain(group.stop)
    _ = host.spawn("progress", watchful.progress.watch(host.log, host.clock, positions))
    _ = host.spawn("group", _look_at(groups, watchful))
    _ = host.spawn("positions", _look_after(archivers, queries))


async def _look_at(groups: Mapping[str, Group], watchful: Watchful) -> None:
    told: dict[str, frozenset[int]] = {}
    while True:
        for topic, group in groups.items():
            share = group.share()
            if share is not None and share != told.get(topic):
                told[topic] = share
                watchful.gave_out(topic, share)
        await asyncio.sleep(LOOK_S)


async def _look_after(archivers: Mapping[Place, PartitionArchiver], queries: Queries) -> None:
    while True:
        await asyncio.sleep(POSITIONS_S)
        with contextlib.suppress(DatabaseUnavailable):
            await look(tuple(archivers.values()), queries)
