"""One trace from a client's command to whoever watches, and nothing without tracing."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent import futures
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer

from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc
from ludolog.client import ApiError, Client
from ludolog.eventlog.takeovers import Counted
from ludolog.hosting import Platform, Settings, Tracing
from services.local.service import services
from services.matchmaking.aggregate import TOPIC as LOBBY
from tests.infra.playing import MOVE, RULEBOOK, TOPIC, counted_of, match_of, new_table
from tests.integration.observed.conftest import SOON_S

SUBMIT_UNARY = "ludolog.api.gateway.v1.PlayService/SubmitCommand"
SUBMIT = "ludolog.api.gateway.v1.PlayService/Play: a command"
ENGINE_UNARY = "ludolog.api.engine.v1.EngineService/SubmitCommand"
ENGINE = "ludolog.api.engine.v1.EngineService/SubmitCommands: a command"
GET_BLOCK = "ludolog.api.rng.v1.RngService/GetBlock"


class Spans:
    """What was exported."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    @property
    def tracer(self) -> Tracer:
        """For the client."""
        return self.provider.get_tracer("client")

    def all(self) -> Sequence[ReadableSpan]:
        """Every span that has ended."""
        return self._exporter.get_finished_spans()

    def of(self, trace_id: int) -> list[ReadableSpan]:
        """Those of one trace."""
        return [span for span in self.all() if span.context.trace_id == trace_id]

    async def until(self, found: Callable[[], object]) -> None:
        """Wait until the spans that a condition wants are there: a span ends a moment after its answer."""
        async with asyncio.timeout(SOON_S):
            while not found():  # noqa: ASYNC110 - other tasks' steps
                await asyncio.sleep(0.005)


@pytest.fixture
def spans() -> Spans:
    return Spans()


@pytest.fixture
async def traced(settings: Settings, spans: Spans) -> AsyncIterator[Platform]:
    """All services, traced."""
    async with await Platform.create(settings, tracing=Tracing(spans.provider)) as platform:
        for service in services():
            await platform.add(service)
        async with asyncio.timeout(SOON_S):
            await platform.health.wait_serving()
        yield platform


def parents(found: Sequence[ReadableSpan]) -> dict[str, str]:
    """Span name → name of its parent; "" for one that isn't there."""
    names = {span.context.span_id: span.name for span in found}
    return {span.name: names.get(span.parent.span_id, "") if span.parent else "" for span in found}


def whole(found: Sequence[ReadableSpan]) -> bool:
    """Whether the parent of every span is there."""
    ids = {span.context.span_id for span in found}
    return all(span.parent is None or span.parent.span_id in ids for span in found)


async def first_move(client: Client, match: str, seat: int) -> Any:
    """Wait until the seat may move; return the first move."""
    async with client.play(match, seat) as playing:
        async for update in playing:
            for entry in update.legal_commands:
                if entry.kind == MOVE:
                    return entry
    raise AssertionError("the match was over before the seat could move")


async def test_one_trace_from_the_client_to_who_watches(traced: Platform, spans: Spans) -> None:
    async with asyncio.timeout(SOON_S), Client(traced.channel("gateway")) as client:
        await client.sign_in_guest("Ann")
        match = await match_of(client, await new_table(client, 3, 2))
        watching = asyncio.create_task(_watch(client, match))
        move = await first_move(client, match, 1)
        async with client.play(match, 1) as playing:
            await anext(aiter(playing))
            with spans.tracer.start_as_current_span("client") as root:
                receipt = await playing.submit(move)
        trace_id = root.get_span_context().trace_id
        await spans.until(lambda: {"hand on", "show"} <= set(parents(spans.of(trace_id))))
        watching.cancel()
    links = parents(spans.of(trace_id))
    assert links["client"] == ""
    assert links[SUBMIT] == "client"
    assert links[ENGINE] == SUBMIT
    assert links["decide"] == links["append"] == ENGINE
    assert links["show"] == "append"
    assert links["hand on"] == "show"
    (commit,) = [one.commit for one in await _commits(traced, match) if one.commit.sequence == receipt.sequence]
    assert commit.traceparent.split("-")[1] == f"{trace_id:032x}"


async def test_commits_of_tables_carry_the_trace_of_their_request(traced: Platform, spans: Spans) -> None:
    asked: dict[str, Callable[[Client, Any], Any]] = {
        "CreateTable": lambda client, _: client.tables.create(RULEBOOK, 3),
        "JoinTable": lambda client, table: client.tables.join(table),
        "AddBots": lambda client, table: client.tables.add_bots(table, 2),
    }
    async with asyncio.timeout(SOON_S), Client(traced.channel("gateway")) as client:
        await client.sign_in_guest("Ann")
        table, traces = None, []
        for method, ask in asked.items():
            with spans.tracer.start_as_current_span(method) as root:
                table = await ask(client, table)
            traces.append(root.get_span_context().trace_id)
    assert table
    assert traced.log is not None
    commits = [one.commit for one in await counted_of(traced.log, table.name.removeprefix("tables/"), LOBBY)]
    assert [commit.traceparent.split("-")[1] for commit in commits[:3]] == [f"{trace:032x}" for trace in traces]
    for method, trace_id in zip(asked, traces, strict=True):
        links = parents(spans.of(trace_id))
        assert links["append"] == f"ludolog.api.matchmaking.v1.MatchmakingService/{method}"


async def test_a_unary_command_that_draws_takes_the_rng_into_its_trace(traced: Platform, spans: Spans) -> None:
    async with asyncio.timeout(SOON_S), AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(traced.channel("gateway"))) for _ in range(3)]
        for client in clients:
            await client.sign_in_guest("Ann")
        table = await new_table(clients[0], 3, 0)
        for client in clients[1:]:
            await client.tables.join(table)
        match = await match_of(clients[0], table)
        trace_id = await traced_draw(traced, spans, clients, match)
        await spans.until(lambda: GET_BLOCK in parents(spans.of(trace_id)) and whole(spans.of(trace_id)))
    found = spans.of(trace_id)
    links = parents([span for span in found if span.kind.name != "CLIENT"])
    assert {SUBMIT_UNARY, ENGINE_UNARY, GET_BLOCK, "append"} <= set(links)
    assert {span.context.trace_id for span in found} == {trace_id}
    assert [span.name for span in found if span.parent is None] == ["client"]


async def traced_draw(platform: Platform, spans: Spans, clients: list[Client], match: str) -> int:
    """Play with unary calls, each in a trace of its own, until a command draws; return that trace's id."""
    seats = {seat: await seated(clients, match, seat) for seat in (1, 2, 3)}
    for number in itertools.count():
        for seat, client in seats.items():
            moves = [entry for entry in (await client.view(match, seat)).legal_commands if entry.kind == MOVE]
            if not moves:
                continue
            stub = play_pb2_grpc.PlayServiceStub(platform.channel("gateway"))
            request = play_pb2.SubmitCommandRequest(name=f"{match}/seats/{seat}", command_id=f"c{number}")
            request.command.CopyFrom(moves[0].prototype)
            with spans.tracer.start_as_current_span("client") as root:
                await stub.SubmitCommand(request, metadata=(("authorization", f"Bearer {client.token}"),))
            trace_id = root.get_span_context().trace_id
            commits = [one.commit for one in await _commits(platform, match)]
            if any(commit.draw_index and f"{trace_id:032x}" in commit.traceparent for commit in commits):
                return trace_id
    raise AssertionError("itertools.count ends")


async def seated(clients: list[Client], match: str, seat: int) -> Client:
    """Whoever sits there."""
    for client in clients:
        with contextlib.suppress(ApiError):
            await client.view(match, seat)
            return client
    raise AssertionError(f"nobody sits at {seat}")


async def test_clients_never_get_a_trace_and_spans_hold_no_secret(traced: Platform, spans: Spans) -> None:
    async with asyncio.timeout(SOON_S), Client(traced.channel("gateway")) as client:
        await client.sign_in_guest("Zyxwvu Qponml")
        match = await match_of(client, await new_table(client, 3, 2))
        seen = []
        async with client.play(match, 1) as playing:
            async for update in playing:
                seen.append(update.traceparent)
                moves = [entry for entry in update.legal_commands if entry.kind == MOVE]
                if moves:
                    await playing.submit(moves[0])
        seen += [update.traceparent async for update in client.watch(match, from_sequence=1)]
        token = client.token
    assert len(seen) > 10
    assert not any(seen)
    text = "".join(span.to_json() for span in spans.all())
    assert "hand on" in text
    for secret in ("Zyxwvu", token, "Bearer", "invite"):
        assert secret not in text


async def test_without_tracing_nothing_is_traced_and_the_log_has_no_trace(platform: Platform) -> None:
    async with asyncio.timeout(SOON_S), Client(platform.channel("gateway")) as client:
        await client.sign_in_guest("Ann")
        match = await match_of(client, await new_table(client, 3, 2))
        with TracerProvider().get_tracer("client").start_as_current_span("client"):
            await client.resign(match, 1)
    assert not platform.tracing.on
    assert not any(one.commit.traceparent for one in await _commits(platform, match))


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """An OTLP receiver."""

    def __init__(self) -> None:
        self.received: list[trace_service_pb2.ExportTraceServiceRequest] = []

    def Export(self, request: trace_service_pb2.ExportTraceServiceRequest, context: Any) -> Any:  # noqa: N802
        """Take spans."""
        self.received.append(request)
        return trace_service_pb2.ExportTraceServiceResponse()


@pytest.fixture
def collector() -> Iterator[tuple[Collector, str]]:
    """A collector, and where it listens."""
    server = grpc.server(futures.ThreadPoolExecutor(2))
    collector = Collector()
    register: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
    register(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield collector, f"http://127.0.0.1:{port}"
    server.stop(None)


async def test_spans_go_to_the_collector_that_is_set(settings: Settings, collector: tuple[Collector, str]) -> None:
    received, endpoint = collector
    async with await Platform.create(replace(settings, otlp_endpoint=endpoint)) as platform:
        for service in services():
            await platform.add(service)
        async with asyncio.timeout(SOON_S), Client(platform.channel("gateway")) as client:
            await platform.health.wait_serving()
            await client.sign_in_guest("Ann")
    names = {
        span.name
        for request in received.received
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
    assert "ludolog.api.gateway.v1.PlayerService/SignInGuest" in names


async def test_a_collector_that_is_away_holds_up_nothing(settings: Settings) -> None:
    loop = asyncio.get_running_loop()
    async with await Platform.create(replace(settings, otlp_endpoint="http://127.0.0.1:9")) as platform:
        for service in services():
            await platform.add(service)
        async with asyncio.timeout(SOON_S), Client(platform.channel("gateway")) as client:
            await platform.health.wait_serving()
            await client.sign_in_guest("Ann")
        began = loop.time()
    assert loop.time() - began < 10


async def _watch(client: Client, match: str) -> None:
    async for _ in client.watch(match):
        pass


async def _commits(platform: Platform, match: str) -> list[Counted]:
    assert platform.log is not None
    assert TOPIC.split(".")[1] == RULEBOOK
    return await counted_of(platform.log, match)
