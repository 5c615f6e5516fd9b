"""Finished matches."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, Literal

import grpc

from ludolog.api.gateway.v1 import replays_pb2, replays_pb2_grpc
from ludolog.api.match.v1 import match_pb2
from ludolog.client.connection import Connection
from ludolog.client.errors import from_call
from ludolog.client.streams import resumed

Eyes = int | Literal["spectator", "omniscient"]
VERIFY_S = 120.0
PATIENCE_S = 60.0


class Replays:
    """`client.replays`. A replay is named "replays/{match}"; the match's name will do."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stub = replays_pb2_grpc.ReplayServiceStub(connection.channel)

    async def list(self, rulebook: str = "", *, player: str = "", limit: int = 50) -> list[replays_pb2.Replay]:
        """The newest ones first. `player`: "players/me" for one's own."""
        found: list[replays_pb2.Replay] = []
        name = f"rulebooks/{rulebook}" if rulebook and "/" not in rulebook else rulebook
        request = replays_pb2.ListReplaysRequest(rulebook=name, player=player, page_size=min(limit, 100))
        while len(found) < limit:
            page: replays_pb2.ListReplaysResponse = await self._connection.call(self._stub.ListReplays, request)
            found += page.replays
            if not page.next_page_token:
                break
            request.page_token = page.next_page_token
        return found[:limit]

    async def get(self, name: str) -> replays_pb2.Replay:
        """One."""
        replay: replays_pb2.Replay = await self._connection.call(
            self._stub.GetReplay, replays_pb2.GetReplayRequest(name=_name(name))
        )
        return replay

    async def frame(self, name: str, sequence: int = 0, *, eyes: Eyes = "spectator") -> match_pb2.Update:
        """One frame (0: the last), seen with a seat's eyes (its number), a spectator's, or all-seeing ones."""
        request = replays_pb2.GetFrameRequest(name=_name(name), sequence=sequence, perspective=_perspective(eyes))
        update: match_pb2.Update = await self._connection.call(self._stub.GetFrame, request)
        return update

    async def frames(
        self, name: str, *, from_sequence: int = 1, eyes: Eyes = "spectator", frames_per_second: float = 0
    ) -> AsyncGenerator[match_pb2.Update, None]:
        """Frames in order, each once; `frames_per_second` 0: as fast as they are taken."""

        async def open_call(sequence: int) -> Any:
            request = replays_pb2.StreamFramesRequest(
                name=_name(name),
                from_sequence=sequence,
                perspective=_perspective(eyes),
                frames_per_second=frames_per_second,
            )
            return self._stub.StreamFrames(request, metadata=await self._connection.metadata())

        stream = resumed(open_call, from_sequence, PATIENCE_S)
        try:
            async for update in stream:
                yield update
        finally:
            await stream.aclose()

    async def export(self, name: str, path: str | os.PathLike[str]) -> int:
        """Write the match record to a file; return its size in bytes. The file appears complete or not at all."""
        target, size = Path(path), 0
        staged = target.with_name(f".{target.name}.part")
        call = self._stub.ExportReplay(
            replays_pb2.ExportReplayRequest(name=_name(name)), metadata=await self._connection.metadata()
        )
        try:
            with staged.open("wb") as file:
                async for part in call:
                    size += file.write(part.chunk)
            staged.replace(target)
        except grpc.aio.AioRpcError as failed:
            raise from_call(failed) from failed
        finally:
            call.cancel()
            staged.unlink(missing_ok=True)
        return size

    async def verify(self, name: str) -> replays_pb2.VerifyReplayResponse:
        """Have the server verify a match. To trust nobody: `export`, and verify the file yourself."""
        request = replays_pb2.VerifyReplayRequest(name=_name(name))
        answer: replays_pb2.VerifyReplayResponse = await self._connection.call(
            self._stub.VerifyReplay, request, VERIFY_S
        )
        return answer


def _name(name: str) -> str:
    return f"replays/{name.removeprefix('matches/')}" if not name.startswith("replays/") else name


def _perspective(eyes: Eyes) -> replays_pb2.Perspective:
    if isinstance(eyes, int):
        return replays_pb2.Perspective(seat=eyes)
    if eyes == "omniscient":
        return replays_pb2.Perspective(omniscient=True)
    return replays_pb2.Perspective(spectator=True)
