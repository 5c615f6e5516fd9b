"""A server and a channel without a socket between them, behind the generated stubs."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import grpc

from ludolog.hosting.localcalls import STARTING, LocalCall, LocalStreamCall, LocalUnaryCall, Method

Wrap = Callable[[str, "grpc.RpcMethodHandler[Any, Any]"], "grpc.RpcMethodHandler[Any, Any]"]
REQUEST_BYTES = 4 << 20


class LocalServer(grpc.aio.Server):
    """What generated `add_XServicer_to_server` functions register with, and LocalChannels call.

    `generic_handler()` puts the same wrapped handlers on a `grpc.aio.Server`, so that one registration serves both.
    """

    def __init__(self, wrap: Wrap | None = None, *, request_bytes: int = REQUEST_BYTES) -> None:
        self.methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        self.services: list[str] = []
        self.open: set[LocalCall] = set()
        self.serving = True
        self.complete = True
        """False while services are still being registered: a method that isn't there may come."""
        self.request_bytes = request_bytes
        self._wrap = wrap
        self._stopped = asyncio.Event()

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        """Nothing: generated code names the same methods again in `add_registered_method_handlers`."""

    def add_registered_method_handlers(
        self, service_name: str, method_handlers: Mapping[str, grpc.RpcMethodHandler[Any, Any]]
    ) -> None:
        """Register a service's methods. ValueError for a service that is there already."""
        if service_name in self.services:
            raise ValueError(f"{service_name} is registered already")
        self.services.append(service_name)
        for method, handler in method_handlers.items():
            path = f"/{service_name}/{method}"
            self.methods[path] = self._wrap(path, handler) if self._wrap else handler

    def generic_handler(self) -> grpc.GenericRpcHandler:
        """The methods for a server on a socket."""
        return _Handlers(self)

    def add_insecure_port(self, address: str) -> int:
        """UsageError: ports are hosting's business."""
        raise grpc.aio.UsageError("hosting opens the ports")

    def add_secure_port(self, address: str, server_credentials: grpc.ServerCredentials) -> int:
        """UsageError: ports are hosting's business."""
        raise grpc.aio.UsageError("hosting opens the ports")

    async def start(self) -> None:
        """Take calls (it does from the beginning)."""
        self.serving = True
        self._stopped.clear()

    async def stop(self, grace: float | None) -> None:
        """Take no more calls, give open ones `grace` seconds, then end them with UNAVAILABLE."""
        self.serving = False
        if self.open and grace:
            await asyncio.wait([asyncio.ensure_future(call.code()) for call in self.open], timeout=grace)
        for call in tuple(self.open):
            call.stop(grpc.StatusCode.UNAVAILABLE, "the service is stopping")
        self._stopped.set()

    async def wait_for_termination(self, timeout: float | None = None) -> bool:
        """Wait until it is stopped. True if the time ran out before."""
        try:
            await asyncio.wait_for(self._stopped.wait(), timeout)
        except TimeoutError:
            return True
        return False


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, server: LocalServer) -> None:
        self._server = server

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        found = self._server.methods.get(handler_call_details.method)
        # As a stream, it answers calls of any kind, before they have sent anything.
        return found or (None if self._server.complete else grpc.stream_stream_rpc_method_handler(_starting))


async def _starting(_requests: object, context: Any) -> None:
    await context.abort(grpc.StatusCode.UNAVAILABLE, STARTING)


class LocalChannel(grpc.aio.Channel):
    """Calls a LocalServer of this process.

    `server` may also be a function, asked at each call: None means UNAVAILABLE.
    """

    def __init__(self, server: LocalServer | Callable[[], LocalServer | None]) -> None:
        self.server: Callable[[], LocalServer | None] = (lambda: server) if isinstance(server, LocalServer) else server
        self.streams: weakref.WeakSet[LocalStreamCall] = weakref.WeakSet()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        """Let nothing more through, and cancel the streams that are open."""
        self.server = lambda: None
        for stream in tuple(self.streams):
            stream.cancel()

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002 - grpc's signature
        """READY while there is a server."""
        server = self.server()
        ready = server is not None and server.serving
        return grpc.ChannelConnectivity.READY if ready else grpc.ChannelConnectivity.TRANSIENT_FAILURE

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """UsageError: there is no connection whose state could change."""
        raise grpc.aio.UsageError("in-process channels have no connection")

    async def channel_ready(self) -> None:
        """At once."""

    def unary_unary(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """A callable for the method."""
        return _Callable(Method(self, method, request_serializer, response_deserializer), "unary_unary")

    def unary_stream(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """A callable for the method."""
        return _Callable(Method(self, method, request_serializer, response_deserializer), "unary_stream")

    def stream_unary(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """A callable for the method."""
        return _Callable(Method(self, method, request_serializer, response_deserializer), "stream_unary")

    def stream_stream(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """A callable for the method."""
        return _Callable(Method(self, method, request_serializer, response_deserializer), "stream_stream")


class _Callable:
    """The four kinds of multicallables in one: they differ in the call that they return."""

    __slots__ = ("_kind", "_method", "_unary")

    def __init__(self, method: Method, kind: str) -> None:
        self._method = method
        self._kind = kind
        self._unary = kind == "unary_unary"

    def __call__(
        self, request: Any = None, timeout: float | None = None, metadata: Any = None, **_: object
    ) -> LocalUnaryCall | LocalStreamCall:
        if self._unary:
            return LocalUnaryCall(self._method, request, timeout, metadata)
        call = LocalStreamCall(self._method, self._kind, request, timeout, metadata)
        self._method.channel.streams.add(call)
        return call
