"""A seat that is being played: updates and commands on one Play stream, which is opened again when it breaks."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Self

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc
from ludolog.api.match.v1 import match_pb2
from ludolog.client.connection import Connection, is_soon, pause_s
from ludolog.client.errors import ApiError, Unavailable, from_status
from ludolog.client.messages import pack
from ludolog.client.streams import Progress
from ludolog.client.traces import traceparent

BUFFER = 512
"""Updates kept for a program that doesn't take them; the rest is asked for again when it does."""


def new_command_id() -> str:
    """A command id of our own."""
    return uuid.uuid4().hex


@dataclass
class _Pending:
    submit: play_pb2.PlayRequest.Submit
    answer: asyncio.Future[play_pb2.Receipt]
    tries: int = 0


class Seat:
    """Use as `async with client.play(match, seat) as seat:`. Iterate for updates; `submit` whenever you like.

    Each sequence number is seen once, in order. After the stream was lost, the first update may be a snapshot
    (`snapshot` is set) that stands for all that happened meanwhile, where a rulebook makes players remember. Ends
    with the match.
    """

    def __init__(self, connection: Connection, name: str, from_sequence: int, patience_s: float) -> None:
        self.name = name
        self._connection = connection
        self._stub = play_pb2_grpc.PlayServiceStub(connection.channel)
        self._from_sequence = from_sequence
        self._patience_s = patience_s
        self._updates: deque[match_pb2.Update] = deque()
        self._news = asyncio.Event()
        self._pending: dict[str, _Pending] = {}
        self._outbox: asyncio.Queue[play_pb2.PlayRequest | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._call: Any = None
        self._overrun = False

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda _: self._news.set())
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    # ---- updates

    async def __aiter__(self) -> AsyncIterator[match_pb2.Update]:
        """Updates, as they come."""
        while (update := await self.next()) is not None:
            yield update

    async def next(self) -> match_pb2.Update | None:
        """The next update; None after the match's last. ApiError where the match can't be followed."""
        while True:
            if self._updates:
                update = self._updates.popleft()
                if self._overrun and not self._updates and self._call is not None:
                    # What didn't fit is asked for again.
                    self._call.cancel()
                return update
            if self._task is None or self._task.done():
                if self._task is not None and not self._task.cancelled():
                    self._task.result()
                return None
            self._news.clear()
            await self._news.wait()

    # ---- commands

    async def submit(
        self,
        command: Message | AnyMessage | match_pb2.LegalCommand,
        *,
        decision_id: str = "",
        command_id: str = "",
        timeout_s: float | None = None,
    ) -> play_pb2.Receipt:
        """Submit a command: the rulebook's Command, or a legal command without parameters (its decision is named then).

        Returns the receipt: the command is in the log. Refused, InvalidField, NotAllowed: nothing has changed.
        Unavailable: nobody knows; submit it again with the error's `command_id`.
        """
        if isinstance(command, match_pb2.LegalCommand):
            decision_id = decision_id or command.decision_id
            command = command.prototype
        command_id = command_id or new_command_id()
        submit = play_pb2.PlayRequest.Submit(
            command_id=command_id, command=pack(command), decision_id=decision_id, traceparent=traceparent()
        )
        if command_id in self._pending:
            raise ValueError(f"command {command_id} is under way")
        pending = _Pending(submit, asyncio.get_running_loop().create_future())
        self._pending[command_id] = pending
        try:
            async with asyncio.timeout(timeout_s or self._connection.timeout_s):
                if self._task is None or self._task.done():
                    return await self._submit_alone(submit)
                self._outbox.put_nowait(play_pb2.PlayRequest(submit=submit))
                return await pending.answer
        except TimeoutError:
            raise _unknown(command_id) from None
        finally:
            del self._pending[command_id]

    async def _submit_alone(self, submit: play_pb2.PlayRequest.Submit) -> play_pb2.Receipt:
        """Submit without the stream, which has ended."""
        request = play_pb2.SubmitCommandRequest(
            name=self.name, command_id=submit.command_id, command=submit.command, decision_id=submit.decision_id
        )
        receipt: play_pb2.Receipt = await self._connection.call(self._stub.SubmitCommand, request)
        return receipt

    # ---- the stream

    async def _run(self) -> None:
        progress = Progress(self._from_sequence, self._patience_s)
        try:
            while True:
                try:
                    if await self._once(progress):
                        break
                except grpc.aio.AioRpcError as failed:
                    await progress.pause(failed)
            await self._settle()
        except ApiError as error:
            for pending in tuple(self._pending.values()):
                if not pending.answer.done():
                    pending.answer.set_exception(error)
            raise

    async def _once(self, progress: Progress) -> bool:
        """One stream. True once the match is over; False where it has to be opened again at once."""
        self._outbox = asyncio.Queue()
        for pending in self._pending.values():
            self._outbox.put_nowait(play_pb2.PlayRequest(submit=pending.submit))
        self._overrun = False
        metadata = await self._connection.metadata()
        self._call = self._stub.Play(self._requests(progress.following, self._outbox), metadata=metadata)
        try:
            async for response in self._call:
                self._take(response, progress)
            return not self._overrun
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._overrun or (task is not None and task.cancelling()):
                raise
            return False
        finally:
            self._call.cancel()
            self._call = None
            # grpc drops the task that reads requests, with whatever it waits for, instead of ending it.
            self._outbox.put_nowait(None)

    async def _requests(
        self, from_sequence: int, outbox: asyncio.Queue[play_pb2.PlayRequest | None]
    ) -> AsyncIterator[play_pb2.PlayRequest]:
        yield play_pb2.PlayRequest(open=play_pb2.PlayRequest.Open(name=self.name, from_sequence=from_sequence))
        while (request := await outbox.get()) is not None:
            yield request

    def _take(self, response: play_pb2.PlayResponse, progress: Progress) -> None:
        match response.WhichOneof("kind"):
            case "update":
                if len(self._updates) >= BUFFER:
                    self._overrun = True
                if not self._overrun and progress.is_new(response.update):
                    self._updates.append(response.update)
                    self._news.set()
            case "receipt":
                pending = self._pending.get(response.receipt.command_id)
                if pending is not None and not pending.answer.done():
                    pending.answer.set_result(response.receipt)
            case "refused":
                self._refused(response.refused)

    def _refused(self, refused: play_pb2.PlayResponse.Refused) -> None:
        pending = self._pending.get(refused.command_id)
        if pending is None or pending.answer.done():
            return
        error = from_status(refused.status)
        if not (isinstance(error, Unavailable) or is_soon(error)):
            pending.answer.set_exception(error)
            return
        # Nobody knows, or not just now: the same command again, on whatever stream there is by then.
        pending.tries += 1
        delay = pause_s(pending.tries, error.retry_after_s)
        asyncio.get_running_loop().call_later(delay, self._again, refused.command_id)

    def _again(self, command_id: str) -> None:
        pending = self._pending.get(command_id)
        if pending is not None and not pending.answer.done():
            self._outbox.put_nowait(play_pb2.PlayRequest(submit=pending.submit))

    async def _settle(self) -> None:
        """The match is over; commands whose fate is unknown still get their answer."""
        for pending in tuple(self._pending.values()):
            if pending.answer.done():
                continue
            with contextlib.suppress(asyncio.InvalidStateError):
                try:
                    pending.answer.set_result(await self._submit_alone(pending.submit))
                except ApiError as error:
                    pending.answer.set_exception(error)


def _unknown(command_id: str) -> Unavailable:
    error = Unavailable(
        "no answer in time: submit it again with the same command_id", code=grpc.StatusCode.DEADLINE_EXCEEDED
    )
    error.command_id = command_id
    return error
