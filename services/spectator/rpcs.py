"""The RPCs of the spectator service."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.api.spectator.v1 import spectator_pb2_grpc
from ludolog.hosting import Clock, TooMuch, Tracing, caller, names
from ludolog.kernel import BadInput
from ludolog.rulebooks import catalogue
from ludolog.sessions.port import SessionCache
from services.spectator import listing
from services.spectator.hub import Hub
from services.spectator.listing import Listing
from services.spectator.tracks import Track
from services.spectator.watchful import Watchful
from services.spectator.watching import Stream, viewer_of

Context = grpc.aio.ServicerContext[Any, Any]
FRESH_MS = 60_000
"""Commits older than this are history: whoever looks at them is no part of their traces."""


class SpectatorService(spectator_pb2_grpc.SpectatorServiceServicer):
    """Streams and lists."""

    def __init__(
        self,
        *,
        hub: Hub,
        cache: SessionCache,
        lists: Listing,
        watchful: Watchful,
        slow_after: int,
        tracing: Tracing,
        clock: Clock,
    ) -> None:
        """`slow_after`: how many updates a reader may fall behind before its stream is ended."""
        self._hub = hub
        self._cache = cache
        self._lists = lists
        self._watchful = watchful
        self._slow_after = slow_after
        self._tracing, self._clock = tracing, clock

    async def Watch(self, request: play_pb2.WatchRequest, context: Context) -> AsyncIterator[match_pb2.Update]:
        """The updates of one audience from a number on."""
        match_id, seat = names.audience_of(request.name)
        if request.from_sequence < 0:
            raise BadInput("from_sequence", "must not be negative")
        track = await self._hub.track(match_id)
        viewer = viewer_of(track.story.match, seat, caller())
        stream = Stream(self._hub, self._cache, track, viewer, self._slow_after)
        track.watchers += 1
        self._watchful.opened()
        try:
            async with contextlib.aclosing(stream.updates(request.from_sequence)) as updates:
                async for update in updates:
                    yield self._traced(track, update, seat) if self._tracing.on else update
        except TooMuch:
            self._watchful.too_slow()
            raise
        finally:
            track.watchers -= 1
            self._watchful.closed()

    def _traced(self, track: Track, update: match_pb2.Update, seat: int | None) -> match_pb2.Update:
        """An update that goes on with the trace of its commit, if that was traced and is new."""
        if update.snapshot or update.sequence < track.story.first:
            return update
        commit = track.story.step(update.sequence).commit
        if not commit.traceparent or self._clock.now_ms() - commit.commit_time.ToMilliseconds() > FRESH_MS:
            return update
        about: dict[str, str | int] = {"match": track.match_id, "sequence": update.sequence, "seat": seat or 0}
        traced = match_pb2.Update()
        traced.CopyFrom(update)
        traced.traceparent = self._tracing.mark("show", commit.traceparent, **about)
        return traced

    async def ListLiveMatches(
        self, request: play_pb2.ListLiveMatchesRequest, context: Context
    ) -> play_pb2.ListLiveMatchesResponse:
        """Public matches that are on, the most recently active first."""
        rulebook = names.rulebook_of(request.rulebook, "rulebook") if request.rulebook else ""
        live = (entry for feed in self._hub.feeds.values() for entry in feed.index)
        wanted = (entry for entry in live if not rulebook or catalogue.of_match(entry.match_id) == rulebook)
        page, token = listing.page_of(wanted, request.page_size, listing.key_of(request.page_token))
        rulebooks = {entry.match_id: catalogue.of_match(entry.match_id) for entry in page}
        shown = await self._lists.matches(rulebooks, page)
        return play_pb2.ListLiveMatchesResponse(matches=shown, next_page_token=token)
