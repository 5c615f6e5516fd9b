"""A process from start to end: ports, health, drain, failures; and the engine's routes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.dev.process import free_ports
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.snapshots import address_key
from ludolog.hosting import (
    Host,
    LocalChannel,
    LocalServer,
    NotOwner,
    Platform,
    Service,
    Settings,
    Unavailable,
    topic_of,
)
from ludolog.hosting.errors import told
from ludolog.hosting.router import ATTEMPT_S
from ludolog.hosting.transport import PortTaken
from ludolog.sessions.memory import MemoryCache
from tests.unit.hosting.conftest import Echo, register

ROOT = Path(__file__).resolve().parents[3]
MATCH = "tempel-" + "a2" * 13
SOON_S = 10
PROGRAM = """
import sys
from ludolog.hosting import run
async def bind(host):
    async def gone():
        print("drained", flush=True)
    host.on_drain(gone)
    async def fail():
        raise RuntimeError("broken")
    if "fail" in sys.argv:
        host.spawn("part", fail())
    print("bound", flush=True)
run("rng", bind)
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, gateway_port=0, drain_s=1)


@pytest.fixture
async def platform(settings: Settings) -> AsyncIterator[Platform]:
    async with await Platform.create(settings, cache=MemoryCache(), needs_log=False) as platform:
        yield platform


async def public_echo(host: Host) -> None:
    register(host.public_server, Echo())


async def test_health_follows_every_part_and_reflection_lists_services(platform: Platform) -> None:
    host = await platform.add(Service("gateway", public_echo))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{platform.ports['gateway_port']}") as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest()
        watch = stub.Watch(request)
        states = [(await watch.read()).status]
        host.serving("partitions", ok=False, why="folding")
        states.append((await watch.read()).status)
        assert platform.health.problems == {"gateway:partitions": "folding"}
        host.serving("partitions", ok=True)
        states.append((await watch.read()).status)
        watch.cancel()
        serving, not_serving = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
        assert states == [serving, not_serving, serving]
        assert (await stub.Check(request)).status == serving
    assert "grpc.reflection.v1alpha.ServerReflection" in host.public_server.services


async def test_a_taken_port_is_named(settings: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        mine = replace(settings, gateway_port=taken.getsockname()[1])
        async with await Platform.create(mine, cache=MemoryCache(), needs_log=False) as platform:
            with pytest.raises(PortTaken, match="LUDOLOG_GATEWAY_PORT"):
                await platform.add(Service("gateway", public_echo))


async def test_draining_goes_in_order(platform: Platform) -> None:
    order: list[str] = []

    async def bind(host: Host) -> None:
        async def note(what: str) -> None:
            order.append(f"{what}, serving: {platform.health.serving}")

        async def broken() -> None:
            order.append("broken")
            raise RuntimeError("this one fails")

        host.on_close(lambda: note("closed"))
        host.on_drain(lambda: note("first"))
        host.on_drain(broken)
        host.on_drain(lambda: note("second"))

    await platform.add(Service("rng", bind))
    assert platform.health.serving
    await platform.close()
    assert order == ["first, serving: False", "broken", "second, serving: False", "closed, serving: False"]


async def test_a_task_that_fails_ends_the_process(platform: Platform) -> None:
    async def fail() -> None:
        raise RuntimeError("broken")

    async def bind(host: Host) -> None:
        _ = host.spawn("part", fail())

    await platform.add(Service("rng", bind))
    assert str(await asyncio.wait_for(platform.failed, SOON_S)) == "broken"
    assert not platform.health.serving


async def test_a_sockets_channel_closes_beside_in_process_streams(platform: Platform) -> None:
    host = await platform.add(Service("gateway", public_echo))
    local: Any = LocalChannel(host.public_server).unary_stream("/test.Echo/Down")
    stream = local(b"1 wait")
    assert await stream.read() == b"0"
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{platform.ports['gateway_port']}")
    await channel.close()
    assert not stream.done()
    stream.cancel()


def start(tmp_path: Path, *arguments: str, **environ: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("LUDOLOG_")}
    env |= {"PYTHONPATH": f"{ROOT}/libs", "LUDOLOG_DATA": str(tmp_path / "data"), **environ}
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_process_drains_when_it_is_told_to_stop(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "bound\n"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=SOON_S)[0] == "drained\n"
        assert process.returncode == 0


def test_bad_settings_end_with_code_2_and_say_which(tmp_path: Path) -> None:
    with start(tmp_path, LUDOLOG_PORT="x", LUDOLOG_MODE="y") as process:
        errors = process.communicate(timeout=SOON_S)[1]
        assert process.returncode == 2
    assert [line.split()[1] for line in errors.splitlines()] == ["LUDOLOG_MODE", "LUDOLOG_PORT"]


def test_a_failed_part_ends_with_code_1(tmp_path: Path) -> None:
    with start(tmp_path, "fail") as process:
        out, errors = process.communicate(timeout=SOON_S)
        assert process.returncode == 1
    assert out == "bound\ndrained\n"
    assert "rng:part failed" in errors


class Engines:
    """Two engines; one owns the partition."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.owner = "a"
        self.tells = False
        self.fails: list[Exception] = []
        self.still: set[str] = set()
        self.reached = asyncio.Event()

    def bind(self, name: str) -> Any:
        async def ask(request: bytes, context: Any) -> bytes:
            self.asked.append(name)
            self.reached.set()
            if name in self.still:
                await asyncio.Event().wait()
            if self.fails:
                raise self.fails.pop(0)
            if name != self.owner:
                raise NotOwner(address=f"local:engine/{self.owner}" if self.tells else "")
            return name.encode()

        async def bind(host: Host) -> None:
            handler: Any = grpc.unary_unary_rpc_method_handler(ask)
            host.server.add_registered_method_handlers("test.Engine", {"Ask": handler})

        return bind


@pytest.fixture
async def engines(platform: Platform) -> Engines:
    engines = Engines()
    for name in ("a", "b"):
        await platform.add(Service("engine", engines.bind(name), rulebook=name))
    return engines


async def publish(platform: Platform, name: str) -> None:
    partition = partition_of(MATCH, platform.settings.topic_partitions)
    key = address_key(topic_of("tempel_des_schreckens"), partition)
    await platform.cache.put(key, f"local:engine/{name}".encode(), 60_000)


async def test_routes_follow_the_owner(platform: Platform, engines: Engines) -> None:
    router = platform.hosts["engine/a"].engines("tempel_des_schreckens")
    ask: Any = router.channel_for(MATCH).unary_unary("/test.Engine/Ask")
    await publish(platform, "a")
    assert await ask(b"") == b"a"
    engines.owner = "b"
    await publish(platform, "b")
    assert await ask(b"") == b"b"
    assert engines.asked == ["a", "a", "b"]
    engines.owner, engines.tells = "a", True
    assert await ask(b"") == b"a"
    assert engines.asked[3:] == ["b", "a"]


async def test_what_is_unknown_is_repeated_until_the_deadline(platform: Platform, engines: Engines) -> None:
    router = platform.hosts["engine/a"].engines("tempel_des_schreckens")
    ask: Any = router.channel_for(MATCH).unary_unary("/test.Engine/Ask")
    await publish(platform, "a")
    engines.fails = [Unavailable("taking over", retry_after_ms=0)] * 3
    assert await ask(b"", timeout=SOON_S) == b"a"
    assert engines.asked == ["a"] * 4
    engines.fails = [Unavailable("for ever", retry_after_ms=0)] * 1000
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ask(b"", timeout=0.2)
    assert told(caught.value).code is grpc.StatusCode.UNAVAILABLE


async def test_an_engine_that_stands_still_is_left_for_the_one_that_has_taken_over(
    platform: Platform, engines: Engines
) -> None:
    router = platform.hosts["engine/a"].engines("tempel_des_schreckens")
    ask: Any = router.channel_for(MATCH).unary_unary("/test.Engine/Ask")
    await publish(platform, "a")
    engines.still.add("a")
    waiting = asyncio.ensure_future(ask(b"", timeout=SOON_S))
    await engines.reached.wait()
    engines.owner = "b"
    await publish(platform, "b")
    began = asyncio.get_running_loop().time()
    assert await waiting == b"b"
    assert asyncio.get_running_loop().time() - began < ATTEMPT_S / 2
    assert engines.asked == ["a", "b"]


async def test_who_stops_waiting_for_an_engine_that_stands_still_is_cancelled(
    platform: Platform, engines: Engines
) -> None:
    router = platform.hosts["engine/a"].engines("tempel_des_schreckens")
    ask: Any = router.channel_for(MATCH).unary_unary("/test.Engine/Ask")
    await publish(platform, "a")
    engines.still.add("a")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await ask(b"", timeout=SOON_S)


async def test_an_answer_is_an_answer(platform: Platform, engines: Engines) -> None:
    router = platform.hosts["engine/a"].engines("tempel_des_schreckens")
    ask: Any = router.channel_for(MATCH).unary_unary("/test.Engine/Ask")
    await publish(platform, "a")
    engines.fails = [ZeroDivisionError()]
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ask(b"", timeout=SOON_S)
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert engines.asked == ["a"]


async def test_a_channel_is_made_before_its_service(platform: Platform) -> None:
    call: Any = platform.channel("rng").unary_unary("/test.Echo/Unary")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"")
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE

    async def bind(host: Host) -> None:
        register(host.server, Echo())

    await platform.add(Service("rng", bind))
    assert await call(b"x") == b"x"
    assert isinstance(platform.hosts["rng"].server, LocalServer)


async def test_probes_without_certificate_have_a_port_of_their_own(settings: Settings) -> None:
    port = free_ports(1)[0]
    mine = replace(settings, health_port=port)
    async with await Platform.create(mine, cache=MemoryCache(), needs_log=False) as platform:
        await platform.open_health()
        await platform.add(Service("gateway", public_echo))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            answer = await stub.Check(health_pb2.HealthCheckRequest())
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
            call: Any = channel.unary_unary("/test.Echo/Unary")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(b"")
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
