"""Matches that are watched, or were lately: folded as commits come in, the least recently active given up first."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator

from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.takeovers import Counted
from ludolog.kernel import Viewer
from ludolog.record.story import Story
from ludolog.sessions.hints import Deadlines
from services.spectator.feed import Place

STEPS = 50_000
"""Most steps kept in memory, over all matches that nobody watches."""
RING = 1024
"""Most steps kept of one match. Whoever wants older ones waits for the archive."""


class Track:
    """One match. Stories may be ahead of the feed, never behind it."""

    def __init__(self, match_id: str, place: Place, story: Story) -> None:
        self.match_id = match_id
        self.place = place
        self.story = story
        self.watchers = 0
        self.failure = ""
        """Why it is stopped; empty while all is well."""
        self.asked: tuple[int, asyncio.Task[Deadlines | None]] | None = None
        """(sequence number, the question when its decisions are due): asked once for all who watch."""
        self.news = asyncio.Event()
        """Set, and replaced, whenever there is a new step or a failure."""

    def add(self, item: Counted) -> bool:
        """Take a commit; False if it is known already. BrokenChain, UnknownEvent."""
        if item.commit.sequence <= self.story.head.sequence:
            return False
        self.story.extend(item.value, item.commit)
        self._tell()
        return True

    def fail(self, why: str) -> None:
        """Stop: streams end with an error."""
        self.failure = why
        self._tell()

    def _tell(self) -> None:
        self.news.set()
        self.news = asyncio.Event()


class Tracks:
    """The matches that are kept."""

    def __init__(self, most_steps: int = STEPS) -> None:
        self._most = most_steps
        self._kept: OrderedDict[str, Track] = OrderedDict()
        self._idle_steps = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, match_id: str) -> Track | None:
        """A match that is kept."""
        return self._kept.get(match_id)

    def put(self, track: Track) -> None:
        """Keep a match; others may have to go."""
        track.story.trim(RING)
        self._kept[track.match_id] = track
        self.used(track)

    def used(self, track: Track) -> None:
        """A match was active: it is the last to go."""
        if self._kept.get(track.match_id) is track:
            self._kept.move_to_end(track.match_id)
        self._make_room()

    def of_place(self, place: Place) -> Iterator[Track]:
        """The matches of a partition."""
        return iter([track for track in self._kept.values() if track.place == place])

    def drop(self, track: Track, why: str) -> None:
        """Stop a match and forget it."""
        track.fail(why)
        if self._kept.get(track.match_id) is track:
            del self._kept[track.match_id]

    def _make_room(self) -> None:
        # Counted anew only when a rough count says that it may be time: each step moves a match by one.
        self._idle_steps += 1
        if self._idle_steps < self._most // 8:
            return
        idle = [track for track in self._kept.values() if not track.watchers]
        total = sum(len(track.story.steps) for track in idle)
        for track in idle:
            if total <= self._most:
                break
            total -= len(track.story.steps)
            del self._kept[track.match_id]
        self._idle_steps = 0


class Updates:
    """What each audience is told of each commit: worked out once, however many watch."""

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._made: OrderedDict[tuple[str, int, Viewer, bool], match_pb2.Update] = OrderedDict()
        self.computed = 0

    def of(self, match_id: str, story: Story, sequence: int, viewer: Viewer, *, snapshot: bool) -> match_pb2.Update:
        """An update; shared, so never to be changed. LookupError for a step that the story has forgotten."""
        key = match_id, sequence, viewer, snapshot
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = story.update(sequence, viewer, snapshot=snapshot)
            self.computed += 1
            if len(self._made) > self._most:
                self._made.popitem(last=False)
        return made

    def forget(self) -> None:
        """The log is another one: what was told holds no more."""
        self._made.clear()
