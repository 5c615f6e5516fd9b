"""docs/api.md, "Reasons": those that a running platform gives to whoever provokes them."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc

from ludolog.api.gateway.v1 import (
    play_pb2,
    play_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    tables_pb2,
    tables_pb2_grpc,
)
from ludolog.client import ApiError, Client
from ludolog.hosting import Platform
from ludolog.hosting.errors import told
from tests.integration.matchmaking.house import EVERYTHING, GAME, RULEBOOK, guests, running
from tests.integration.security.test_other_peoples import signed
from tests.tidy.reasons import documented


class Scene:
    """Ann and Bob at a table of Ann's; Cid somewhere else."""

    def __init__(self, platform: Platform, people: list[Client]) -> None:
        self.platform = platform
        self.ann, self.bob, self.cid = people
        self.channel = platform.channel("gateway")
        self.table = tables_pb2.Table()

    def stub(self, kind: Any) -> Any:
        return kind(self.channel)

    async def sit(self) -> None:
        self.table = await self.ann.tables.create(RULEBOOK, 3)
        for person in (self.ann, self.bob):
            await person.tables.join(self.table)

    def join(self, who: Client, **more: Any) -> Any:
        given = {"entropy": b"e" * 32, "request_id": f"join-{id(more)}"} | more
        request = tables_pb2.JoinTableRequest(name=self.table.name, **given)
        return self.stub(tables_pb2_grpc.TableServiceStub).JoinTable(request, metadata=signed(who))


async def full(scene: Scene) -> Any:
    """A fourth person at a table for three."""
    await scene.cid.tables.join(scene.table)
    async with Client(scene.channel) as dora:
        await dora.sign_in_guest("Dora")
        return await scene.join(dora)


async def closed(scene: Scene) -> Any:
    for person in (scene.bob, scene.ann):
        await person.tables.leave(scene.table)
    return await scene.join(scene.cid)


async def started(scene: Scene) -> Any:
    await scene.cid.tables.join(scene.table)
    await scene.ann.tables.start(scene.table)
    return await scene.ann.tables.leave(scene.table)


async def coming(scene: Scene) -> Any:
    await scene.ann.tables.add_bots(scene.table, 1)
    return await scene.ann.tables.start(scene.table)


async def no_bots(scene: Scene) -> Any:
    secret = (scene.platform.settings.data / "house.secret").read_text().strip()
    async with Client(scene.channel) as house:
        await house.sign_in_house_player("House", secret)
        return await house.tables.join(scene.table)


async def reused(scene: Scene) -> Any:
    tables = scene.stub(tables_pb2_grpc.TableServiceStub)
    for seats in (3, 4):
        request = tables_pb2.CreateTableRequest(rulebook=GAME, seat_count=seats, request_id="once")
        await tables.CreateTable(request, metadata=signed(scene.ann))


async def private(scene: Scene) -> Any:
    table = await scene.ann.tables.create(RULEBOOK, 3, private=True)
    return await scene.cid.tables.join(table, invite_code="AAAAA-AAAA2")


async def beyond(scene: Scene) -> Any:
    await scene.cid.tables.join(scene.table)
    await scene.ann.tables.start(scene.table)
    playing = await scene.ann.tables.until_playing(scene.table)
    watch = scene.stub(play_pb2_grpc.WatchServiceStub)
    call = watch.Watch(play_pb2.WatchRequest(name=playing.match, from_sequence=99))
    try:
        return await call.read()
    finally:
        call.cancel()


def nobody(scene: Scene) -> Any:
    return scene.stub(players_pb2_grpc.PlayerServiceStub).RefreshToken(players_pb2.RefreshTokenRequest())


MATCH = "matches/tempel-" + "a" * 26
Provoke = Callable[[Scene], Awaitable[Any]]
PROVOCATIONS: list[tuple[str, str, Provoke]] = [
    ("INVALID_FIELD", "INVALID_ARGUMENT", lambda s: s.ann.tables.create(RULEBOOK, -1)),
    ("REQUEST_ID_REUSED", "INVALID_ARGUMENT", reused),
    ("UNAUTHENTICATED", "UNAUTHENTICATED", nobody),
    ("BAD_SECRET", "UNAUTHENTICATED", lambda s: s.cid.sign_in_house_player("House", "guess")),
    ("NO_SUCH_PLAYER", "NOT_FOUND", lambda s: s.ann.get_player("players/p-" + "a" * 26)),
    ("NOT_YOURS", "PERMISSION_DENIED", lambda s: s.ann.delete_player("players/p-" + "a" * 26)),
    ("NOT_HOST", "PERMISSION_DENIED", lambda s: s.bob.tables.start(s.table)),
    ("WRONG_INVITE_CODE", "PERMISSION_DENIED", private),
    ("NOT_FOUND", "NOT_FOUND", lambda s: s.ann.get_match(MATCH)),
    ("NO_SUCH_TABLE", "NOT_FOUND", lambda s: s.ann.tables.get("tables/tempel-" + "a" * 26)),
    ("NO_SUCH_TICKET", "NOT_FOUND", lambda s: s.ann.tables.ticket("tickets/tempel-t" + "a" * 25)),
    ("NO_SUCH_SEAT", "NOT_FOUND", lambda s: s.ann.view(MATCH, 1)),
    ("NO_SUCH_RULEBOOK", "NOT_FOUND", lambda s: s.ann.rulebook("nonsense")),
    ("OUT_OF_RANGE", "OUT_OF_RANGE", beyond),
    ("TABLE_FULL", "FAILED_PRECONDITION", full),
    ("SEAT_TAKEN", "FAILED_PRECONDITION", lambda s: s.join(s.cid, seat=1)),
    ("ALREADY_SEATED", "FAILED_PRECONDITION", lambda s: s.join(s.bob)),
    ("NOT_SEATED", "FAILED_PRECONDITION", lambda s: s.cid.tables.leave(s.table)),
    ("SEATS_FREE", "FAILED_PRECONDITION", lambda s: s.ann.tables.start(s.table)),
    ("BOTS_COMING", "FAILED_PRECONDITION", coming),
    ("NOT_ENOUGH_SEATS", "FAILED_PRECONDITION", lambda s: s.ann.tables.add_bots(s.table, 2)),
    ("NO_BOTS_WANTED", "FAILED_PRECONDITION", no_bots),
    ("TABLE_CLOSED", "FAILED_PRECONDITION", closed),
    ("ALREADY_STARTED", "FAILED_PRECONDITION", started),
]


async def refusal(scene: Scene, provoke: Provoke) -> tuple[str, str]:
    """(code, reason) of what a provocation gets."""
    try:
        answer = await provoke(scene)
    except ApiError as error:
        return error.code.name, error.reason
    except grpc.aio.AioRpcError as error:
        return error.code().name, told(error).reason
    raise AssertionError(f"it was accepted: {answer}")


async def test_reasons_on_a_running_platform(tmp_path: Path) -> None:
    table = documented()
    async with (
        running(tmp_path, EVERYTHING, bots=0, sign_ins_per_minute=0) as platform,
        guests(platform, "Ann", "Bob", "Cid") as people,
    ):
        scene = Scene(platform, people)
        for reason, code, provoke in PROVOCATIONS:
            await scene.sit()
            assert await refusal(scene, provoke) == (code, reason)
            assert code in table[reason]
            # A host may have so many tables open; a match that has begun isn't one of them.
            with contextlib.suppress(ApiError):
                await scene.ann.tables.leave(scene.table)
