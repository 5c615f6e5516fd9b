"""Players' commands at the owner of a stream: judged and written once, answered by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.api.rng.v1 import rng_pb2, rng_pb2_grpc
from ludolog.eventlog.answers import CommandIdReused
from ludolog.hosting import ApiError, NotFound, PermissionDenied, TooMuch, Unavailable, names
from ludolog.kernel import Refusal
from services.matchmaking import requests
from services.matchmaking.aggregate import MATCHMAKING, cause, queue_id
from services.matchmaking.commanding import Owns
from services.matchmaking.hall import Listed
from services.matchmaking.invites import Guesses
from services.matchmaking.lobby import Lobby
from services.matchmaking.queues import Queue
from services.matchmaking.tables import Table

MOST_HOSTED = 20
"""Tables that a player may host before they start."""
RESERVE_TRIES = 5
HOSTED_RETRY_MS = 60_000
S = TypeVar("S", Table, Queue)


class Commands:
    """For streams that this instance owns: whoever calls has looked."""

    def __init__(
        self,
        owner: Owns,
        lobby: Lobby,
        guesses: Guesses,
        rng: grpc.aio.Channel,
        secret: bytes,
        trace: Callable[[], str],
    ) -> None:
        """`trace` gives the trace context of the call that is being handled; "" for none."""
        self._owner, self._lobby, self._guesses, self._secret = owner, lobby, guesses, secret
        self._trace = trace
        self._rng = rng_pb2_grpc.RngServiceStub(rng)

    # ---- tables

    def table_id(self, rulebook: str, player_id: str, request_id: str) -> str:
        """Id of the table that a request opens: the same for each repeat."""
        letters = requests.derived_id(self._secret, "table", player_id, f"{rulebook}\0{request_id}")
        return f"{requests.short_of(rulebook)}-{letters}"

    async def open_table(self, table_id: str, command: pb.OpenTable, request_id: str) -> Listed:
        """Open a table, or find it opened by this request before."""
        found = await self._state(table_id, Table)
        if not found.revision:
            if self._lobby.hosted_by(command.host_id) >= MOST_HOSTED:
                raise TooMuch("TOO_MANY_TABLES", "start or leave one first", retry_after_ms=HOSTED_RETRY_MS)
            full = pb.OpenTable()
            full.CopyFrom(command)
            full.commitment.CopyFrom(await self._promise(table_id))
            if command.visibility == tables_pb2.TABLE_VISIBILITY_PRIVATE:
                full.invite_code = requests.invite_code()
            await self._open_once(table_id, full, request_id)
            found = await self._state(table_id, Table)
        if _asked(pb.OpenTable.FromString(found.table.opened)) != command:
            raise _reused()
        return found

    async def _open_once(self, table_id: str, command: pb.OpenTable, request_id: str) -> None:
        try:
            asked = cause(_actor(command.host_id), f"create:{request_id}", command)
            await self._owner.submit(table_id, asked, traceparent=self._trace())
        except CommandIdReused:
            # A repeat was quicker: its invite code is another one, and it is the one that counts.
            return

    async def at_table(self, table_id: str, player_id: str, kind: str, request_id: str, command: Message) -> Listed:
        """Submit a player's command to a table; return the table after it."""
        sequence = await self._submit(table_id, player_id, f"{kind}:{request_id}", command)
        return await self._state(table_id, Table, sequence)

    async def join(self, table_id: str, command: pb.TakeSeat, request_id: str) -> Listed:
        """Take a seat. Wrong invite codes are counted."""
        if command.invite_code:
            await self._guesses.check(command.player_id)
        try:
            return await self.at_table(table_id, command.player_id, "join", request_id, command)
        except PermissionDenied as denied:
            if denied.reason == "WRONG_INVITE_CODE" and command.invite_code:
                await self._guesses.wrong(command.player_id)
            raise

    # ---- queues

    async def queue(self, rulebook: str, *, settled: bool = False) -> Queue:
        """A queue as it stands; `settled`: after a barrier."""
        ask = self._owner.settled if settled else self._owner.confirmed
        state = (await ask(queue_id(rulebook))).state
        if not isinstance(state, Queue):
            raise TypeError(f"{rulebook} has no queue")
        return state

    async def enqueue(self, rulebook: str, command: pb.Enqueue, request_id: str) -> Queue:
        """Queue a ticket; the table that it waits for is promised before."""
        stream_id = queue_id(rulebook)
        for _ in range(RESERVE_TRIES):
            # Reserved only when that is all that is missing: what is refused changes nothing.
            try:
                await self._submit(stream_id, command.player_id, f"queue:{request_id}", command)
            except Refusal as refusal:
                if refusal.reason != "NOT_RESERVED":
                    raise
                await self._reserve(rulebook, command.seat_count)
            else:
                return await self.queue(rulebook)
        raise Unavailable("the queue moves too quickly", reason="QUEUE_BUSY")

    async def _reserve(self, rulebook: str, seat_count: int) -> None:
        if (await self.queue(rulebook)).promise(seat_count) is not None:
            return
        table_id = requests.new_table_id(rulebook)
        command = pb.ReserveTable(seat_count=seat_count, commitment=await self._promise(table_id))
        try:
            asked = cause(MATCHMAKING, f"reserve:{table_id}", command)
            await self._owner.submit(queue_id(rulebook), asked, traceparent=self._trace())
        except Refusal as refusal:
            if refusal.reason != "ALREADY_RESERVED":
                raise

    async def dequeue(self, rulebook: str, command: pb.Dequeue, request_id: str) -> Queue:
        """Take a ticket back."""
        await self._submit(queue_id(rulebook), command.player_id, f"cancel:{request_id}", command)
        return await self.queue(rulebook)

    # ----

    async def _promise(self, table_id: str) -> tables_pb2.CommitmentReceipt:
        request = rng_pb2.CommitSeedRequest(name=names.match_name(table_id))
        promise: tables_pb2.CommitmentReceipt = await self._rng.CommitSeed(request)
        return promise

    async def _submit(self, stream_id: str, player_id: str, command_id: str, command: Message) -> int:
        try:
            asked = cause(_actor(player_id), command_id, command)
            return (await self._owner.submit(stream_id, asked, traceparent=self._trace())).sequence
        except CommandIdReused:
            raise _reused() from None
        except Refusal as refusal:
            raise _named(refusal) from refusal

    async def _state(self, stream_id: str, kind: type[Table], minimum_sequence: int = 0) -> Listed:
        found = await self._owner.confirmed(stream_id, minimum_sequence)
        if not isinstance(found.state, kind):
            raise TypeError(f"{stream_id} isn't a table")
        return Listed(stream_id, found.state, found.head.sequence)


def _actor(player_id: str) -> str:
    return f"players/{player_id}"


def _asked(opened: pb.OpenTable) -> pb.OpenTable:
    """What the player asked for, without what the service added."""
    opened.ClearField("commitment")
    opened.ClearField("invite_code")
    return opened


def _reused() -> ApiError:
    problem = "was used for another request"
    return ApiError(
        grpc.StatusCode.INVALID_ARGUMENT,
        "REQUEST_ID_REUSED",
        f"request_id {problem}",
        field_violations=[("request_id", problem)],
    )


def _named(refusal: Refusal) -> Exception:
    """Refusals that the API has a code of its own for."""
    match refusal.reason:
        case "NO_SUCH_TABLE" | "NO_SUCH_TICKET":
            return NotFound("there is no such table or ticket", reason=refusal.reason)
        case "WRONG_INVITE_CODE" | "NOT_INVITED":
            return PermissionDenied("this table needs its invite code", reason=refusal.reason)
        case "NOT_HOST":
            return PermissionDenied("only the host may do this", reason=refusal.reason)
        case _:
            return refusal
