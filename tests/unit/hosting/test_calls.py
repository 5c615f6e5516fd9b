"""In-process calls behave as calls over a socket: every test here runs on both."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from ludolog.hosting.errors import told
from ludolog.hosting.guard import Guard
from ludolog.hosting.local import LocalServer
from tests.unit.hosting.conftest import Echo, Stub

SOON_S = 5


async def failed(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


async def drained(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_a_unary_call_gives_its_response_and_an_ok(stub: Stub) -> None:
    call = stub.unary(b"hello", timeout=SOON_S)
    assert await call == b"hello"
    assert await call.code() is grpc.StatusCode.OK
    assert await call == b"hello"
    assert call.done()


async def test_a_method_may_still_come_while_the_service_starts(stub: Stub, server: LocalServer) -> None:
    assert (await failed(stub.none(b"x"))).code() is grpc.StatusCode.UNIMPLEMENTED
    server.complete = False
    assert (await failed(stub.none(b"x"))).code() is grpc.StatusCode.UNAVAILABLE
    assert await stub.unary(b"hello", timeout=SOON_S) == b"hello"


def test_a_stream_that_was_removed_with_its_connection_is_unavailable() -> None:
    nothing = grpc.aio.Metadata()
    removed = grpc.aio.AioRpcError(grpc.StatusCode.UNKNOWN, nothing, nothing, "Stream removed (ping timeout)")
    assert told(removed).code is grpc.StatusCode.UNAVAILABLE


async def test_metadata_goes_along_both_ways(stub: Stub, echo: Echo) -> None:
    call = stub.unary(b"trailing", metadata=(("x-one", "1"), ("x-two-bin", b"\x00\xff")))
    assert await call == b"trailing"
    assert echo.metadata["x-one"] == "1"
    assert echo.metadata["x-two-bin"] == b"\x00\xff"
    trailing = dict(await call.trailing_metadata())
    assert trailing["x-count"] == "7"
    assert trailing["x-blob-bin"] == b"\x00\xff"


async def test_a_refusal_arrives_with_all_details(stub: Stub) -> None:
    error = await failed(stub.unary(b"refuse"))
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # the types know the synchronous API only
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    info, failure = error_details_pb2.ErrorInfo(), error_details_pb2.PreconditionFailure()
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(failure)
    assert (info.reason, info.domain) == ("NOT_KEY_PLAYER", "test")
    assert dict(info.metadata) == {"expected_seat": "3", "late": "true"}
    assert (failure.violations[0].type, failure.violations[0].subject) == ("NOT_KEY_PLAYER", "Gameplay 1")


async def test_a_bug_is_internal_and_tells_nothing(stub: Stub, caplog: pytest.LogCaptureFixture) -> None:
    error = await failed(stub.unary(b"bug"))
    assert error.code() is grpc.StatusCode.INTERNAL
    assert "secret" not in str(error.details())
    assert "ZeroDivisionError" in caplog.text


async def test_an_unknown_method_is_unimplemented(stub: Stub) -> None:
    assert (await failed(stub.none(b""))).code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_request_that_is_too_large_is_refused(stub: Stub) -> None:
    assert (await failed(stub.unary(b"x" * ((1 << 20) + 1)))).code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_deadline_ends_the_call_and_its_handler(stub: Stub, echo: Echo) -> None:
    error = await failed(stub.unary(b"wait", timeout=0.05))
    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    async with asyncio.timeout(SOON_S):
        await echo.cancelled.wait()


async def test_a_handler_knows_what_is_left(stub: Stub) -> None:
    # Over a socket the deadline travels in whole units, rounded up, so it may come out a little later.
    assert 0 < float(await stub.unary(b"left", timeout=SOON_S)) <= SOON_S + 0.1
    assert await stub.unary(b"left") == b"None"


async def test_cancelling_a_call_cancels_its_handler(stub: Stub, echo: Echo) -> None:
    call = stub.unary(b"wait")
    waiting = asyncio.ensure_future(call)
    async with asyncio.timeout(SOON_S):
        await echo.started.wait()
        assert call.cancel()
        await echo.cancelled.wait()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await call.code() is grpc.StatusCode.CANCELLED
    assert not call.cancel()


async def test_cancelling_whoever_waits_cancels_the_handler(stub: Stub, echo: Echo) -> None:
    async def wait() -> None:
        await stub.unary(b"wait")

    task = asyncio.create_task(wait())
    async with asyncio.timeout(SOON_S):
        await echo.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await echo.cancelled.wait()


async def test_a_call_that_nobody_awaits_runs_all_the_same(stub: Stub, echo: Echo) -> None:
    call = stub.unary(b"wait")
    async with asyncio.timeout(SOON_S):
        await echo.started.wait()
    call.cancel()


async def test_calls_run_side_by_side(stub: Stub) -> None:
    answers = await asyncio.gather(*(stub.unary(str(number).encode()) for number in range(20)))
    assert answers == [str(number).encode() for number in range(20)]


async def test_a_stream_gives_each_response_and_ends(stub: Stub) -> None:
    call = stub.down(b"100")
    assert [response async for response in call] == [str(number).encode() for number in range(100)]
    assert await call.code() is grpc.StatusCode.OK
    other = stub.down(b"1")
    assert await other.read() == b"0"
    assert await other.read() is grpc.aio.EOF


async def test_what_was_sent_before_an_error_arrives_before_it(stub: Stub) -> None:
    call = stub.down(b"5 refuse")
    assert [await call.read() for _ in range(5)] == [b"0", b"1", b"2", b"3", b"4"]
    error = await failed(call.read())
    assert (error.details() or "").startswith("NOT_KEY_PLAYER")


async def test_a_cancelled_stream_ends_its_handler(stub: Stub, echo: Echo, guard: Guard) -> None:
    call = stub.down(b"3 wait")
    async with asyncio.timeout(SOON_S):
        assert await call.read() == b"0"
        await echo.started.wait()
        call.cancel()
        await echo.cancelled.wait()
        with pytest.raises(asyncio.CancelledError):
            await drained(call)
        while guard.open:  # noqa: ASYNC110 - it ends in a step of the loop that nobody else can see
            await asyncio.sleep(0)


async def test_a_reader_that_stops_reading_stops_the_writer(stub: Stub, echo: Echo) -> None:
    call = stub.down(b"1000000")
    assert await call.read() == b"0"
    # A socket has buffers of its own; neither may take a million.
    for _ in range(100):
        await asyncio.sleep(0)
    assert echo.sent < 500_000
    call.cancel()


async def test_requests_stream_from_an_iterator(stub: Stub) -> None:
    async def requests() -> Any:
        for number in range(40):
            yield str(number).encode()

    assert await stub.up(requests()) == b",".join(str(number).encode() for number in range(40))
    assert await stub.up(iter([b"a", b"b"])) == b"a,b"


async def test_both_sides_write_and_read(stub: Stub) -> None:
    call = stub.both()
    for word in (b"one", b"two"):
        await call.write(word)
        assert await call.read() == word.upper()
    await call.done_writing()
    assert await call.read() is grpc.aio.EOF
    assert await call.code() is grpc.StatusCode.OK


async def test_a_deadline_ends_a_stream(stub: Stub, echo: Echo) -> None:
    call = stub.both(timeout=0.1)
    await call.write(b"wait")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call.read()
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    async with asyncio.timeout(SOON_S):
        await echo.cancelled.wait()
