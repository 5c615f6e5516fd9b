"""What the RPCs look things up in, with a barrier before an answer that something isn't there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import grpc

from ludolog.eventlog.port import EventLog
from ludolog.hosting.errors import ApiError, NotFound, OutOfRange, Unavailable
from ludolog.record.commits import parse_record
from ludolog.record.story import Story
from services.replay.histories import Histories
from services.replay.projection import Place
from services.replay.queries import MatchRow, Queries
from services.replay.tables import CORRUPT

PATIENCE_S = 3.0
"""Longest wait for the archive to reach the log's end."""
POLL_S = (0.01, 0.2)
RECORDS = 500


class Library:
    """The archive, as its readers see it."""

    def __init__(
        self, events: EventLog, queries: Queries, histories: Histories, place_of: Callable[[str], Place]
    ) -> None:
        """`place_of` gives the partition of a match id."""
        self.queries = queries
        self.place_of = place_of
        self._events = events
        self._histories = histories

    async def match(self, match_id: str) -> MatchRow:
        """A match. NotFound after the archive has read the log to its end; DATA_LOSS for a corrupt one; Unavailable."""
        row = await self.queries.match(match_id)
        if row is None:
            await self.barrier(match_id)
            row = await self.queries.match(match_id)
        if row is None:
            raise NotFound("no such match")
        if row.status == CORRUPT:
            raise ApiError(grpc.StatusCode.DATA_LOSS, "MATCH_CORRUPT", "this match's record is damaged")
        return row

    async def finished(self, match_id: str) -> MatchRow:
        """A finished match. NotFound for one that is on, too."""
        row = await self.match(match_id)
        if not row.finished:
            await self.barrier(match_id)
            row = await self.match(match_id)
        if not row.finished or not row.founded:
            raise NotFound("no such replay: it comes when the match is over", reason="NOT_ARCHIVED")
        return row

    async def story(self, match_id: str, sequence: int) -> Story:
        """A match up to a commit at least; 0: the last one there is. OutOfRange beyond it."""
        place = self.place_of(match_id)
        row = await self.match(match_id)
        if sequence > row.head.sequence:
            await self.barrier(match_id)
            row = await self.match(match_id)
        if sequence > row.head.sequence:
            raise OutOfRange(f"the match is at {row.head.sequence}", head=row.head.sequence)
        return await self._histories.story(match_id, place, sequence or row.head.sequence)

    async def content_digest(self, match_id: str) -> bytes:
        """SHA-256 of the content that a match was begun with, as its first commit says."""
        stretch = await self.queries.stretch(self.place_of(match_id), match_id, 1, 1)
        return parse_record(stretch.commits[0].record).commit.content_digest if stretch.commits else b""

    async def records(self, match_id: str) -> AsyncIterator[bytes]:
        """The records of a match as stored, in order."""
        sequence, more = 1, True
        while more:
            stretch = await self.queries.stretch(self.place_of(match_id), match_id, sequence, RECORDS)
            for stored in stretch.commits:
                yield stored.record
            sequence, more = sequence + len(stretch.commits), stretch.more

    async def barrier(self, match_id: str) -> None:
        """Wait until all is archived that is in the match's partition now. Unavailable if that takes too long."""
        place = self.place_of(match_id)
        end = await self._events.end_offset(place.topic, place.partition)
        wait = POLL_S[0]
        try:
            async with asyncio.timeout(PATIENCE_S):
                # Another instance may be the one that writes: what it has reached stands in the database.
                while await self.queries.position(place) < end:
                    await asyncio.sleep(wait)
                    wait = min(2 * wait, POLL_S[1])
        except TimeoutError:
            raise Unavailable("the archive isn't at the log's end yet", reason="CATCHING_UP") from None
