"""The archive of this engine's log, asked of replay. It may be away or behind: the log itself is read then."""

from __future__ import annotations

import grpc

from ludolog.api.replay.v1 import replay_pb2, replay_pb2_grpc
from ludolog.eventlog.archive import ArchivedCommits
from ludolog.eventlog.takeovers import Checkpoint
from ludolog.hosting import names

TIMEOUT_S = 2.0
MOST_PAGES = 100


class ReplayArchive:
    """Reads a match's commits page by page."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = replay_pb2_grpc.ArchiveServiceStub(channel)

    async def commits(self, stream_id: str, from_sequence: int) -> ArchivedCommits:
        """Counted commits from a number on. AioRpcError where replay is away; LookupError for more than 100 pages."""
        found: list[tuple[int, bytes]] = []
        checkpoint: Checkpoint | None = None
        for _ in range(MOST_PAGES):
            request = replay_pb2.GetCommitsRequest(
                name=names.match_name(stream_id), from_sequence=from_sequence + len(found)
            )
            page = await self._stub.GetCommits(request, timeout=TIMEOUT_S)
            checkpoint = checkpoint or Checkpoint(page.position, page.in_force, page.bookmark_digest)
            found += [(commit.offset, commit.record) for commit in page.commits]
            if not page.more:
                return ArchivedCommits(found, checkpoint)
        raise LookupError(f"{stream_id} has more pages in the archive than any match")
