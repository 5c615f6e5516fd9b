"""What every call goes through, over a socket or in-process: identity, deadline, errors, metrics, limits, age."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc import status_pb2
from grpc_status import rpc_status

from ludolog.hosting import errors
from ludolog.hosting.addresses import peer_address
from ludolog.hosting.authorisation import Rule, rule_of
from ludolog.hosting.callers import Callers
from ludolog.hosting.errors import TooMuch, Unauthenticated
from ludolog.hosting.identity import NOBODY, Caller, Keyring, _caller, caller
from ludolog.hosting.lifetimes import END, Lifetime, Streams
from ludolog.hosting.limits import Admission
from ludolog.hosting.metrics import Metrics
from ludolog.hosting.settings import Settings
from ludolog.kernel import BadInput

logger = logging.getLogger("ludolog.calls")
OK = grpc.StatusCode.OK
# gRPC gives a call without deadline some thousand years.
NO_DEADLINE_S = 10_000_000
LONGEST_CALL_S = 60.0
"""No unary call takes longer, whatever deadline it brings."""


class Guard:
    """Wraps the handlers of one service. `public`: calls come from outside, where no service's token is taken."""

    def __init__(self, service: str, keys: Keyring, metrics: Metrics, settings: Settings, *, public: bool) -> None:
        self.domain = service
        self.metrics = metrics
        self.callers = Callers(keys, settings, public=public)
        self._keys = keys
        self._timeout_s = settings.call_timeout_s
        self.streams = Streams(settings.stream_age_s)
        self._most_open = settings.open_calls
        self.admission: Admission | None = None
        """What limits calls from outside."""
        self._requests = metrics.counter("ludolog_requests", "Calls by method and code.", ("method", "code"))
        self._seconds = metrics.histogram("ludolog_request_seconds", "Seconds of a unary call.", ("method",))
        self._open_gauge = metrics.gauge("ludolog_open_calls", "Handlers that are at work.", ("method",))
        self.open = 0

    def wrap(self, path: str, handler: grpc.RpcMethodHandler[Any, Any]) -> grpc.RpcMethodHandler[Any, Any]:
        """The handler behind the guard. `path` is "/package.Service/Method". LookupError where nobody may call it."""
        method = _Counted(self, path, rule_of(path))
        decode, encode = _lenient(handler.request_deserializer), handler.response_serializer
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(method.unary(handler.unary_unary), decode, encode)
        if handler.stream_unary is not None:
            return grpc.stream_unary_rpc_method_handler(method.unary(handler.stream_unary), decode, encode)
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(method.stream(handler.unary_stream), decode, encode)
        return grpc.stream_stream_rpc_method_handler(method.stream(handler.stream_stream), decode, encode)

    async def let_in(self, context: Any, rule: Rule) -> None:
        """Find out who calls, and whether they may. Unauthenticated, PermissionDenied."""
        try:
            found = await self.callers.of(context)
        except Unauthenticated:
            # Checking tokens costs something: whoever has bad ones only is slowed down too.
            if self.admission is not None:
                self.admission.charge(Caller(address=peer_address(context.peer())))
            raise
        rule.check(found)
        _caller.set(found)
        if self.admission is not None:
            self.admission.charge(found)

    def begin_stream(self) -> Lifetime:
        """A context for the caller's stream, which ends with the caller's token at the latest. Unavailable."""
        found = caller()
        return self.streams.begin(found.player_id, self._keys.left_s(found))

    def admit(self) -> None:
        """TooMuch where more calls are open than allowed, this one included."""
        if self.open > self._most_open:
            raise TooMuch("OVERLOADED", "too many calls are open", retry_after_ms=1000)

    def status(self, error: Exception, path: str) -> status_pb2.Status:
        """The status for an exception; what isn't in the table is logged, and what an upstream says of our token."""
        status = errors.status_of(error, self.domain)
        if status.code == grpc.StatusCode.INTERNAL.value[0] or errors.own_identity_refused(error):
            logger.error("a handler failed", exc_info=error, extra={"method": path.lstrip("/")})
        return status

    def unary_timeout(self, context: Any) -> float | None:
        """The deadline to set for a call that brings none, or one that is far away."""
        left = context.time_remaining()
        if left is None or left > NO_DEADLINE_S:
            return self._timeout_s
        return LONGEST_CALL_S if left > LONGEST_CALL_S else None


class _Counted:
    """One method with its metrics at hand: looking a label up costs as much as the rest of the guard."""

    def __init__(self, guard: Guard, path: str, rule: Rule) -> None:
        self._guard = guard
        self._rule = rule
        self._path = path
        self._label = path.lstrip("/")
        self._codes: dict[grpc.StatusCode, Any] = {}
        self._seconds = guard._seconds.labels(self._label)  # noqa: SLF001 - two halves of one thing
        self._gauge = guard._open_gauge.labels(self._label)  # noqa: SLF001

    def _count(self, code: grpc.StatusCode) -> None:
        child = self._codes.get(code)
        if child is None:
            child = self._codes[code] = self._guard._requests.labels(self._label, code.name)  # noqa: SLF001
        child.inc()

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        self._guard.open += 1
        self._gauge.inc()
        try:
            yield
        finally:
            self._guard.open -= 1
            self._gauge.dec()

    def _busy(self) -> contextlib.AbstractContextManager[None]:
        admission = self._guard.admission
        return contextlib.nullcontext() if admission is None else admission.busy(self._label)

    async def _fail(self, context: Any, error: Exception) -> None:
        status = self._guard.status(error, self._path)
        self._count(errors.status_code(status))
        self._guard.metrics.refused(self._guard.domain, errors.told(status).reason)
        await context.abort_with_status(rpc_status.to_status(status))

    def unary(self, behaviour: Any) -> Any:
        """Guard a handler that gives one response."""
        guard = self._guard

        async def guarded(request: Any, context: Any) -> Any:
            started = time.perf_counter()
            token = _caller.set(NOBODY)
            try:
                with self._open(), self._busy():
                    guard.admit()
                    await guard.let_in(context, self._rule)
                    request = _well_formed(request)
                    timeout = guard.unary_timeout(context)
                    if timeout is None:
                        response = await behaviour(request, context)
                    else:
                        async with asyncio.timeout(timeout):
                            response = await behaviour(request, context)
                self._count(context.code() or OK)
                return response
            except asyncio.CancelledError:
                self._count(grpc.StatusCode.CANCELLED)
                raise
            except grpc.aio.AbortError:
                self._count(context.code() or grpc.StatusCode.UNKNOWN)
                raise
            except Exception as error:  # noqa: BLE001 - this is the one place where exceptions become statuses
                await self._fail(context, error)
            finally:
                _caller.reset(token)
                self._seconds.observe(time.perf_counter() - started)

        return guarded

    def stream(self, behaviour: Any) -> Any:
        """Guard a handler that streams responses: an async generator, or a coroutine that writes to the context."""
        guard = self._guard

        async def guarded(request: Any, context: Any) -> AsyncIterator[Any]:
            # A stream has a task of its own, so the caller needn't be taken back.
            try:
                with self._open(), contextlib.ExitStack() as stack:
                    guard.admit()
                    await guard.let_in(context, self._rule)
                    if guard.admission is not None:
                        stack.enter_context(guard.admission.stream(caller()))
                    result = behaviour(_well_formed(request), context)
                    if not hasattr(result, "__aiter__"):
                        await result
                    else:
                        with guard.begin_stream() as lifetime:
                            async with contextlib.aclosing(result):
                                while (response := await lifetime.next(result)) is not END:
                                    yield response
                self._count(context.code() or OK)
            except (asyncio.CancelledError, GeneratorExit):
                self._count(grpc.StatusCode.CANCELLED)
                raise
            except grpc.aio.AbortError:
                self._count(context.code() or grpc.StatusCode.UNKNOWN)
                raise
            except Exception as error:  # noqa: BLE001 - this is the one place where exceptions become statuses
                await self._fail(context, error)

        return guarded


_MALFORMED = object()


def _lenient(decode: Any) -> Any:
    """A deserialiser that hands on what it can't read: gRPC would answer UNKNOWN, and log a traceback each time."""

    def decoded(data: bytes) -> Any:
        try:
            return decode(data)
        except DecodeError:
            return _MALFORMED

    return decoded if decode is not None else None


def _well_formed(request: Any) -> Any:
    """A request, or a stream of requests that fails where one of them isn't well-formed. BadInput."""
    if request is _MALFORMED:
        raise BadInput("request", "isn't a protobuf message")
    return _each_well_formed(request) if hasattr(request, "__aiter__") else request


async def _each_well_formed(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        yield _well_formed(request)
