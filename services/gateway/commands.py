"""Commands of Play streams: all go to an engine over one shared stream, told apart by correlation ids."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import grpc
from google.rpc import status_pb2

from ludolog.api.engine.v1 import engine_pb2, engine_pb2_grpc
from ludolog.api.gateway.v1 import play_pb2
from ludolog.hosting import ApiError, Host, Unavailable, errors, names
from ludolog.hosting.errors import told
from ludolog.hosting.pipe import Pipe, PipeClosed
from ludolog.hosting.retries import Attempts

WAITING = 1024
ATTEMPT_S = 3.0


class Line:
    """A SubmitCommands stream to one engine; it is opened when it is needed and again after it broke."""

    def __init__(self, channel: grpc.aio.Channel, host: Host) -> None:
        self._stub = engine_pb2_grpc.EngineServiceStub(channel)
        self._host = host
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[engine_pb2.SubmitCommandsResponse]] = {}
        self._requests: Pipe[engine_pb2.SubmitCommandsRequest] | None = None
        self._task: asyncio.Task[None] | None = None

    async def ask(self, player_id: str, submit: play_pb2.SubmitCommandRequest) -> engine_pb2.SubmitCommandsResponse:
        """One command's answer. Unavailable where the stream broke: nobody knows."""
        if self._requests is None:
            self._requests = Pipe(WAITING)
            self._task = self._host.spawn("commands", self._run(self._requests))
        correlation_id = next(self._ids)
        answer: asyncio.Future[engine_pb2.SubmitCommandsResponse] = asyncio.get_running_loop().create_future()
        self._pending[correlation_id] = answer
        request = engine_pb2.SubmitCommandsRequest(
            correlation_id=correlation_id,
            player_id=player_id,
            submit=submit,
            traceparent=self._host.tracing.current(),
        )
        try:
            await self._requests.put(request)
            return await answer
        except PipeClosed:
            raise Unavailable("the engine's stream broke") from None
        finally:
            self._pending.pop(correlation_id, None)
            # Otherwise asyncio complains about an error that nobody looked at.
            if answer.done() and not answer.cancelled():
                answer.exception()

    async def _run(self, requests: Pipe[engine_pb2.SubmitCommandsRequest]) -> None:
        call = self._stub.SubmitCommands(_each(requests))
        why = "the engine's stream ended"
        try:
            async for response in call:
                answer = self._pending.get(response.correlation_id)
                if answer is not None and not answer.done():
                    answer.set_result(response)
        except grpc.aio.AioRpcError as error:
            why = f"the engine's stream broke: {error.code().name}"
        finally:
            call.cancel()
            requests.close(drop=True)
            self._requests = None
            broken, self._pending = self._pending, {}
            for answer in broken.values():
                if not answer.done():
                    answer.set_exception(Unavailable(why))


async def _each(requests: Pipe[engine_pb2.SubmitCommandsRequest]) -> AsyncIterator[engine_pb2.SubmitCommandsRequest]:
    while True:
        try:
            yield await requests.get()
        except PipeClosed:
            return


class Commands:
    """Sends commands to whoever owns their match, and again while their fate is unknown."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lines: dict[str, Line] = {}

    async def submit(
        self, player_id: str, submit: play_pb2.SubmitCommandRequest, timeout_s: float
    ) -> play_pb2.Receipt | status_pb2.Status:
        """The receipt, or the status that SubmitCommand would end with. Never a refusal where nobody knows."""
        try:
            match_id, _ = names.seat_of(submit.name)
            return await self._repeated(player_id, submit, match_id, timeout_s)
        except Exception as error:
            if errors.api_error(error) is None:
                raise
            return errors.status_of(error, self._host.name)

    async def _repeated(
        self, player_id: str, submit: play_pb2.SubmitCommandRequest, match_id: str, timeout_s: float
    ) -> play_pb2.Receipt | status_pb2.Status:
        router = self._host.engines(names.rulebook_of_match(match_id))
        attempts = Attempts(timeout_s)
        while True:
            status = await self._attempt(player_id, submit, match_id, attempts.left_s)
            if isinstance(status, play_pb2.Receipt):
                return status
            answer = told(status)
            router.learn(match_id, answer)
            if (pause := attempts.pause_s(answer)) is None:
                return status
            await asyncio.sleep(pause)

    async def _attempt(
        self, player_id: str, submit: play_pb2.SubmitCommandRequest, match_id: str, left_s: float
    ) -> play_pb2.Receipt | status_pb2.Status:
        router = self._host.engines(names.rulebook_of_match(match_id))
        try:
            address = await router.owner(match_id)
            line = self._lines.get(address)
            if line is None:
                line = self._lines[address] = Line(router.connect(address), self._host)
            async with asyncio.timeout(min(left_s, ATTEMPT_S)):
                response = await line.ask(player_id, submit)
        except (ApiError, TimeoutError) as error:
            return errors.status_of(error, self._host.name)
        return response.receipt if response.WhichOneof("kind") == "receipt" else response.status
