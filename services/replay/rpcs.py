"""The RPCs of the archive, and what they are bound to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc

from ludolog.api.gateway.v1 import play_pb2, replays_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.api.replay.v1 import replay_pb2, replay_pb2_grpc
from ludolog.hosting import caller, names, require_player
from ludolog.kernel import BadInput, Rulebook
from ludolog.sessions.port import SessionCache
from services.replay import access, messages, pages
from services.replay.library import Library
from services.replay.proofs import Proofs

Context = grpc.aio.ServicerContext[Any, Any]

COMMITS = 1000
COMMITS_BYTES = 2 * 1024 * 1024
"""Most of one GetCommits answer: gRPC takes 4 MiB."""
CHUNK_BYTES = 64 * 1024
FASTEST = 1000.0
"""Most frames a second where a speed is asked for."""
TURN = (int, int, str)
END = (int, str)


class ArchiveService(replay_pb2_grpc.ArchiveServiceServicer):
    """Answers from the database; folds what a frame needs."""

    def __init__(
        self,
        *,
        library: Library,
        proofs: Proofs,
        player_names: messages.Names,
        cache: SessionCache,
        rulebook: Callable[[str], Rulebook[Any]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`rulebook` gives a rulebook by its name; `sleep` waits between the frames of a stream that has a speed."""
        self._library = library
        self._queries = library.queries
        self._proofs = proofs
        self._names = player_names
        self._cache = cache
        self._rulebook = rulebook
        self._sleep = sleep

    async def ListMyMatches(
        self, request: play_pb2.ListMyMatchesRequest, context: Context
    ) -> play_pb2.ListMyMatchesResponse:
        """The caller's matches: those that wait for the caller first, then by last move."""
        player = require_player().player_id
        rulebook = names.rulebook_of(request.rulebook, "rulebook") if request.rulebook else ""
        size, kind = pages.page_size(request.page_size), f"mine/{player}/{rulebook}/{int(request.live_only)}"
        rows = await self._queries.matches_of(
            player,
            rulebook=rulebook,
            live_only=request.live_only,
            after=pages.key_of(kind, request.page_token, TURN),
            limit=size + 1,
        )
        following = ""
        if len(rows) > size:
            last = rows[size - 1]
            turn = any(seat.to_move and seat.player_id == player for seat in last.seats)
            following = pages.token(kind, (int(turn), last.update_ms, last.match_id))
        shown = await messages.matches(rows[:size], self._names, self._cache, player)
        return play_pb2.ListMyMatchesResponse(matches=shown, next_page_token=following)

    async def GetMatch(self, request: play_pb2.GetMatchRequest, context: Context) -> play_pb2.Match:
        """One match."""
        row = await self._library.match(names.match_of(request.name))
        access.check_match(row, caller())
        (match,) = await messages.matches([row], self._names, self._cache, caller().player_id)
        match.content_digest = await self._library.content_digest(row.match_id)
        return match

    async def ListReplays(
        self, request: replays_pb2.ListReplaysRequest, context: Context
    ) -> replays_pb2.ListReplaysResponse:
        """Finished matches, the newest first."""
        viewer = caller().player_id
        rulebook = names.rulebook_of(request.rulebook, "rulebook") if request.rulebook else ""
        player = names.player_of(request.player, viewer, "player") if request.player else ""
        size, kind = pages.page_size(request.page_size), f"replays/{rulebook}/{player}"
        after = pages.key_of(kind, request.page_token, END)
        rows = await self._queries.replays(viewer=viewer, rulebook=rulebook, player=player, after=after, limit=size + 1)
        following = ""
        if len(rows) > size:
            following = pages.token(kind, (rows[size - 1].end_ms or 0, rows[size - 1].match_id))
        shown = await messages.replays(rows[:size], self._names)
        return replays_pb2.ListReplaysResponse(replays=shown, next_page_token=following)

    async def GetReplay(self, request: replays_pb2.GetReplayRequest, context: Context) -> replays_pb2.Replay:
        """One finished match."""
        row = await self._library.finished(names.replay_of(request.name))
        access.check_match(row, caller())
        (replay,) = await messages.replays([row], self._names)
        replay.content_digest = await self._library.content_digest(row.match_id)
        return replay

    async def GetFrame(self, request: replays_pb2.GetFrameRequest, context: Context) -> match_pb2.Update:
        """One frame: byte for byte what its audience was sent while the match was on."""
        if request.sequence < 0:
            raise BadInput("sequence", "must not be negative")
        match_id = names.replay_of(request.name)
        viewer = access.viewer_of(await self._library.match(match_id), request.perspective, caller())
        story = await self._library.story(match_id, request.sequence)
        access.check_recall(story.rulebook, story.match, viewer)
        return story.update(request.sequence or story.head.sequence, viewer)

    async def StreamFrames(
        self, request: replays_pb2.StreamFramesRequest, context: Context
    ) -> AsyncIterator[match_pb2.Update]:
        """Frames up to the last one that is archived, as fast as the reader takes them or at a speed."""
        speed = request.frames_per_second
        if not 0 <= speed <= FASTEST:
            raise BadInput("frames_per_second", f"must be 0 to {FASTEST:g}")
        if request.from_sequence < 0:
            raise BadInput("from_sequence", "must not be negative")
        match_id, first = names.replay_of(request.name), request.from_sequence or 1
        viewer = access.viewer_of(await self._library.match(match_id), request.perspective, caller())
        await self._library.story(match_id, first)
        story = await self._library.story(match_id, 0)
        access.check_recall(story.rulebook, story.match, viewer)
        for sequence in range(first, story.head.sequence + 1):
            yield story.update(sequence, viewer)
            await self._sleep(1 / speed if speed and sequence < story.head.sequence else 0)

    async def ExportReplay(
        self, request: replays_pb2.ExportReplayRequest, context: Context
    ) -> AsyncIterator[replays_pb2.ExportReplayResponse]:
        """The match record in chunks."""
        file = await self._file(names.replay_of(request.name))
        for start in range(0, len(file), CHUNK_BYTES):
            yield replays_pb2.ExportReplayResponse(chunk=file[start : start + CHUNK_BYTES])

    async def VerifyReplay(
        self, request: replays_pb2.VerifyReplayRequest, context: Context
    ) -> replays_pb2.VerifyReplayResponse:
        """Verify the file that ExportReplay gives."""
        return await self._proofs.verified(await self._file(names.replay_of(request.name)))

    async def GetCommits(
        self, request: replay_pb2.GetCommitsRequest, context: Context
    ) -> replay_pb2.GetCommitsResponse:
        """Stored records and the archive's position, read in one moment. Services only."""
        if request.from_sequence < 1:
            raise BadInput("from_sequence", "must be at least 1")
        match_id = names.match_of(request.name)
        place = self._library.place_of(match_id)
        stretch = await self._queries.stretch(place, match_id, request.from_sequence, COMMITS)
        response = replay_pb2.GetCommitsResponse(
            position=stretch.checkpoint.position,
            in_force=stretch.checkpoint.in_force,
            bookmark_digest=stretch.checkpoint.bookmark,
            more=stretch.more,
        )
        size = 0
        for stored in stretch.commits:
            size += len(stored.record)
            if size > COMMITS_BYTES and response.commits:
                response.more = True
                break
            response.commits.add(offset=stored.offset, record=stored.record)
        return response

    async def _file(self, match_id: str) -> bytes:
        row = await self._library.finished(match_id)
        access.check_match(row, caller())
        seed = await self._queries.seed(match_id)
        if seed is None:
            raise access.not_yet("SEED_NOT_REVEALED", "the seed of this match isn't revealed yet")
        records = [record async for record in self._library.records(match_id)]
        return await self._proofs.file(self._rulebook(row.rulebook), records, seed)
