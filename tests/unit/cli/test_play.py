"""A seat at the terminal: whatever is typed, it is asked again while it is one's turn."""

from __future__ import annotations

import argparse
import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from rich.console import Console

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.api.match.v1 import match_pb2
from ludolog.cli import online
from ludolog.cli.drawing import Table
from ludolog.cli.play import HELP, Game
from ludolog.client import ApiError
from ludolog.kernel import Seat, Seated
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import match_id_of

MATCH = match_id_of("beast_hunter", "typed", 1)
PROMPT = "Your turn. Number:"
NOT_NOW = "NOT_NOW: it isn't the time for it"


def update(*, mine: bool) -> match_pb2.Update:
    """The first day, on which a person may rest."""
    rulebook = catalogue.load("beast_hunter")
    game = rulebook.from_position(pb.Position(), 1, pb.Options())
    answer = match_pb2.Update(
        sequence=1,
        awaiting=[match_pb2.Decision(decision_id="1", seat=1 if mine else 2)],
        legal_commands=[match_pb2.LegalCommand(kind=match_pb2.COMMAND_KIND_MOVE, label=match_pb2.Label(text="rest"))],
    )
    answer.view.Pack(rulebook.view(game, Seated(Seat(1))))
    answer.legal_commands[0].prototype.Pack(pb.Command(rest=pb.Rest()))
    return answer


class Client:
    """A match in which these updates come, and every command is refused."""

    def __init__(self, *updates: match_pb2.Update) -> None:
        self._updates = list(updates)
        self.submitted: list[pb.Command] = []

    @asynccontextmanager
    async def play(self, match: str, seat: int, from_sequence: int) -> AsyncIterator[Client]:
        yield self

    async def next(self) -> match_pb2.Update | None:
        if not self._updates:
            await asyncio.Event().wait()
        return self._updates.pop(0)

    async def submit(self, command: pb.Command, *, decision_id: str) -> None:
        self.submitted.append(command)
        raise ApiError("it isn't the time for it", code=grpc.StatusCode.FAILED_PRECONDITION, reason="NOT_NOW")


async def typed(
    monkeypatch: pytest.MonkeyPatch,
    lines: str,
    *,
    mine: bool = True,
    outcome: match_pb2.Outcome | None = None,
    times: int = 1,
) -> tuple[str, Client]:
    """What the terminal shows to a person who types these lines and leaves."""
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    first = update(mine=mine)
    if outcome is not None:
        first.outcome.CopyFrom(outcome)
    shown, client = io.StringIO(), Client(*[first] * times)
    console = Console(file=shown, width=100)
    options = argparse.Namespace(
        json=False, rulebook="beast_hunter", address=online.DEFAULT_ADDRESS, ca=None, tls=False
    )
    anything: Any = client
    game = Game(
        anything, f"matches/{MATCH}", 1, Table(catalogue.load("beast_hunter"), {1: "Ann", 2: "Ben"}, console), options
    )
    assert await game.play() == 0
    return shown.getvalue(), client


@pytest.mark.parametrize("line", ["what", "0", "2", "-1", ""])
async def test_after_a_wrong_number_it_is_asked_again(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    shown, client = await typed(monkeypatch, f"{line}\nq\n")
    asked, again = shown.split(HELP)
    assert asked.rstrip().endswith(PROMPT)
    assert PROMPT in again
    assert not client.submitted


async def test_after_a_refusal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, client = await typed(monkeypatch, "1\nq\n")
    assert client.submitted == [pb.Command(rest=pb.Rest())]
    assert PROMPT in shown.split(NOT_NOW)[1]


async def test_who_waits_is_asked_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = await typed(monkeypatch, "what\nq\n", mine=False)
    assert HELP in shown
    assert PROMPT not in shown


@pytest.mark.parametrize(("mine", "lines"), [(True, 5), (False, 5), (False, 500)])
async def test_who_waits_sees_a_table_that_leaves_room_for_what_happened(
    monkeypatch: pytest.MonkeyPatch, *, mine: bool, lines: int
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", str(lines))
    shown, _ = await typed(monkeypatch, "q\n", mine=mine)
    assert "move 1" in shown
    assert ("1 Ann   2 Ben" in shown) == (mine or lines == 500)


@pytest.mark.parametrize("winner", [True, False])
async def test_the_end_says_who_has_won(monkeypatch: pytest.MonkeyPatch, *, winner: bool) -> None:
    outcome = match_pb2.Outcome(reason="SLAIN", results=[match_pb2.SeatResult(seat=1, rank=1, winner=winner)])
    shown, _ = await typed(monkeypatch, "q\n", outcome=outcome)
    assert ("You have won." in shown, "You have lost." in shown) == (winner, not winner)


async def test_nobody_has_lost_a_match_that_was_called_off(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, _ = await typed(monkeypatch, "q\n", outcome=match_pb2.Outcome(reason="ABORTED"))
    assert "Replay it: " in shown
    assert "You have" not in shown


async def test_what_comes_while_a_number_is_awaited_begins_a_line_and_asks_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown, _ = await typed(monkeypatch, "q\n", times=2)
    before, between, _ = shown.split(PROMPT)
    assert between.startswith(" \n─")
    assert before.lstrip() in between
