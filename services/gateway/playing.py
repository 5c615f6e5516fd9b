"""The two streams that end here: Play, which submits and watches on one connection, and Watch."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import grpc

from ludolog.api.gateway.v1 import play_pb2
from ludolog.hosting import ApiError, Caller, Host, TooMuch, errors, names, require_player
from ludolog.hosting.pipe import Pipe, PipeClosed
from ludolog.hosting.tracing import checked
from ludolog.kernel import BadInput
from services.gateway import wire
from services.gateway.commands import Commands
from services.gateway.feeds import Feeds
from services.gateway.relay import identity

OUT = 16
AT_ONCE = 16
"""Commands of one client under way; the next ones aren't read meanwhile."""
SUBMIT = "ludolog.api.gateway.v1.PlayService/Play: a command"
DOMAIN = "gateway"
UPDATE = play_pb2.PlayResponse.UPDATE_FIELD_NUMBER


class Watching:
    """WatchService.Watch."""

    def __init__(self, feeds: Feeds) -> None:
        self._feeds = feeds

    async def watch(self, request: play_pb2.WatchRequest, context: Any) -> AsyncIterator[bytes]:
        """Serialised updates of an audience."""
        names.audience_of(request.name)
        if request.from_sequence < 0:
            raise BadInput("from_sequence", "must not be negative")
        updates = self._feeds.updates(request.name, request.from_sequence, identity())
        async with contextlib.aclosing(updates):
            async for update in updates:
                yield update


class Playing:
    """PlayService.Play."""

    def __init__(self, host: Host, feeds: Feeds, commands: Commands) -> None:
        self._host = host
        self._feeds = feeds
        self._commands = commands

    async def play(self, requests: AsyncIterator[play_pb2.PlayRequest], context: Any) -> AsyncIterator[bytes]:
        """Serialised responses: updates, receipts, refusals. Ends after the match's last update."""
        player = require_player()
        opening = await self._opening(requests)
        if opening is None or opening.WhichOneof("kind") != "open":
            raise BadInput("open", "the first message opens the stream")
        names.seat_of(opening.open.name, "open.name")
        if opening.open.from_sequence < 0:
            raise BadInput("open.from_sequence", "must not be negative")
        stream = _Stream(self._host, self._commands, opening.open.name, player)
        updates = self._feeds.updates(opening.open.name, opening.open.from_sequence, identity())
        async with contextlib.aclosing(stream.run(updates, requests)) as responses:
            async for response in responses:
                yield response

    async def _opening(self, requests: AsyncIterator[play_pb2.PlayRequest]) -> play_pb2.PlayRequest | None:
        try:
            async with asyncio.timeout(self._host.settings.call_timeout_s):
                return await anext(requests, None)
        except TimeoutError:
            raise ApiError(
                grpc.StatusCode.DEADLINE_EXCEEDED,
                "NOT_OPENED",
                "the first message, which opens the stream, didn't come",
            ) from None


class _Stream:
    """One client's Play stream: what it is sent comes through one bounded pipe."""

    def __init__(self, host: Host, commands: Commands, seat: str, player: Caller) -> None:
        self._commands, self._seat, self._player = commands, seat, player
        self._admission, self._timeout_s, self._tracing = host.admission, host.settings.call_timeout_s, host.tracing
        self._out: Pipe[bytes] = Pipe(OUT)
        self._room = asyncio.Semaphore(AT_ONCE)
        self._submitting: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None

    async def run(
        self, updates: AsyncGenerator[bytes, None], requests: AsyncIterator[play_pb2.PlayRequest]
    ) -> AsyncGenerator[bytes, None]:
        """Everything that the client is sent."""
        watching = asyncio.create_task(self._watch(updates))
        reading = asyncio.create_task(self._read(requests))
        reading.add_done_callback(self._ended)
        watching.add_done_callback(self._ended)
        watching.add_done_callback(lambda _: self._out.close())
        try:
            with contextlib.suppress(PipeClosed):
                while True:
                    yield await self._out.get()
            if self._failure is not None:
                raise self._failure
        finally:
            tasks = [watching, reading, *self._submitting]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """The first part that fails ends the stream, and says why."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = self._failure or error
            self._out.close()

    async def _watch(self, updates: AsyncGenerator[bytes, None]) -> None:
        async with contextlib.aclosing(updates):
            async for update in updates:
                await self._out.put(wire.embedded(UPDATE, update))
        # The match is over; what was submitted before still gets its answer.
        if self._submitting:
            await asyncio.wait(self._submitting)

    async def _read(self, requests: AsyncIterator[play_pb2.PlayRequest]) -> None:
        async for request in requests:
            if request.WhichOneof("kind") != "submit":
                raise BadInput("submit", "after the first message only commands may come")
            await self._room.acquire()
            task = asyncio.create_task(self._submit(request.submit))
            self._submitting.add(task)
            task.add_done_callback(self._submitted)

    def _submitted(self, task: asyncio.Task[None]) -> None:
        self._submitting.discard(task)
        self._room.release()
        self._ended(task)

    async def _submit(self, submit: play_pb2.PlayRequest.Submit) -> None:
        request = play_pb2.SubmitCommandRequest(
            name=self._seat, command_id=submit.command_id, command=submit.command, decision_id=submit.decision_id
        )
        try:
            self._admission.charge(self._player)
            with self._admission.busy(SUBMIT), self._tracing.serving(SUBMIT, checked(submit.traceparent)):
                answer = await self._commands.submit(self._player.player_id, request, self._timeout_s)
        except TooMuch as error:
            answer = errors.status_of(error, DOMAIN)
        response = play_pb2.PlayResponse()
        if isinstance(answer, play_pb2.Receipt):
            response.receipt.CopyFrom(answer)
        else:
            response.refused.command_id = submit.command_id
            response.refused.status.CopyFrom(answer)
        with contextlib.suppress(PipeClosed):
            await self._out.put(response.SerializeToString())
