"""More callers than a process can serve: a bound on the wait in line refuses the rest, and says when to come back.

How much quicker the answers are is a measurement (it is in the report of the run), not a test: machines are noisy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from deploy.dev.embedded import Embedded
from ludolog.api.gateway.v1 import players_pb2, players_pb2_grpc, tables_pb2, tables_pb2_grpc
from ludolog.hosting.errors import told

CALLERS = 400
WAIT_MS = 40
NO_BOUND_MS = 600_000
SECONDS = 3.0
MOST_TABLES = 18
GAME = "rulebooks/tempel_des_schreckens"
NO_LIMITS = {
    "LUDOLOG_ADDRESS_CALLS_PER_SECOND": "0",
    "LUDOLOG_PLAYER_CALLS_PER_SECOND": "0",
    "LUDOLOG_SIGN_INS_PER_MINUTE": "0",
    "LUDOLOG_TABLES_PER_MINUTE": "0",
    "LUDOLOG_BUSY_CALLS": "1000000",
    "LUDOLOG_BOTS": "0",
}


@dataclass
class Load:
    """What callers who do as they are told saw."""

    seconds: list[float] = field(default_factory=list)
    refused: set[tuple[Any, str, bool]] = field(default_factory=set)

    @property
    def p99_s(self) -> float:
        return sorted(self.seconds)[int(len(self.seconds) * 0.99)]


async def load(address: str) -> Load:
    """Have many callers open tables for some seconds, each again once it is answered or as soon as it is told to."""
    seen = Load()
    async with grpc.aio.insecure_channel(address) as channel:
        players = players_pb2_grpc.PlayerServiceStub(channel)
        tables = tables_pb2_grpc.TableServiceStub(channel)
        metadata = []
        for number in range(CALLERS):
            signed = await players.SignInGuest(players_pb2.SignInGuestRequest(display_name=f"P{number}"))
            metadata.append((("authorization", f"Bearer {signed.token}"),))
        ends = time.monotonic() + SECONDS

        async def caller(me: Any) -> None:
            for number in range(MOST_TABLES):
                request = tables_pb2.CreateTableRequest(rulebook=GAME, seat_count=3, request_id=f"r{number}")
                while (began := time.monotonic()) < ends:
                    try:
                        await tables.CreateTable(request, metadata=me, timeout=60)
                        seen.seconds.append(time.monotonic() - began)
                        break
                    except grpc.aio.AioRpcError as error:
                        answer = told(error)
                        seen.refused.add((answer.code, answer.reason, bool(answer.retry_after_ms)))
                        await asyncio.sleep((answer.retry_after_ms or 0) / 1000)

        await asyncio.gather(*map(caller, metadata))
    return seen


async def test_a_bound_refuses_the_rest_and_says_when_to_come_back(
    tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    seen = {}
    for name, wait_ms in (("bounded", WAIT_MS), ("unbounded", NO_BOUND_MS)):
        settings = NO_LIMITS | {"LUDOLOG_BUSY_WAIT_MS": str(wait_ms)}
        server = Embedded(tmp_path / name, settings)
        await asyncio.to_thread(server.start)
        try:
            seen[name] = await load(server.address)
        finally:
            await asyncio.to_thread(server.stop)
    bounded, unbounded = seen["bounded"], seen["unbounded"]
    figures = {name: (len(one.seconds), round(one.p99_s * 1000)) for name, one in seen.items()}
    record_testsuite_property("overload_answers_and_p99_ms", str(figures))
    assert bounded.refused == {(grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", True)}
    assert not unbounded.refused
    assert all(one.seconds for one in seen.values()), figures
