"""What the streams stand on: the feeds of every partition, the matches in memory, and the way to get one that isn't."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import grpc

from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.port import LogError
from ludolog.eventlog.takeovers import Counted
from ludolog.hosting.errors import ApiError, NotFound, Unavailable
from ludolog.kernel import Rulebook, UnknownEvent, Viewer
from ludolog.record.commits import UnreadableRecord
from ludolog.record.story import BrokenChain, Story
from services.spectator.feed import Feed, Place
from services.spectator.loading import Loader
from services.spectator.tracks import Track, Tracks, Updates

T = TypeVar("T")
PATIENCE_S = 5.0
"""Longest wait for the log's end before a caller is told to ask again."""


class Observer(Protocol):
    """What wants to know how it goes: metrics and health."""

    def void(self, place: Place) -> None:
        """A void commit was skipped."""

    def broken(self, place: Place) -> None:
        """A match is corrupt."""

    def stopped(self, place: Place, why: str) -> None:
        """A partition stands still."""


class Hub:
    """Hears the feeds, keeps matches, gives updates."""

    def __init__(
        self,
        *,
        loader: Loader,
        observer: Observer,
        rulebook: Callable[[str], Rulebook[Any]],
        place_of: Callable[[str], Place],
        tracks: Tracks | None = None,
        updates: Updates | None = None,
    ) -> None:
        """`rulebook` and `place_of` give the rulebook and the partition of a match id."""
        self.feeds: dict[Place, Feed] = {}
        self._loader = loader
        self._observer = observer
        self._rulebook = rulebook
        self._place_of = place_of
        self._tracks = tracks or Tracks()
        self._updates = updates or Updates()
        self._stopped: dict[Place, str] = {}
        self._loading: dict[str, asyncio.Task[Track]] = {}
        self._pasts: dict[str, asyncio.Task[Story]] = {}

    # ---- what feeds tell

    def commit(self, place: Place, item: Counted) -> None:
        """A counted commit that continues its match. UnknownEvent."""
        match_id = item.commit.stream_id
        track = self._tracks.get(match_id)
        if track is None:
            if item.commit.sequence == 1 and self.feeds[place].caught_up.is_set():
                story = Story(self._rulebook(match_id))
                story.extend(item.value, item.commit)
                self._tracks.put(Track(match_id, place, story))
            return
        try:
            if track.add(item):
                self._tracks.used(track)
        except BrokenChain as error:
            self._tracks.drop(track, str(error))
            self._observer.broken(place)

    def void(self, place: Place) -> None:
        """A void commit was skipped."""
        self._observer.void(place)

    def broken(self, place: Place, match_id: str, why: str) -> None:
        """A match is corrupt and stopped."""
        track = self._tracks.get(match_id)
        if track is not None:
            self._tracks.drop(track, why)
        self._observer.broken(place)

    def forget(self, place: Place) -> None:
        """The partition is another one than it was."""
        self._updates.forget()
        for track in self._tracks.of_place(place):
            self._tracks.drop(track, "the log is another one")

    def stopped(self, place: Place, why: str) -> None:
        """A partition stands still: its streams end, and nothing of it is served."""
        self._stopped[place] = why
        for track in self._tracks.of_place(place):
            self._tracks.drop(track, "the log can't be read on")
        self._observer.stopped(place, why)

    # ---- what streams ask

    def feed_of(self, match_id: str) -> Feed:
        """The feed that a match comes from. Unavailable if it stands still."""
        place = self._place_of(match_id)
        if place in self._stopped:
            raise Unavailable("this part of the log can't be read on", reason="LOG_UNREADABLE")
        return self.feeds[place]

    async def track(self, match_id: str) -> Track:
        """A match, loaded if need be. NotFound when the log was read to its end; Unavailable; DATA_LOSS if corrupt."""
        found = self._tracks.get(match_id)
        if found is None:
            found = await _shared(self._loading, match_id, lambda: self._load(match_id))
        self._tracks.used(found)
        return found

    async def past(self, track: Track) -> Story:
        """The whole story of a match whose beginning isn't in memory."""
        feed = self.feed_of(track.match_id)
        load = self._loader.story
        return await _shared(self._pasts, track.match_id, lambda: load(track.story.rulebook, feed, track.match_id))

    async def barrier(self, match_id: str) -> None:
        """Wait until everything is read that is in the log now. Unavailable if that takes too long."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self.feed_of(match_id).end_reached()
        except (TimeoutError, LogError) as error:
            raise Unavailable("the log isn't read to its end yet", reason="CATCHING_UP") from error

    def update(self, track: Track, story: Story, sequence: int, viewer: Viewer, *, snapshot: bool) -> match_pb2.Update:
        """What a viewer is told of a commit; shared, never to be changed."""
        return self._updates.of(track.match_id, story, sequence, viewer, snapshot=snapshot)

    def counts(self) -> Mapping[str, int]:
        """Figures for metrics."""
        return {"matches": len(self._tracks), "computed": self._updates.computed}

    async def _load(self, match_id: str) -> Track:
        feed = self.feed_of(match_id)
        entry = feed.index.get(match_id)
        if entry is None:
            await self.barrier(match_id)
        elif entry.broken:
            raise ApiError(grpc.StatusCode.DATA_LOSS, "MATCH_CORRUPT", "this match's record is damaged")
        try:
            story = await self._loader.story(self._rulebook(match_id), feed, match_id)
        except (UnknownEvent, UnreadableRecord) as error:
            raise Unavailable("this version can't read the match", reason="LOG_UNREADABLE") from error
        except BrokenChain as error:
            self._observer.broken(feed.place)
            raise ApiError(grpc.StatusCode.DATA_LOSS, "MATCH_CORRUPT", "this match's record is damaged") from error
        if not story.head.sequence:
            raise NotFound("no such match")
        track = self._tracks.get(match_id)
        if track is None:
            track = Track(match_id, feed.place, story)
            self._tracks.put(track)
        return track


async def _shared(tasks: dict[str, asyncio.Task[T]], key: str, work: Callable[[], Any]) -> T:
    """Do something once for all who ask meanwhile; it goes on when one of them gives up."""
    task = tasks.get(key)
    if task is None:
        task = tasks[key] = asyncio.get_running_loop().create_task(work())

        def done(finished: asyncio.Task[T]) -> None:
            tasks.pop(key, None)
            if not finished.cancelled():
                finished.exception()  # whoever asked may be gone

        task.add_done_callback(done)
    return await asyncio.shield(task)
