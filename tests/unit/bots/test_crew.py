"""A house player comes back to its seat: however long the gateway is away, and after failing again and again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Iterator
from typing import Any
from unittest.mock import Mock

import grpc
import pytest

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.client import Unavailable
from ludolog.rulebooks import catalogue
from services.bots import crew
from services.bots.crew import AGAIN_S, MOST_FAILURES, Crew
from services.bots.playing import Manner
from tests.simulation.loop import SimLoop

NAME = "tempel_des_schreckens"
PLAYER = "players/p-ada"
TABLE = tables_pb2.Table(
    name="tables/tempel-1",
    match="matches/tempel-1",
    state=tables_pb2.TABLE_STATE_PLAYING,
    seats=[tables_pb2.Table.Seat(seat=2, player=PLAYER)],
)
AWAY = Unavailable("away", code=grpc.StatusCode.UNAVAILABLE)


class Attempts:
    """Stands in for the player of a seat: each attempt fails as the script says; after it the match ends well."""

    def __init__(self, script: Iterator[tuple[Exception, int]]) -> None:
        self.script, self.made, self.seen, self.over = script, 0, 0, False

    def __call__(self, *_: object) -> Attempts:
        return self

    async def play(self) -> None:
        self.made += 1
        failure, self.seen = next(self.script, (None, self.seen))
        if failure is not None:
            raise failure
        self.over = True


def house(monkeypatch: pytest.MonkeyPatch, attempts: Attempts) -> Crew:
    """One house player, Ada, who is signed in."""
    monkeypatch.setattr(crew, "Player", attempts)
    monkeypatch.setattr(catalogue, "of_match", lambda _match: NAME)
    rulebooks = {NAME: catalogue.load(NAME)}
    made = Crew(Mock(), ["Ada"], "", Manner(0), 1, rulebooks)
    made._players[PLAYER] = 0  # noqa: SLF001 - signed in
    return made


def in_virtual_time(work: Coroutine[Any, Any, None]) -> None:
    loop = SimLoop(random.Random(1))
    try:
        loop.run_until_complete(work)
    finally:
        loop.finish()


def test_a_gateway_may_be_away_for_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = Attempts(iter([(AWAY, 0)] * 2000))
    house_players = house(monkeypatch, attempts)

    async def hours() -> None:
        house_players.see(TABLE)
        await asyncio.sleep(6 * 3600)

    in_virtual_time(hours())
    assert attempts.over
    assert house_players.at_work == 0


def test_failures_with_news_between_them_arent_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = Attempts((ValueError("odd"), sequence) for sequence in range(1, 3 * MOST_FAILURES))

    async def a_while() -> None:
        house(monkeypatch, attempts).see(TABLE)
        await asyncio.sleep(AGAIN_S / 2)

    in_virtual_time(a_while())
    assert attempts.over


def test_a_seat_that_is_given_up_is_told_of_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    attempts = Attempts(iter([(ValueError("odd"), 1)] * (MOST_FAILURES + 1)))
    house_players = house(monkeypatch, attempts)

    async def later() -> None:
        house_players.see(TABLE)
        await asyncio.sleep(AGAIN_S / 2)
        house_players.see(TABLE)
        await asyncio.sleep(0)
        assert attempts.made == MOST_FAILURES
        assert house_players.at_work == 0
        assert [record.levelname for record in caplog.records if "leaves its seat alone" in record.message] == ["ERROR"]
        await asyncio.sleep(2 * AGAIN_S)

    in_virtual_time(later())
    assert attempts.over
