"""Commands to the owner of a stream, wherever that is: the service's own, and calls that came to the wrong instance."""

from __future__ import annotations

from typing import Any, Protocol

import grpc
from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.api.matchmaking.v1 import matchmaking_pb2_grpc
from ludolog.eventlog.answers import CommandIdReused, Confirmed, LogAway, Receipt
from ludolog.hosting import EngineRouter, NotOwner
from ludolog.hosting.errors import told
from ludolog.kernel import Refusal
from services.matchmaking.aggregate import COMMANDS, MATCHMAKING, State, cause

HOP = "ludolog-hop"
"""Metadata of a call that was handed on once: it isn't handed on again."""
NO_DEADLINE_S = 1_000_000
DEFINITE = frozenset({grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.INVALID_ARGUMENT})
"""Answers of an owner that mean: this didn't happen, and this request never will."""
REUSED = "COMMAND_ID_REUSED"


class Owns(Protocol):
    """What is needed of the owner of the partitions."""

    def serves(self, stream_id: str) -> bool:
        """True if commands for this stream are taken here now."""

    @property
    def log_away(self) -> bool:
        """True while the log doesn't answer."""

    async def submit(self, stream_id: str, cause: log_pb2.Cause, *, traceparent: str = "") -> Receipt:
        """Have a command judged and written."""

    async def confirmed(self, stream_id: str, minimum_sequence: int = 0) -> Confirmed[State]:
        """The confirmed state."""

    async def settled(self, stream_id: str) -> Confirmed[State]:
        """The confirmed state, after a barrier."""


def is_definite(error: grpc.aio.AioRpcError) -> bool:
    """True where an engine says that it refuses the request, and always will.

    An id that counts with another body refuses nothing: there is such a match, and it isn't ours to void.
    """
    return error.code() in DEFINITE and told(error).reason != REUSED


class Commander:
    """Routes to owners."""

    def __init__(self, owner: Owns, router: EngineRouter, timeout_s: float) -> None:
        self._owner, self._router, self._timeout_s = owner, router, timeout_s

    async def settle(self, stream_id: str, command_id: str, command: Message) -> str:
        """Have a command of the service itself written. "" where it counts, the reason where it is refused for ever.

        NotOwner, Unavailable, LogError, AioRpcError: unknown, repeat with the same id.
        """
        try:
            if self._owner.serves(stream_id):
                await self._owner.submit(stream_id, cause(MATCHMAKING, command_id, command))
            else:
                await self._send(stream_id, command_id, command)
        except Refusal as refusal:
            return refusal.reason
        except CommandIdReused:
            return REUSED
        except grpc.aio.AioRpcError as error:
            if error.code() in DEFINITE:
                return told(error).reason
            raise
        return ""

    async def _send(self, stream_id: str, command_id: str, command: Message) -> None:
        request = pb.SubmitCommandRequest(stream_id=stream_id, command_id=command_id, command=COMMANDS.wrap(command))
        await self._stub(stream_id).SubmitCommand(request, metadata=((HOP, "1"),), timeout=self._timeout_s)

    async def hand_on(self, stream_id: str, method: str, request: Message, context: Any) -> Message | None:
        """Have a call that came to the wrong instance answered by the stream's owner; None where this is the right one.

        NotOwner for a call that was handed on already; LogAway where nobody can write now.
        """
        if self._owner.serves(stream_id):
            return None
        if self._owner.log_away:
            raise LogAway
        metadata = dict(context.invocation_metadata() or ())
        if HOP in metadata:
            raise NotOwner
        kept = tuple((key, value) for key, value in metadata.items() if key == "authorization")
        left = context.time_remaining()
        timeout = self._timeout_s if left is None or left > NO_DEADLINE_S else left
        call = getattr(self._stub(stream_id), method)
        answer: Message = await call(request, metadata=(*kept, (HOP, "1")), timeout=timeout)
        return answer

    def _stub(self, stream_id: str) -> Any:
        return matchmaking_pb2_grpc.MatchmakingServiceStub(self._router.channel_for(stream_id))
