"""What the platform writes: nothing at rest, a few lines for a match, and never a secret."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.client import ApiError, Client
from ludolog.eventlog.reveals import all_reveals
from ludolog.hosting import Platform
from tests.infra.lines import Heard, Lines
from tests.infra.playing import RULEBOOK, match_of, play
from tests.integration.observed.conftest import SOON_S, play_one

MOST_LINES_OF_A_MATCH = 4


async def measured(platform: Platform) -> None:
    """Wait until whatever the platform does every few seconds was done."""
    value = platform.metrics.registry.get_sample_value
    labels = {"projection": "replay", "topic": "ludolog.rng.log"}
    async with asyncio.timeout(SOON_S):
        while value("ludolog_projection_lag_records", labels) is None:  # noqa: ASYNC110 - other tasks' steps
            await asyncio.sleep(0.05)


async def test_a_platform_at_rest_writes_nothing(platform: Platform, lines: Lines) -> None:
    lines.at("INFO")
    await measured(platform)
    assert lines.text == ""


async def test_a_match_writes_a_few_lines_with_match_and_sequence(platform: Platform, lines: Lines) -> None:
    lines.at("INFO")
    played = await play_one(platform)
    found = lines.all()
    assert [line["message"] for line in found] == ["a match begins", "a match ends", "a seed is revealed"]
    assert len(found) <= MOST_LINES_OF_A_MATCH
    assert {line["match"] for line in found} == {played.match.removeprefix("matches/")}
    assert found[0]["sequence"] == 1
    assert found[1]["sequence"] > 1
    assert found[1]["reason"]
    assert {line["severity"] for line in found} == {"INFO"}


async def test_not_even_debug_lines_hold_a_secret(platform: Platform, lines: Lines) -> None:
    lines.at("DEBUG")
    async with asyncio.timeout(SOON_S), Client(platform.channel("gateway")) as client:
        await client.sign_in_guest("Zyxwvu Qponml")
        table = await client.tables.create(RULEBOOK, 3, private=True)
        invite = table.invite_code
        assert invite
        table = await client.tables.add_bots(await client.tables.join(table), 2)
        match = await match_of(client, table)
        await play(client, match, 1)
        with pytest.raises(ApiError):
            await client.resign(match, 1)
        async with Client(platform.channel("gateway"), token="nonsense") as stranger:
            with pytest.raises(ApiError):
                await stranger.tables.get(tables_pb2.Table(name=table.name))
        assert platform.log is not None
        seed = b""
        while not seed:
            seed = (await all_reveals(platform.log)).get(match.removeprefix("matches/"), b"")
            await asyncio.sleep(0.01)
        house = (platform.settings.data / "house.secret").read_text().strip()
        secrets = [client.token, "Zyxwvu", "Qponml", invite, seed.hex(), repr(seed)[2:-1], house, "nonsense"]
    assert lines.text
    for secret in secrets:
        assert secret not in lines.text, secret


LEAVERS = """
import asyncio, random, sys
import grpc

async def main(address):
    channel = grpc.aio.insecure_channel(address)

    async def one(chance):
        while True:
            call = channel.unary_stream("/test.Stream/Talk")(b"")
            try:
                for _ in range(chance.randrange(4)):
                    await call.read()
                await asyncio.sleep(chance.random() / 50)
            except grpc.aio.AioRpcError:
                pass
            finally:
                call.cancel()

    await asyncio.gather(*(one(random.Random(number)) for number in range(20)))

asyncio.run(main(sys.argv[1]))
"""


class Talk(grpc.GenericRpcHandler):
    """Streams without end, in messages of every size."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """The only method."""
        return grpc.unary_stream_rpc_method_handler(self._talk)

    async def _talk(self, request: bytes, context: Any) -> AsyncIterator[bytes]:
        for size in itertools.cycle((10, 30_000, 1000)):
            yield b"x" * size


async def test_clients_that_leave_in_mid_stream_leave_nothing_in_the_log(lines: Lines, heard: Heard) -> None:
    """To some of them gRPC fails to send, and says so at ERROR with a traceback: that is nobody's trouble."""
    lines.at("INFO")
    server = grpc.aio.server(handlers=[Talk()])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with asyncio.timeout(SOON_S):
        while not heard.records:
            leavers = await asyncio.create_subprocess_exec(sys.executable, "-c", LEAVERS, f"127.0.0.1:{port}")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(3):
                    while not heard.records:  # noqa: ASYNC110 - other tasks' steps
                        await asyncio.sleep(0.01)
            leavers.kill()
            await leavers.wait()
    await server.stop(0)
    assert lines.text == ""
