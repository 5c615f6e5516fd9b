"""What every call goes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from ludolog.hosting import (
    Keyring,
    LocalChannel,
    LocalServer,
    Metrics,
    NotOwner,
    Settings,
    authorisation,
    caller,
    errors,
    require_player,
)
from ludolog.hosting.channels import EquippedChannel
from ludolog.hosting.errors import told
from ludolog.hosting.guard import Guard
from ludolog.hosting.identity import NOBODY
from tests.unit.hosting.conftest import Echo, Stub, register


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def reason(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return told(caught.value).reason


async def test_a_handler_knows_its_caller(stub: Stub, keys: Keyring) -> None:
    player = keys.sign("p-ann", name="Ann", roles=("player",), ttl_s=60)
    service = keys.sign("engine", roles=("service",), ttl_s=60)
    assert await stub.unary(b"who", metadata=bearer(player)) == b"p-ann||Ann"
    assert await stub.unary(b"who", metadata=bearer(service)) == b"|engine|"
    assert await stub.unary(b"who") == b"||"
    assert caller() is NOBODY


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer a.b.c", "nonsense", "Bearer "])
async def test_a_token_that_isnt_ours_is_refused(stub: Stub, header: str) -> None:
    assert await reason(stub.unary(b"", metadata=(("authorization", header),))) == "BAD_TOKEN"


async def test_no_service_token_is_taken_from_outside(keys: Keyring, metrics: Metrics, settings: Settings) -> None:
    server = LocalServer(Guard("gateway", keys, metrics, settings, public=True).wrap)
    register(server, Echo())
    stub = Stub(LocalChannel(server))
    service = keys.sign("engine", roles=("service",), ttl_s=60)
    assert await reason(stub.unary(b"who", metadata=bearer(service))) == "BAD_TOKEN"


async def test_a_nested_call_doesnt_change_the_caller(
    keys: Keyring, server: LocalServer, echo: Echo, guard: Guard
) -> None:
    inner = Stub(
        EquippedChannel(LocalChannel(server), lambda: f"Bearer {keys.sign('web', roles=('service',), ttl_s=60)}", 5)
    )

    async def outer(request: bytes, context: Any) -> bytes:
        before = caller().player_id
        who = await inner.unary(b"who")
        streamed = [item async for item in inner.down(b"2")]
        return b" ".join((before.encode(), who, caller().player_id.encode(), str(len(streamed)).encode()))

    front = LocalServer(guard.wrap)
    front.add_registered_method_handlers("test.Outer", {"Outer": grpc.unary_unary_rpc_method_handler(outer)})
    call: Any = LocalChannel(front).unary_unary("/test.Outer/Outer")
    token = keys.sign("p-ann", roles=("player",), ttl_s=60)
    assert await call(b"", metadata=bearer(token)) == b"p-ann |web| p-ann 2"


async def test_a_service_whose_token_isnt_taken_is_one_that_is_away(
    keys: Keyring, server: LocalServer, guard: Guard, caplog: pytest.LogCaptureFixture
) -> None:
    ended = keys.sign("web", roles=("service",), ttl_s=-60)
    register(server, Echo())
    inner = Stub(EquippedChannel(LocalChannel(server), lambda: f"Bearer {ended}", 5))

    async def outer(request: bytes, context: Any) -> bytes:
        answer: bytes = await inner.unary(b"who")
        return answer

    front = LocalServer(guard.wrap)
    front.add_registered_method_handlers("test.Outer", {"Outer": grpc.unary_unary_rpc_method_handler(outer)})
    call: Any = LocalChannel(front).unary_unary("/test.Outer/Outer")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"", metadata=bearer(keys.sign("p-ann", roles=("player",), ttl_s=60)))
    answer = told(caught.value)
    assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE")
    assert answer.retry_after_ms
    assert "ERROR" in [record.levelname for record in caplog.records]


async def test_a_call_without_deadline_gets_one(keys: Keyring, metrics: Metrics, settings: Settings) -> None:
    guard = Guard("test", keys, metrics, replace(settings, call_timeout_s=0.1), public=False)
    server = LocalServer(guard.wrap)
    echo = Echo()
    register(server, echo)
    assert await reason(Stub(LocalChannel(server)).unary(b"wait")) == "DEADLINE_EXCEEDED"
    assert echo.cancelled.is_set()


async def test_more_calls_than_allowed_are_refused_early(keys: Keyring, metrics: Metrics, settings: Settings) -> None:
    guard = Guard("test", keys, metrics, replace(settings, open_calls=1), public=False)
    server = LocalServer(guard.wrap)
    echo = Echo()
    register(server, echo)
    stub = Stub(LocalChannel(server))
    first = asyncio.ensure_future(stub.unary(b"wait"))
    await echo.started.wait()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.unary(b"")
    answer = told(caught.value)
    assert (answer.code, answer.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
    assert answer.retry_after_ms is not None
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await stub.unary(b"again") == b"again"


@pytest.mark.parametrize("waits", [True, False])
async def test_an_old_stream_is_ended(waits: bool, keys: Keyring, metrics: Metrics, settings: Settings) -> None:
    guard = Guard("test", keys, metrics, replace(settings, stream_age_s=0.1), public=False)
    server = LocalServer(guard.wrap)
    echo = Echo()
    register(server, echo)
    call = Stub(LocalChannel(server)).down(b"1 wait" if waits else b"100000000")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async for _ in call:
            pass
    answer = told(caught.value)
    assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "STREAM_AGE")
    assert echo.cancelled.is_set() is waits
    assert guard.open == 0


async def test_calls_are_counted_by_method_and_code(stub: Stub, metrics: Metrics) -> None:
    await stub.unary(b"")
    await reason(stub.unary(b"refuse"))
    await reason(stub.unary(b"bug"))
    assert [response async for response in stub.down(b"2")] == [b"0", b"1"]

    def count(method: str, code: str) -> float | None:
        return metrics.registry.get_sample_value("ludolog_requests_total", {"method": method, "code": code})

    assert count("test.Echo/Unary", "OK") == 1
    assert count("test.Echo/Unary", "FAILED_PRECONDITION") == 1
    assert count("test.Echo/Unary", "INTERNAL") == 1
    assert metrics.registry.get_sample_value("ludolog_request_seconds_count", {"method": "test.Echo/Unary"}) == 3
    assert metrics.registry.get_sample_value("ludolog_open_calls", {"method": "test.Echo/Unary"}) == 0


async def handle(request: bytes, context: Any) -> bytes:
    return (require_player().player_id if caller().player_id else caller().sender).encode()


async def test_rules_are_kept_before_handlers_run(keys: Keyring, guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = frozenset({"gateway"})
    rules = {
        "Player": authorisation.Rule(player=True),
        "Service": authorisation.Rule(senders=gateway),
        "HandedOn": authorisation.Rule(player=True, senders=gateway, handed_on=True),
        "Operator": authorisation.Rule(senders=gateway, operator=True),
    }
    for method, rule in rules.items():
        monkeypatch.setitem(authorisation.RULES, f"/test.Only/{method}", rule)
    server = LocalServer(guard.wrap)
    handler: Any = grpc.unary_unary_rpc_method_handler(handle)
    server.add_registered_method_handlers("test.Only", dict.fromkeys(rules, handler))
    plain = LocalChannel(server)

    def signed(service: str) -> EquippedChannel:
        header = f"Bearer {keys.sign(service, roles=('service',), ttl_s=60)}"
        return EquippedChannel(plain, lambda: header, 5)

    def calls(channel: grpc.aio.Channel) -> dict[str, Any]:
        return {method: channel.unary_unary(f"/test.Only/{method}") for method in rules}

    ann = bearer(keys.sign("p-ann", roles=("player",), ttl_s=60))
    operator = bearer(keys.sign("olga", roles=("operator",), ttl_s=60))
    nobody, from_gateway, from_engine = calls(plain), calls(signed("gateway")), calls(signed("engine"))
    assert await nobody["Player"](b"", metadata=ann) == b"p-ann"
    assert await reason(nobody["Player"](b"")) == "UNAUTHENTICATED"
    assert await reason(from_gateway["Player"](b"")) == "NOT_A_PLAYER"
    assert await reason(nobody["Player"](b"", metadata=operator)) == "NOT_A_PLAYER"
    assert await from_gateway["Service"](b"") == b"gateway"
    assert await reason(from_gateway["Service"](b"", metadata=ann)) == "NOT_A_SERVICE"
    for refused in (nobody["Service"](b""), nobody["Service"](b"", metadata=ann), from_engine["Service"](b"")):
        assert await reason(refused) == "NOT_A_SERVICE"
    assert await from_gateway["HandedOn"](b"", metadata=ann) == b"p-ann"
    assert await reason(from_gateway["HandedOn"](b"")) == "NOT_A_PLAYER"
    assert await reason(nobody["HandedOn"](b"", metadata=ann)) == "NOT_A_SERVICE"
    assert await reason(from_engine["HandedOn"](b"", metadata=ann)) == "NOT_A_SERVICE"
    assert await nobody["Operator"](b"", metadata=operator) == b""
    assert await reason(nobody["Operator"](b"", metadata=ann)) == "NOT_A_SERVICE"
    assert await reason(nobody["Service"](b"", metadata=operator)) == "NOT_A_SERVICE"


async def test_a_call_is_handed_on_by_a_service_only(keys: Keyring, stub: Stub) -> None:
    ann = keys.sign("p-ann", roles=("player",), ttl_s=60)
    engine = keys.sign("engine", roles=("service",), ttl_s=60)
    assert (
        await stub.unary(b"who", metadata=(*bearer(ann), ("ludolog-service", f"Bearer {engine}"))) == b"p-ann|engine|"
    )
    for shown in (f"Bearer {ann}", "Bearer nonsense", ""):
        metadata = (*bearer(ann), ("ludolog-service", shown))
        assert await reason(stub.unary(b"who", metadata=metadata)) == "BAD_SERVICE_TOKEN"
    both = (*bearer(engine), ("ludolog-service", f"Bearer {engine}"))
    assert await reason(stub.unary(b"who", metadata=both)) == "BAD_SERVICE_TOKEN"


def test_a_method_without_a_rule_isnt_served(guard: Guard) -> None:
    server = LocalServer(guard.wrap)
    handler: Any = grpc.unary_unary_rpc_method_handler(handle)
    with pytest.raises(LookupError, match=r"/test\.New/Method: it has no rule"):
        server.add_registered_method_handlers("test.New", {"Method": handler})


async def test_an_upstreams_answer_goes_on_with_its_details(guard: Guard, server: LocalServer, echo: Echo) -> None:
    behind = Stub(LocalChannel(server))

    async def front(request: bytes, context: Any) -> Any:
        return await behind.unary(request)

    outer = LocalServer(guard.wrap)
    outer.add_registered_method_handlers("test.Front", {"Front": grpc.unary_unary_rpc_method_handler(front)})
    call: Any = LocalChannel(outer).unary_unary("/test.Front/Front")
    assert await reason(call(b"refuse")) == "NOT_KEY_PLAYER"
    server.serving = False
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"")
    answer = told(caught.value)
    assert (answer.code, answer.reason) == (grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE")


async def test_a_stopping_server_ends_what_is_open(server: LocalServer, echo: Echo) -> None:
    stub = Stub(LocalChannel(server))
    waiting = asyncio.ensure_future(stub.unary(b"wait"))
    await echo.started.wait()
    stream = stub.both()
    await stream.write(b"one")
    assert await stream.read() == b"ONE"
    await server.stop(0)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await waiting
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    with pytest.raises(grpc.aio.AioRpcError):
        await stream.read()
    with pytest.raises(grpc.aio.AioRpcError):
        await stub.unary(b"")
    assert not server.open


async def test_a_stopping_server_lets_open_calls_finish(guard: Guard) -> None:
    go_on = asyncio.Event()

    async def slow(request: bytes, context: Any) -> bytes:
        await go_on.wait()
        return b"done"

    server = LocalServer(guard.wrap)
    server.add_registered_method_handlers("test.Slow", {"Slow": grpc.unary_unary_rpc_method_handler(slow)})
    call: Any = LocalChannel(server).unary_unary("/test.Slow/Slow")
    answer = asyncio.ensure_future(call(b""))
    while not server.open:  # noqa: ASYNC110 - the next step of the loop
        await asyncio.sleep(0)
    stopping = asyncio.create_task(server.stop(5))
    await asyncio.sleep(0)
    assert not stopping.done()
    go_on.set()
    assert await answer == b"done"
    await stopping


async def test_the_owners_address_travels_with_not_owner(guard: Guard) -> None:
    async def elsewhere(request: bytes, context: Any) -> bytes:
        raise NotOwner(address="10.0.0.2:7000")

    server = LocalServer(guard.wrap)
    server.add_registered_method_handlers("test.Engine", {"Ask": grpc.unary_unary_rpc_method_handler(elsewhere)})
    call: Any = LocalChannel(server).unary_unary("/test.Engine/Ask")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"")
    answer = errors.told(caught.value)
    assert (answer.reason, answer.metadata) == ("NOT_OWNER", {"address": "10.0.0.2:7000"})


async def test_a_coroutine_that_writes_to_its_context_is_a_stream_too(server: LocalServer) -> None:
    async def watch(request: bytes, context: Any) -> None:
        await context.write(b"one")
        await context.write(b"two")

    handlers: dict[str, Any] = {"Watch": grpc.unary_stream_rpc_method_handler(watch)}
    server.add_registered_method_handlers("test.Watch", handlers)
    call: Any = LocalChannel(server).unary_stream("/test.Watch/Watch")
    stream: AsyncIterator[bytes] = call(b"")
    assert [item async for item in stream] == [b"one", b"two"]


async def _echo(request: StringValue, context: Any) -> StringValue:
    return request


async def _echoes(requests: AsyncIterator[StringValue], context: Any) -> AsyncIterator[StringValue]:
    async for request in requests:
        yield request


@pytest.mark.parametrize("over_a_socket", [False, True])
@pytest.mark.parametrize("bad", [b"\x0a\xff", b"\x0a\x01\xff", b"\x0b" * 500])
async def test_bytes_that_are_no_message_are_the_callers_mistake(
    guard: Guard, bad: bytes, over_a_socket: bool, caplog: pytest.LogCaptureFixture
) -> None:
    local = LocalServer(guard.wrap)
    codec: Any = StringValue.FromString, StringValue.SerializeToString
    handlers: dict[str, Any] = {
        "One": grpc.unary_unary_rpc_method_handler(_echo, *codec),
        "Many": grpc.stream_stream_rpc_method_handler(_echoes, *codec),
    }
    local.add_registered_method_handlers("test.Text", handlers)
    listening = grpc.aio.server()
    listening.add_generic_rpc_handlers((local.generic_handler(),))
    port = listening.add_insecure_port("127.0.0.1:0")
    await listening.start()
    good = StringValue(value="Ann").SerializeToString()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") if over_a_socket else LocalChannel(local) as channel:
        one: Any = channel.unary_unary("/test.Text/One")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await one(bad)
        stream: Any = channel.stream_stream("/test.Text/Many")()
        await stream.write(good)
        assert await stream.read() == good
        await stream.write(bad)
        with pytest.raises(grpc.aio.AioRpcError) as caught_later:
            await stream.read()
        assert await one(good) == good
    await listening.stop(None)
    for error in (caught.value, caught_later.value):
        assert (error.code(), told(error).reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert not caplog.records
