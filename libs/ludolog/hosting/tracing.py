"""Traces (OpenTelemetry), off unless LUDOLOG_OTLP_ENDPOINT is set.

A trace begins with a client's unary call or command at the gateway's public port, or in the client. It goes on through
the metadata of unary calls, a field of what travels on streams, and the `traceparent` of the commit in the log, so that
whoever shows the commit is a part of it. Streams as such have no spans: they last for hours. Our own wrappers: those of
OpenTelemetry break streams of grpc.aio and lose the context.

What a span holds: the method, the match, the sequence number, the status. Never a token, a name, a command's content.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeAlias

import grpc
from opentelemetry import context as otel
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from ludolog.hosting.channels import WrappedChannel

KEY = "traceparent"
FORM = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
CLOSE_S = 3.0
EXPORT_S = 2.0
NOTHING: AbstractContextManager[str] = nullcontext("")
Wrap: TypeAlias = Callable[[str, "grpc.RpcMethodHandler[Any, Any]"], "grpc.RpcMethodHandler[Any, Any]"]

logger = logging.getLogger("ludolog.tracing")


class Tracing:
    """The tracing of one process. Without a provider nothing is traced, and every method costs next to nothing."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("ludolog") if provider is not None else None
        self.on = provider is not None

    @classmethod
    def to(cls, endpoint: str, service: str) -> Tracing:
        """Send spans to a collector (OTLP over gRPC; an http:// endpoint is spoken to without TLS); "": no tracing.

        Sampling is OpenTelemetry's: OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG.
        """
        if not endpoint:
            return cls()
        # Only where it is wanted: the exporter takes a while to import.
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        provider = TracerProvider(resource=Resource.create({"service.name": service}))
        exporter = OTLPSpanExporter(endpoint=endpoint, insecure=endpoint.startswith("http://"), timeout=EXPORT_S)
        provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1000))
        return cls(provider)

    # ---- spans

    def span(self, name: str, parent: str = "", **about: str | int) -> AbstractContextManager[str]:
        """Work as a span, under `parent` (a traceparent) or the current one; gives its traceparent, "" when off.

        It is current inside of the block, which must not yield.
        """
        return NOTHING if self._tracer is None else self._span(name, parent, SpanKind.INTERNAL, about)

    def serving(self, name: str, parent: str) -> AbstractContextManager[str]:
        """The same for what a client asked for."""
        return NOTHING if self._tracer is None else self._span(name, parent, SpanKind.SERVER, {})

    @contextmanager
    def _span(self, name: str, parent: str, kind: SpanKind, about: Mapping[str, str | int]) -> Iterator[str]:
        span = self._started(name, parent, kind, about)
        token = otel.attach(trace.set_span_in_context(span))
        try:
            yield header(span)
        except BaseException as error:
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise
        finally:
            otel.detach(token)
            span.end()

    def mark(self, name: str, parent: str, **about: str | int) -> str:
        """Something that happened under `parent`, as a span without length; its traceparent, "" when off."""
        if self._tracer is None:
            return ""
        span = self._started(name, parent, SpanKind.INTERNAL, about)
        span.end()
        return header(span)

    def within(self, parent: str) -> AbstractContextManager[str]:
        """Make a trace context current, without a span of its own."""
        return NOTHING if self._tracer is None or not parent else _within(parent)

    def _started(self, name: str, parent: str, kind: SpanKind, about: Mapping[str, str | int]) -> Span:
        if self._tracer is None:
            raise RuntimeError("tracing is off")
        context = context_of(parent) if parent else None
        attributes = {f"ludolog.{key}": value for key, value in about.items()}
        return self._tracer.start_span(name, context, kind, attributes)

    def current(self) -> str:
        """The traceparent of the current span; "" for none."""
        return header(trace.get_current_span()) if self._tracer is not None else ""

    # ---- calls

    def wrap(self, wrap: Wrap, *, begins: bool) -> Wrap:
        """Handlers as spans; around what `wrap` makes of them. `begins`: calls without a context begin a trace."""
        if self._tracer is None:
            return wrap

        def traced(path: str, handler: grpc.RpcMethodHandler[Any, Any]) -> grpc.RpcMethodHandler[Any, Any]:
            wrapped = wrap(path, handler)
            if wrapped.unary_unary is None:
                return wrapped
            behaviour = self._handler(path.lstrip("/"), wrapped.unary_unary, begins=begins)
            return grpc.unary_unary_rpc_method_handler(
                behaviour, wrapped.request_deserializer, wrapped.response_serializer
            )

        return traced

    def _handler(self, name: str, behaviour: Any, *, begins: bool) -> Any:
        async def handled(request: Any, context: Any) -> Any:
            parent = parent_in(context.invocation_metadata())
            if not parent and not begins:
                return await behaviour(request, context)
            with self.serving(name, parent):
                try:
                    return await behaviour(request, context)
                finally:
                    code = context.code() or grpc.StatusCode.OK
                    named = code if isinstance(code, grpc.StatusCode) else grpc.StatusCode.UNKNOWN
                    trace.get_current_span().set_attribute("rpc.grpc.status_code", named.name)

        return handled

    def channel(self, channel: grpc.aio.Channel) -> grpc.aio.Channel:
        """A channel whose unary calls carry the current trace on."""
        return channel if self._tracer is None else _TracedChannel(channel, self)

    def call(self, name: str) -> Span | None:
        """A span for a call that goes out; None where nothing is being traced."""
        if not trace.get_current_span().get_span_context().is_valid:
            return None
        return self._started(name, "", SpanKind.CLIENT, {})

    # ---- the end

    async def close(self) -> None:
        """Send what is there, for a moment: a collector that is away doesn't hold up the stop."""
        provider = self._provider
        if provider is not None:
            # No executor's thread: those are waited for at the end of the process.
            closing = threading.Thread(target=provider.shutdown, name="traces", daemon=True)
            closing.start()
            await asyncio.to_thread(closing.join, CLOSE_S)


class _TracedChannel(WrappedChannel):
    """Unary calls get a span and its traceparent; streams go through."""

    def __init__(self, inner: grpc.aio.Channel, tracing: Tracing) -> None:
        super().__init__(inner)
        self._tracing = tracing

    def unary_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        inner: Any = self._inner.unary_unary(method, *args, **kwargs)
        name = method.lstrip("/")

        def call(request: Any, *, metadata: Any = None, **options: Any) -> Any:
            span = self._tracing.call(name)
            if span is None:
                return inner(request, metadata=metadata, **options)
            called = inner(request, metadata=(*(metadata or ()), (KEY, header(span))), **options)
            called.add_done_callback(lambda _: span.end())
            return called

        return call


# ---- W3C trace context


def header(span: Span) -> str:
    """The traceparent of a span; "" where it isn't one."""
    found = span.get_span_context()
    if not found.is_valid:
        return ""
    return f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"


def checked(value: object) -> str:
    """A traceparent (version 00) as it came, or "" where it isn't one: it goes into the log."""
    return value if isinstance(value, str) and FORM.fullmatch(value) else ""


def parent_in(metadata: Any) -> str:
    """The traceparent in a call's metadata; ""."""
    for key, value in metadata or ():
        if key == KEY:
            return checked(value)
    return ""


def context_of(parent: str) -> otel.Context:
    """The context under which spans are children of `parent`; none for something else than a traceparent."""
    parts = FORM.fullmatch(parent)
    if parts is None:
        return otel.Context()
    flags = TraceFlags(int(parts[3], 16))
    remote = SpanContext(int(parts[1], 16), int(parts[2], 16), is_remote=True, trace_flags=flags)
    return trace.set_span_in_context(NonRecordingSpan(remote), otel.Context())


@contextmanager
def _within(parent: str) -> Iterator[str]:
    token = otel.attach(context_of(parent))
    try:
        yield parent
    finally:
        otel.detach(token)


def trace_id() -> str:
    """The id of the current trace, 32 hex digits, for log lines; "" for none."""
    found = trace.get_current_span().get_span_context()
    return f"{found.trace_id:032x}" if found.is_valid else ""
