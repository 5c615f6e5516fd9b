"""The public API as JSON over HTTP: a POST is a call; a stream is answered as server-sent events.

`POST /api/PlayService/SubmitCommand` with the request as proto-JSON (names as in the .proto files) and, where the
method needs one, `Authorization: Bearer TOKEN`. Errors are `{"error": {code, reason, message, …}}` with the fitting
HTTP status.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import grpc
from aiohttp import web
from google.protobuf import json_format
from google.protobuf.message import Message

from ludolog.client.errors import ApiError, InvalidField, Refused, from_call
from ludolog.hosting.addresses import Network, client_address
from ludolog.hosting.callers import ADDRESS_KEY
from ludolog.kernel import BadInput
from services.web.bodies import NotJson, parse
from services.web.methods import Method, methods

KEEPALIVE_S = 15.0
FIRST_S = 0.5
"""How long the first message of a stream, or its error, decides on the HTTP status."""
CALL_TIMEOUT_S = 30.0
HTTP_STATUS: Mapping[grpc.StatusCode, int] = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.OUT_OF_RANGE: 400,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNIMPLEMENTED: 501,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}


class Api:
    """The routes under /api.

    `channel`: the gateway's public port, which believes us where a call comes from; `trusted`: proxies before us.
    """

    def __init__(self, channel: grpc.aio.Channel, trusted: Sequence[Network] = ()) -> None:
        self._channel = channel
        self._trusted = trusted
        self._methods = methods()
        self._streams: set[asyncio.Task[Any]] = set()

    def routes(self) -> list[web.RouteDef]:
        """What to add to the application."""
        return [web.post("/api/{service}/{method}", self.handle)]

    async def close(self) -> None:
        """End the open streams: browsers come back by themselves."""
        for task in tuple(self._streams):
            task.cancel()
        await asyncio.gather(*self._streams, return_exceptions=True)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Make the call."""
        method = self._methods.get(f"{request.match_info['service']}/{request.match_info['method']}")
        if method is None:
            about = {"code": "NOT_FOUND", "reason": "NO_SUCH_METHOD", "message": "the API has no such method"}
            return refusal(404, about)
        try:
            message = parse(await request.text(), method.request)
        except (NotJson, UnicodeDecodeError, LookupError) as error:  # LookupError: no such charset
            return refusal(400, {"code": "INVALID_ARGUMENT", "reason": "NOT_JSON", "message": str(error)})
        except BadInput as error:
            return refusal(400, misfit(error))
        except web.HTTPRequestEntityTooLarge:
            return refusal(413, {"code": "INVALID_ARGUMENT", "reason": "TOO_LARGE", "message": "the body is too large"})
        token = request.headers.get("Authorization", "")
        if not (token.isascii() and token.isprintable()):
            about = {"code": "UNAUTHENTICATED", "reason": "BAD_TOKEN", "message": "this isn't a token"}
            return refusal(401, about)
        metadata = [("authorization", token)] if token else []
        forwarded = request.headers.get("X-Forwarded-For", "")
        metadata.append((ADDRESS_KEY, client_address(request.remote or "", forwarded, self._trusted)))
        try:
            if method.streams:
                return await self._stream(request, method, message, metadata)
            return await self._call(method, message, metadata)
        except grpc.aio.AioRpcError as error:
            failed = from_call(error)
            return refusal(HTTP_STATUS.get(failed.code, 500), described(failed))

    async def _call(self, method: Method, message: Message, metadata: list[tuple[str, str]]) -> web.Response:
        call = self._channel.unary_unary(method.path, _bytes, method.response.FromString)
        answer = await call(message, metadata=metadata, timeout=CALL_TIMEOUT_S)
        return web.Response(text=to_json(answer), content_type="application/json")

    async def _stream(
        self, request: web.Request, method: Method, message: Message, metadata: list[tuple[str, str]]
    ) -> web.StreamResponse:
        """Answer with an event for each message. An error at once is an HTTP error, a later one an event.

        A stream may have nothing to say for a long time; that it is open is told without a message.
        """
        call = self._channel.unary_stream(method.path, _bytes, method.response.FromString)(message, metadata=metadata)
        task = asyncio.current_task()
        if task is not None:
            self._streams.add(task)
            task.add_done_callback(self._streams.discard)
        try:
            reading = asyncio.ensure_future(call.read())
            if (await asyncio.wait((reading,), timeout=FIRST_S))[0]:
                await reading
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
            await response.prepare(request)
            await self._pump(call, reading, response)
            return response
        finally:
            call.cancel()

    async def _pump(self, call: Any, reading: asyncio.Future[Any], response: web.StreamResponse) -> None:
        try:
            try:
                while (message := await self._next(reading, response)) is not grpc.aio.EOF:
                    await response.write(event("message", to_json(message)))
                    reading = asyncio.ensure_future(call.read())
                await response.write(event("end", "{}"))
            except grpc.aio.AioRpcError as error:
                await response.write(event("error", json.dumps(described(from_call(error)))))
        except (ConnectionResetError, ConnectionError):
            pass  # the browser has left
        finally:
            reading.cancel()

    async def _next(self, reading: asyncio.Future[Any], response: web.StreamResponse) -> Any:
        """The message; meanwhile the connection is kept alive."""
        while not (await asyncio.wait((reading,), timeout=KEEPALIVE_S))[0]:
            await response.write(b": still there\n\n")
        return reading.result()


def event(kind: str, data: str) -> bytes:
    """One server-sent event. The data is JSON on one line."""
    return f"event: {kind}\ndata: {data}\n\n".encode()


def to_json(message: Message) -> str:
    """Proto-JSON on one line, names as in the .proto file, enums by name."""
    return json_format.MessageToJson(message, preserving_proto_field_name=True, indent=None)


def described(error: ApiError) -> dict[str, Any]:
    """An error as the page gets it."""
    found: dict[str, Any] = {
        "code": error.code.name,
        "reason": error.reason,
        "message": error.message,
        "domain": error.domain,
        "facts": error.facts,
    }
    if error.retry_after_s is not None:
        found["retry_after_s"] = error.retry_after_s
    if isinstance(error, Refused):
        found["section"] = error.section
    if isinstance(error, InvalidField):
        found |= {"field": error.field, "problem": error.problem}
    return found


def misfit(error: BadInput) -> dict[str, Any]:
    """What the page is told of a field that can't be read; the API itself says the same of one that it refuses."""
    return {
        "code": "INVALID_ARGUMENT",
        "reason": error.reason,
        "message": f"{error.field}: {error.problem}",
        "field": error.field,
        "problem": error.problem,
    }


def refusal(status: int, about: Mapping[str, Any]) -> web.Response:
    """An error as an HTTP answer."""
    return web.json_response({"error": dict(about)}, status=status)


def _bytes(message: Message) -> bytes:
    return message.SerializeToString()
