"""A match that isn't in memory: from the archive, and from the log where the archive ends."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import grpc

from ludolog.api.replay.v1 import replay_pb2, replay_pb2_grpc
from ludolog.eventlog.port import EventLog, LogError
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Fence, resume
from ludolog.hosting.errors import Unavailable
from ludolog.kernel import Rulebook
from ludolog.record.commits import parse_record
from ludolog.record.story import Story
from services.spectator.feed import Feed

log = logging.getLogger(__name__)

READ = 500
"""Records asked of the log at once."""
CALL_S = 5.0


@dataclass(frozen=True, slots=True)
class Archived:
    """What the archive has of a match, and where in the partition it stands."""

    records: Sequence[bytes]
    checkpoint: Checkpoint


class Archive(Protocol):
    """The archive of the logs."""

    async def match(self, match_id: str) -> Archived:
        """Every counted commit of a match before the archive's position. Unavailable."""


class RemoteArchive:
    """The archive behind replay's ArchiveService."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = replay_pb2_grpc.ArchiveServiceStub(channel)

    async def match(self, match_id: str) -> Archived:
        """Every counted commit of a match before the archive's position. Unavailable."""
        records: list[bytes] = []
        while True:
            request = replay_pb2.GetCommitsRequest(name=f"matches/{match_id}", from_sequence=len(records) + 1)
            try:
                page = await self._stub.GetCommits(request, timeout=CALL_S)
            except grpc.aio.AioRpcError as error:
                raise Unavailable(f"the archive doesn't answer: {error.code().name}") from error
            records += [stored.record for stored in page.commits]
            if not page.more:
                # The last page is the newest: whatever counts before its position has come.
                return Archived(records, Checkpoint(page.position, page.in_force, page.bookmark_digest))


class Loader:
    """Folds matches from storage."""

    def __init__(self, events: EventLog, archive: Archive) -> None:
        self._events = events
        self._archive = archive

    async def story(self, rulebook: Rulebook[Any], feed: Feed, match_id: str) -> Story:
        """A match from its first commit to the feed's position, or a little further; empty where the log has none.

        On return the feed hasn't moved past the story. Unavailable while neither archive nor log gives it;
        UnknownEvent, BrokenChain where it can't be folded.
        """
        story = Story(rulebook)
        fence = await self._begin(feed, match_id, story)
        where = feed.place.topic, feed.place.partition
        try:
            while fence.position < feed.fence.position:
                batch = await self._events.read(*where, fence.position, READ)
                for item in fence.count(batch):
                    if item.commit.stream_id == match_id and item.commit.sequence > story.head.sequence:
                        story.extend(item.value, item.commit)
                if not batch:
                    raise Unavailable("the log is shorter than it was")
        except LogError as error:
            raise Unavailable(f"the log doesn't answer: {error}") from error
        return story

    async def _begin(self, feed: Feed, match_id: str, story: Story) -> Fence:
        """Fold what the archive has; return where the log goes on from."""
        try:
            archived = await self._archive.match(match_id)
            fence = await resume(self._events, feed.place.topic, feed.place.partition, archived.checkpoint)
        except (Unavailable, LogError) as error:
            log.warning("a match is loaded without the archive: %s", error)
            return self._without_archive(feed, match_id, isinstance(error, AnotherLog))
        for record in archived.records:
            story.extend(record, parse_record(record).commit)
        return fence

    def _without_archive(self, feed: Feed, match_id: str, another: bool) -> Fence:  # noqa: FBT001 - one caller
        entry = feed.index.get(match_id)
        if entry is not None:
            return Fence(Checkpoint(entry.begins, entry.in_force))
        if another:
            return Fence(Checkpoint())
        raise Unavailable("the archive doesn't answer, and the match isn't on")
