"""Whole matches of house players through the gateway, and what becomes of their tables."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from ludolog.api.engine.v1 import engine_pb2
from ludolog.api.gateway.v1 import tables_pb2
from ludolog.client import Client, Refused
from ludolog.eventlog.reveals import all_reveals
from ludolog.hosting import Platform
from services.matchmaking.matchmaking import Matchmaking
from services.matchmaking.tables import Phase
from tests.infra.playing import OVERTAKEN
from tests.integration.matchmaking.house import (
    EVERYTHING,
    RULEBOOK,
    Person,
    full_table,
    guests,
    parts_of,
    running,
    until,
)


async def with_bots(client: Client, bots: int, kind: str = "") -> tables_pb2.Table:
    """A table where one guest waits for house players; started."""
    table = await client.tables.create(RULEBOOK, bots + 1)
    await client.tables.join(table)
    await client.tables.add_bots(table, bots, kind=kind)
    await client.tables.until_full(table)
    await client.tables.start(table)
    return await client.tables.until_playing(table)


async def play_along(client: Client, match: str, seat: int, stop_at: int = 10_000) -> Any:
    """Open the first chamber on offer whenever it is our turn; return the last update."""
    last = None
    async with client.play(match, seat) as stream:
        async for last in stream:
            if last.sequence >= stop_at:
                return last
            moves = [entry for entry in last.legal_commands if entry.kind == 1 and not entry.parameters]
            if moves:
                try:
                    await stream.submit(moves[0])
                except Refused as refused:
                    # An update from before our last move, with somebody's talk in it.
                    if refused.reason not in OVERTAKEN:
                        raise
    return last


async def test_house_players_play_a_whole_match_and_the_table_becomes_history(tmp_path: Path) -> None:
    async with running(tmp_path, EVERYTHING) as platform, guests(platform, "Ann") as [ann]:
        table = await with_bots(ann, 3)
        assert sorted(seat.house_player for seat in table.seats) == [False, True, True, True]
        assert all(seat.display_name for seat in table.seats)
        last = await play_along(ann, table.match, 1)
        assert last.outcome.reason in {"ALL_GOLD", "ALL_FIRE", "TIME_UP"}

        async def gone() -> bool:
            return not await ann.tables.list()

        assert await until(gone)

        async def revealed() -> Any:
            assert platform.log is not None
            return await all_reveals(platform.log)

        assert table.match.removeprefix("matches/") in await until(revealed)


async def test_a_match_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path, EVERYTHING) as platform, guests(platform, "Ann") as [ann]:
        table = await with_bots(ann, 2, "random")
        last = await play_along(ann, table.match, 1, stop_at=4)
        assert not last.HasField("outcome")
        token = ann.token
    async with running(tmp_path, EVERYTHING) as platform, Client(platform.channel("gateway"), token=token) as ann:
        last = await play_along(ann, table.match, 1)
        assert last.HasField("outcome")


async def test_a_queued_player_gets_house_players(tmp_path: Path) -> None:
    async with running(tmp_path, EVERYTHING, queue_fill_s=0.0) as platform, guests(platform, "Ann") as [ann]:
        ticket = await ann.tables.queue(RULEBOOK, 3)

        async def matched() -> str:
            return (await ann.tables.ticket(ticket.name)).table

        table = await ann.tables.until_playing(await until(matched))
        assert (await play_along(ann, table.match, 1)).HasField("outcome")


@pytest.mark.parametrize("lost", [1, 3])
async def test_a_lost_answer_makes_no_second_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int) -> None:
    """The engine founds the match, and nobody hears of it."""
    real = Matchmaking._create_match  # noqa: SLF001
    asked: list[Any] = []

    async def losing(self: Matchmaking, request: engine_pb2.CreateMatchRequest) -> object:
        answer = await real(self, request)
        asked.append(answer)
        if len(asked) <= lost:
            raise _failure(grpc.StatusCode.UNAVAILABLE)
        return answer

    monkeypatch.setattr(Matchmaking, "_create_match", losing)
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        table = await full_table(people)
        await people[0].start(table.name)
        await people[0].playing(table.name)
        assert len(asked) == lost + 1
        assert len({answer.SerializeToString() for answer in asked}) == 1


async def test_a_table_whose_match_is_refused_for_ever_is_voided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Matchmaking._create_match  # noqa: SLF001

    async def spoiling(self: Matchmaking, request: engine_pb2.CreateMatchRequest) -> object:
        spoilt = engine_pb2.CreateMatchRequest()
        spoilt.CopyFrom(request)
        del spoilt.founding.seats[:]
        return await real(self, spoilt)

    monkeypatch.setattr(Matchmaking, "_create_match", spoiling)
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        table = await full_table(people)
        await people[0].start(table.name)

        async def look() -> tables_pb2.Table | None:
            found: tables_pb2.Table = await people[1].get(table.name)
            return found if found.state == tables_pb2.TABLE_STATE_CLOSED else None

        voided = await until(look)
        assert "WRONG_PLAYER_COUNT" in voided.close_reason
        assert not voided.match


async def test_an_end_that_came_while_matchmaking_was_away_is_noted_later(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        first, second = await full_table(people), await full_table(people)
        for table in (first, second):
            await people[0].start(table.name)
            await people[0].playing(table.name)
        await abort(platform, first.name)
        parts = parts_of(platform)

        async def noted() -> bool:
            return bool(parts.endings.noted)

        await until(noted)
        await parts.endings.stop()
        await abort(platform, second.name)
        await people[0].get(second.name)
        assert parts.lobby.on(second.name.removeprefix("tables/"))
    async with running(tmp_path) as platform:
        parts = parts_of(platform)

        async def history() -> bool:
            return not len(parts.lobby) and bool(parts.endings.noted)

        assert await until(history)
        ended = parts.lobby.get(second.name.removeprefix("tables/"))
        assert ended.table.phase is Phase.ENDED
        assert parts.endings.noted == 1
        assert not (await Person(platform, "a").list()).tables


async def abort(platform: Platform, table: str) -> None:
    from ludolog.api.engine.v1 import engine_pb2_grpc  # noqa: PLC0415 - used here only

    stub: Any = engine_pb2_grpc.EngineServiceStub(platform.connect(f"local:engine/{RULEBOOK}", "matchmaking"))
    await stub.AbortMatch(engine_pb2.AbortMatchRequest(name=table.replace("tables", "matches"), reason="test"))


def _failure(code: grpc.StatusCode) -> grpc.aio.AioRpcError:
    empty = grpc.aio.Metadata()
    return grpc.aio.AioRpcError(code, empty, empty, "lost")


async def test_many_tables_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as platform:
        people = [Person(platform, letter) for letter in "abc"]
        tables = await asyncio.gather(*(full_table(people) for _ in range(10)))
        await asyncio.gather(*(people[0].start(table.name) for table in tables))
        playing = await asyncio.gather(*(people[0].playing(table.name) for table in tables))
        assert len({table.match for table in playing}) == 10
