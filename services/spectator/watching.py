"""The update streams: who may watch what, where a stream begins, and that it shows each number once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.hosting.authorisation import check_eyes, check_spectator
from ludolog.hosting.errors import NotFound, OutOfRange, TooMuch, Unavailable
from ludolog.hosting.identity import Caller
from ludolog.kernel import SPECTATOR, Rulebook, Seat, Seated, Viewer
from ludolog.record.match import Match
from ludolog.record.story import Story
from ludolog.sessions.hints import Deadlines, deadlines_key
from ludolog.sessions.port import CacheUnavailable, SessionCache
from services.spectator.feed import Feed
from services.spectator.hub import Hub
from services.spectator.tracks import Track

HINT_S = 0.05
"""Longest that an update waits for the engine to say when its decisions are due."""
HINTS = 5
"""Most looks at the cache meanwhile."""


def viewer_of(match: Match[Any], seat: int | None, caller: Caller) -> Viewer:
    """Whose eyes a caller may watch with. NotFound for no such seat; Unauthenticated, PermissionDenied."""
    players = {sitting.seat: sitting.player_id for sitting in match.founding.seats} if match.founding else {}
    if seat is not None:
        if seat not in players:
            raise NotFound("no such seat")
        check_eyes(players[seat], caller)
        return Seated(Seat(seat))
    policy = match.founding.spectator_policy if match.founding else log_pb2.SPECTATOR_POLICY_PUBLIC
    check_spectator(caller, players.values(), seats_only=policy == log_pb2.SPECTATOR_POLICY_SEATS)
    return SPECTATOR


def recalls(rulebook: Rulebook[Any], match: Match[Any], viewer: Viewer) -> bool:
    """Whether a viewer may be shown earlier updates again: always after the end."""
    if match.outcome is not None or match.founding is None:
        return True
    return rulebook.edition(match.content_digest).may_recall(match.game, viewer)


def clocked(match: Match[Any]) -> bool:
    """Whether decisions of a match have deadlines: the table settled that, with or without the rulebook's default."""
    return match.founding is not None and match.founding.decision_time.ToMilliseconds() > 0


class Stream:
    """One watcher's updates. It holds nothing but a number: whoever is slow costs no memory."""

    def __init__(self, hub: Hub, cache: SessionCache, track: Track, viewer: Viewer, slow_after: int) -> None:
        """A reader that falls more than `slow_after` updates behind the match, once it was up to date, is ended."""
        self._hub = hub
        self._cache = cache
        self._track = track
        self._story = track.story
        self._viewer = viewer
        self._slow_after = slow_after

    async def updates(self, from_sequence: int) -> AsyncGenerator[match_pb2.Update, None]:
        """Updates from a number on, or a snapshot of now for 0; ends after the match's last.

        OutOfRange beyond the next number; TooMuch for a slow reader; Unavailable where the match can't be followed.
        """
        if from_sequence > self._story.head.sequence + 1:
            await self._hub.barrier(self._track.match_id)
        head = self._story.head.sequence
        if from_sequence > head + 1:
            raise OutOfRange(f"the match is at {head}", head=head)
        following = from_sequence
        if self._begins_with_snapshot(from_sequence):
            following = head + 1
            yield await self._due(self._told(self._story, head, snapshot=True), head)
        past: Story | None = None
        up_to_date = False
        while not (self._story.over and following > self._story.head.sequence):
            if self._track.failure:
                raise Unavailable(self._track.failure, reason="MATCH_STOPPED")
            behind = self._story.head.sequence - following + 1
            if behind == 0:
                past, up_to_date = None, True
                await self._track.news.wait()
                continue
            if up_to_date and behind > self._slow_after:
                raise TooMuch(
                    "SLOW_READER", "too slow: go on from next_sequence", retry_after_ms=0, next_sequence=following
                )
            if following < self._story.first and (past is None or following > past.head.sequence):
                past = await self._hub.past(self._track)
            source = self._story if following >= self._story.first or past is None else past
            yield await self._due(self._told(source, following), following)
            following += 1

    def _begins_with_snapshot(self, from_sequence: int) -> bool:
        if from_sequence > self._story.head.sequence:
            return False
        return from_sequence == 0 or not recalls(self._story.rulebook, self._story.match, self._viewer)

    def _told(self, story: Story, sequence: int, *, snapshot: bool = False) -> match_pb2.Update:
        return self._hub.update(self._track, story, sequence, self._viewer, snapshot=snapshot)

    async def _due(self, update: match_pb2.Update, sequence: int) -> match_pb2.Update:
        """An update of the present with the deadlines of its decisions, where there are any."""
        present = sequence == self._story.head.sequence
        if not present or not update.awaiting or not clocked(self._story.match):
            return update
        deadlines = await self._deadlines(sequence, wait=not update.snapshot)
        if deadlines is None:
            return update
        dated = match_pb2.Update()
        dated.CopyFrom(update)
        deadlines.add_to(dated.awaiting)
        return dated

    async def _deadlines(self, sequence: int, *, wait: bool) -> Deadlines | None:
        if not wait:
            return await _look(self._cache, self._track.match_id, sequence)
        asked = self._track.asked
        if asked is None or asked[0] != sequence:
            feed = self._hub.feed_of(self._track.match_id)
            task = asyncio.get_running_loop().create_task(_await(self._cache, feed, self._track, sequence))
            asked = self._track.asked = sequence, task
        return await asyncio.shield(asked[1])


async def _look(cache: SessionCache, match_id: str, sequence: int) -> Deadlines | None:
    try:
        data = await cache.get(deadlines_key(match_id))
        found = Deadlines.load(data) if data else None
    except (CacheUnavailable, ValueError):
        return None
    return found if found is not None and found.sequence == sequence else None


async def _await(cache: SessionCache, feed: Feed, track: Track, sequence: int) -> Deadlines | None:
    """Look, and look again when the engine has said something, for a moment only: it writes just after its commit."""
    for _ in range(HINTS):
        woken = feed.woken
        found = await _look(cache, track.match_id, sequence)
        if found is not None or track.story.head.sequence != sequence:
            return found
        try:
            async with asyncio.timeout(HINT_S):
                await woken.wait()
        except TimeoutError:
            break
    return await _look(cache, track.match_id, sequence)
