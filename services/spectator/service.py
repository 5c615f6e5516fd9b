"""Putting the spectator service together and starting it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from ludolog.api.spectator.v1 import spectator_pb2_grpc
from ludolog.eventlog.keeping import save_all, save_for_ever
from ludolog.eventlog.partitioning import partition_of
from ludolog.hosting import Host, topic_of
from ludolog.rulebooks import catalogue
from ludolog.sessions.hints import partitions_of, wake_channel
from ludolog.sessions.port import CacheUnavailable, SessionCache
from services.spectator.feed import Feed, Place
from services.spectator.hub import Hub
from services.spectator.listing import Listing
from services.spectator.loading import Loader, RemoteArchive
from services.spectator.rpcs import SpectatorService
from services.spectator.tracks import Tracks
from services.spectator.watchful import Watchful

LISTEN_AGAIN_S = 1.0


async def bind(host: Host) -> None:
    """Serve the RPCs and read every partition of every game log."""
    await start(host)


async def start(host: Host, tracks: Tracks | None = None) -> Hub:
    """As `bind`; `tracks` holds the matches in memory. Returns what the streams stand on."""
    rulebooks = catalogue.build_all(host.settings.content_dir)
    partitions = {}
    for topic in map(topic_of, rulebooks):
        await host.log.ensure_topic(topic, host.settings.topic_partitions)
        partitions[topic] = await host.log.partitions(topic)
    watchful = Watchful(host.metrics, host.clock, host.serving, partitions)

    def place_of(match_id: str) -> Place:
        topic = topic_of(catalogue.of_match(match_id))
        return Place(topic, partition_of(match_id, partitions[topic]))

    hub = Hub(
        loader=Loader(host.log, RemoteArchive(host.channel("replay"))),
        observer=watchful,
        rulebook=lambda match_id: rulebooks[catalogue.of_match(match_id)],
        place_of=place_of,
        tracks=tracks,
    )
    for place in (Place(topic, partition) for topic, count in partitions.items() for partition in range(count)):
        hub.feeds[place] = Feed(host.log, host.cache, place, hub, host.clock.monotonic)
    _serve(host, hub, watchful)
    _read(host, hub, watchful, partitions)
    return hub


def _serve(host: Host, hub: Hub, watchful: Watchful) -> None:
    service = SpectatorService(
        hub=hub,
        cache=host.cache,
        lists=Listing(hub, host.cache, host.player_names),
        watchful=watchful,
        slow_after=host.settings.client_queue,
        tracing=host.tracing,
        clock=host.clock,
    )
    spectator_pb2_grpc.add_SpectatorServiceServicer_to_server(service, host.server)


def _read(host: Host, hub: Hub, watchful: Watchful, topics: Iterable[str]) -> None:
    feeds = tuple(hub.feeds.values())
    for feed in feeds:
        _ = host.spawn(f"{feed.place.topic}/{feed.place.partition}", feed.run())
    for topic in topics:
        _ = host.spawn(f"wakes of {topic}", _listen(host.cache, topic, hub))
    _ = host.spawn("catch up", _catch_up(feeds, watchful))
    keepers = tuple(feed.keeper for feed in feeds)
    _ = host.spawn("keep", save_for_ever(keepers))

    async def positions() -> dict[tuple[str, int], int]:
        return {(feed.place.topic, feed.place.partition): feed.fence.position for feed in feeds}

    def live() -> dict[str, int]:
        rulebooks = {topic_of(name): name for name in catalogue.names()}
        found = dict.fromkeys(rulebooks.values(), 0)
        for feed in feeds:
            found[rulebooks[feed.place.topic]] += len(feed.index)
        return found

    watchful.watch(hub.counts, live)
    _ = host.spawn("progress", watchful.progress.watch(host.log, host.clock, positions))
    host.on_drain(lambda: save_all(keepers))


async def _catch_up(feeds: Iterable[Feed], watchful: Watchful) -> None:
    for feed in feeds:
        await feed.caught_up.wait()
    watchful.caught_up()


async def _listen(cache: SessionCache, topic: str, hub: Hub) -> None:
    """Hear the engines' hints: whoever waits for a deadline looks again."""
    while True:
        with contextlib.suppress(CacheUnavailable):
            async for _, hint in cache.wakes(wake_channel(topic)):
                woken = partitions_of(hint)
                for place, feed in hub.feeds.items():
                    if place.topic == topic and (not woken or place.partition in woken):
                        feed.wake()
        await asyncio.sleep(LISTEN_AGAIN_S)
