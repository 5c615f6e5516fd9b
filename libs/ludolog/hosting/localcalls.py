"""In-process calls: what a stub of a LocalChannel returns. They serialise, and behave as calls over a socket do.

A unary call runs inside the task that awaits it, which makes it as cheap as a function call; one that nobody awaits
at once runs in a task of its own. A stream runs in a task of its own, with a bounded pipe in each direction.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Generator
from typing import TYPE_CHECKING, Any

import grpc

from ludolog.hosting.localcontext import LocalContext, Metadata
from ludolog.hosting.pipe import Pipe, PipeClosed

if TYPE_CHECKING:
    from ludolog.hosting.local import LocalServer

STREAM_BOUND = 16
CANCELLED = (grpc.StatusCode.CANCELLED, "cancelled")
STARTING = "the service is starting"


# ruff: noqa: D102 - the methods of grpc.aio, documented there


class Method:
    """One method as a stub sees it: path, how to serialise, and where its server is found."""

    __slots__ = ("channel", "path", "request_serializer", "response_deserializer")

    def __init__(self, channel: Any, path: str, request_serializer: Any, response_deserializer: Any) -> None:
        self.channel = channel
        self.path = path
        self.request_serializer = request_serializer or bytes
        self.response_deserializer = response_deserializer or bytes


class LocalCall(grpc.aio.Call):
    """What unary calls and streams have in common: one status, reached once."""

    # A socket's channel that is closed looks through all tasks for its own calls: by this it knows that ours isn't.
    _channel = None

    def __init__(self, method: Method, timeout: float | None, metadata: Metadata | None) -> None:
        self._method = method
        self._loop = asyncio.get_running_loop()
        self._deadline = None if timeout is None else self._loop.time() + timeout
        self._context = LocalContext(metadata or (), self._deadline)
        self._code: grpc.StatusCode | None = None
        self._details = ""
        self._forced: tuple[grpc.StatusCode, str] | None = None
        self._stopped_from_outside = False
        self._task: asyncio.Task[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._finished: asyncio.Future[None] | None = None
        self._callbacks: list[Callable[[Any], None]] = []

    # ---- running

    def _begin(self) -> tuple[LocalServer, grpc.RpcMethodHandler[Any, Any]]:
        """Find server and handler, and start the deadline. AbortError where there is none."""
        server: LocalServer | None = self._method.channel.server()
        context = self._context
        if server is None or not server.serving:
            context.status_code, context.status_details = grpc.StatusCode.UNAVAILABLE, "the service isn't there"
            raise grpc.aio.AbortError("aborted")
        handler = server.methods.get(self._method.path)
        if handler is None:
            context.status_code, context.status_details = grpc.StatusCode.UNIMPLEMENTED, "no such method"
            if not server.complete:
                context.status_code, context.status_details = grpc.StatusCode.UNAVAILABLE, STARTING
            raise grpc.aio.AbortError("aborted")
        server.open.add(self)
        if self._deadline is not None:
            self._timer = self._loop.call_at(self._deadline, self.stop, grpc.StatusCode.DEADLINE_EXCEEDED, "too late")
        return server, handler

    def _request(self, request: Any, limit: int) -> bytes:
        data: bytes = self._method.request_serializer(request)
        return self._taken(data, limit)

    def _taken(self, data: bytes, limit: int) -> bytes:
        """What the server takes of a message: all, or it ends the call."""
        if len(data) > limit:
            self._context.status_code = grpc.StatusCode.RESOURCE_EXHAUSTED
            self._context.status_details = f"a request of {len(data)} bytes, at most {limit} are taken"
            raise grpc.aio.AbortError("aborted")
        return data

    def _failed(self, error: BaseException) -> None:
        """Turn what ended the handler into the status."""
        context = self._context
        if isinstance(error, asyncio.CancelledError):
            code, details = self._forced or CANCELLED
            context.status_code, context.status_details = code, details
        elif not isinstance(error, grpc.aio.AbortError) or context.status_code is grpc.StatusCode.OK:
            context.status_code, context.status_details = grpc.StatusCode.UNKNOWN, f"unexpected {type(error).__name__}"

    def _finish(self, server: LocalServer | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if server is not None:
            server.open.discard(self)
        context = self._context
        self._code, self._details = context.status_code, context.status_details
        context.finish()
        if self._finished is not None and not self._finished.done():
            self._finished.set_result(None)
        for callback in self._callbacks:
            self._loop.call_soon(callback, self)

    def _error(self) -> BaseException:
        code = self._code or grpc.StatusCode.UNKNOWN
        if code is grpc.StatusCode.CANCELLED and self._forced == CANCELLED:
            return asyncio.CancelledError()
        initial = grpc.aio.Metadata.from_tuple(self._context.initial)
        trailing = grpc.aio.Metadata.from_tuple(self._context.trailing)
        return grpc.aio.AioRpcError(code, initial, trailing, self._details)

    def stop(self, code: grpc.StatusCode, details: str) -> bool:
        """End the call from outside of its handler. False if it is over already."""
        if self._code is not None or self._forced is not None:
            return False
        self._forced = (code, details)
        self._stopped_from_outside = True
        if self._task is not None:
            self._task.cancel()
        else:
            self._context.status_code, self._context.status_details = code, details
            self._finish(None)
        return True

    # ---- grpc.aio.Call

    async def _done(self) -> None:
        if self._code is None:
            if self._finished is None:
                self._finished = self._loop.create_future()
            await asyncio.shield(self._finished)

    def cancelled(self) -> bool:
        return self._code is grpc.StatusCode.CANCELLED

    def done(self) -> bool:
        return self._code is not None

    def time_remaining(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - self._loop.time())

    def cancel(self) -> bool:
        return self.stop(*CANCELLED)

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        if self._code is None:
            self._callbacks.append(callback)
        else:
            callback(self)

    async def initial_metadata(self) -> grpc.aio.Metadata:
        return grpc.aio.Metadata.from_tuple(self._context.initial)

    async def trailing_metadata(self) -> grpc.aio.Metadata:
        await self._done()
        return grpc.aio.Metadata.from_tuple(self._context.trailing)

    async def code(self) -> grpc.StatusCode:
        await self._done()
        return self._code or grpc.StatusCode.UNKNOWN

    async def details(self) -> str:
        await self._done()
        return self._details

    async def wait_for_connection(self) -> None:
        return


class LocalUnaryCall(LocalCall, grpc.aio.UnaryUnaryCall[Any, Any]):
    """One request, one response."""

    def __init__(self, method: Method, request: Any, timeout: float | None, metadata: Metadata | None) -> None:
        super().__init__(method, timeout, metadata)
        self._sent = request
        self._response: Any = None
        self._started = False
        self._loop.call_soon(self._start)

    def __await__(self) -> Generator[Any, None, Any]:
        if self._started:
            return self._result().__await__()
        self._started = True
        return self._run(asyncio.current_task()).__await__()

    def _start(self) -> None:
        if not self._started:
            self._started = True
            task = self._loop.create_task(self._run(None))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._task = task

    async def _result(self) -> Any:
        try:
            await self._done()
        except asyncio.CancelledError:
            self.cancel()
            raise
        if self._code is not grpc.StatusCode.OK:
            raise self._error()
        return self._response

    async def _run(self, task: asyncio.Task[Any] | None) -> Any:
        if self._code is not None:
            raise self._error()
        cancels_before = 0
        if task is not None:
            self._task, cancels_before = task, task.cancelling()
        server = None
        try:
            server, handler = self._begin()
            data = self._request(self._sent, server.request_bytes)
            decode, encode = handler.request_deserializer, handler.response_serializer
            behaviour: Any = handler.unary_unary
            response = await behaviour(decode(data) if decode else data, self._context)
            if self._context.status_code is grpc.StatusCode.OK:
                self._response = self._method.response_deserializer(encode(response) if encode else response)
        except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - whatever it is, it is the status
            self._failed(error)
            if isinstance(error, asyncio.CancelledError) and self._forced is None:
                self._forced = CANCELLED
        if task is not None and self._stopped_from_outside and task.cancelling() > cancels_before:
            self._give_back(task, cancels_before)
        self._task = None
        self._finish(server)
        if self._context.status_code is not grpc.StatusCode.OK:
            raise self._error()
        return self._response

    def _give_back(self, task: asyncio.Task[Any], cancels_before: int) -> None:
        """The handler ran in the task that awaits it: the cancelling was the call's, unless there was another."""
        if task.uncancel() > cancels_before:
            self._forced = CANCELLED
            self._context.status_code = grpc.StatusCode.CANCELLED


class LocalStreamCall(
    LocalCall,
    grpc.aio.UnaryStreamCall[Any, Any],
    grpc.aio.StreamUnaryCall[Any, Any],
    grpc.aio.StreamStreamCall[Any, Any],
):
    """A stream of requests, of responses, or of both."""

    def __init__(self, method: Method, kind: str, request: Any, timeout: float | None, metadata: Any) -> None:
        super().__init__(method, timeout, metadata)
        self._context._write = self._respond  # noqa: SLF001 - both are this module's
        self._kind = kind
        self._requests: Pipe[bytes] = Pipe(STREAM_BOUND)
        self._responses: Pipe[bytes] = Pipe(STREAM_BOUND)
        self._encode: Callable[[Any], bytes] = bytes
        self._limit = 0
        self._task = self._loop.create_task(self._serve(request))

    async def _serve(self, request: Any) -> None:
        server = feeder = None
        try:
            server, handler = self._begin()
            self._limit = server.request_bytes
            decode: Callable[[bytes], Any] = handler.request_deserializer or bytes
            self._encode = handler.response_serializer or bytes
            if self._kind == "unary_stream":
                argument = decode(self._request(request, self._limit))
            else:
                argument = self._incoming(decode)
                if request is not None:
                    feeder = self._loop.create_task(self._feed(request))
            await self._handle(getattr(handler, self._kind), argument)
        except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - whatever it is, it is the status
            self._failed(error)
        finally:
            if feeder is not None:
                feeder.cancel()
            self._requests.close(drop=True)
            self._responses.close(drop=self._forced is not None)
            self._task = None
            self._finish(server)

    async def _handle(self, behaviour: Any, argument: Any) -> None:
        result = behaviour(argument, self._context)
        if hasattr(result, "__aiter__"):
            async with contextlib.aclosing(result):
                async for response in result:
                    await self._respond(response)
            return
        response = await result
        if response is not None:
            await self._respond(response)

    async def _respond(self, response: Any) -> None:
        await self._responses.put(self._encode(response))

    async def _incoming(self, decode: Callable[[bytes], Any]) -> AsyncIterator[Any]:
        with contextlib.suppress(PipeClosed):
            while True:
                yield decode(self._taken(await self._requests.get(), self._limit))

    async def _feed(self, requests: Any) -> None:
        try:
            if hasattr(requests, "__aiter__"):
                async for request in requests:
                    await self.write(request)
            else:
                for request in requests:
                    await self.write(request)
            await self.done_writing()
        except (grpc.RpcError, asyncio.CancelledError):
            return
        except Exception:  # noqa: BLE001 - as over a socket: requests that fail cancel the call
            self.cancel()

    async def write(self, request: Any) -> None:
        """Send one request, waiting for room. Raises the call's error where it is over."""
        try:
            await self._requests.put(self._method.request_serializer(request))
        except PipeClosed:
            await self._done()
            raise self._error() from None

    async def done_writing(self) -> None:
        """Tell the handler that there are no more requests."""
        self._requests.close()

    async def read(self) -> Any:
        """The next response; grpc.aio.EOF at the end. Raises the call's error where it failed."""
        try:
            data = await self._responses.get()
        except PipeClosed:
            await self._done()
            if self._code is not grpc.StatusCode.OK:
                raise self._error() from None
            return grpc.aio.EOF
        except asyncio.CancelledError:
            self.cancel()
            raise
        return self._method.response_deserializer(data)

    async def __aiter__(self) -> AsyncIterator[Any]:
        while (response := await self.read()) is not grpc.aio.EOF:
            yield response

    def __await__(self) -> Generator[Any, None, Any]:
        return self.read().__await__()
