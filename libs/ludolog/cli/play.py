"""`ludolog play RULEBOOK`: open a table (or come back to a match), and play it in the terminal."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shlex
from collections.abc import AsyncGenerator
from typing import Any

from rich.console import Console

from ludolog.api.gateway.v1 import play_pb2, tables_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.cli import online
from ludolog.cli.asking import Asker, Cancelled, Left, Lines, options_message
from ludolog.cli.content import edition
from ludolog.cli.drawing import Table
from ludolog.cli.online import Profile, as_json, emit
from ludolog.cli.program import FAILED, OK, UsageError, called
from ludolog.client import ApiError, Client
from ludolog.client.errors import NotFound
from ludolog.client.playing import Seat
from ludolog.kernel import Rulebook
from ludolog.rulebooks import catalogue

FIND_TRIES = 4
NEW_TRIES = 40
FIND_S = 0.25
DECISION_TIME = "seconds to decide, 0 for no clock (default: the rulebook's)"
HELP = "a number does it, r resigns, q leaves (the match goes on; come back with --match)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("rulebook", choices=catalogue.names(), metavar="RULEBOOK", help=", ".join(catalogue.names()))
    parser.add_argument("--bots", type=int, metavar="N", help="house players (default: one less than seats)")
    parser.add_argument("--seats", type=int, metavar="N", help="seats at the table (default: bots and you)")
    parser.add_argument("--name", default="", help="your name (default: who you were last time)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the rulebook")
    parser.add_argument("--decision-time", type=float, metavar="S", help=DECISION_TIME)
    parser.add_argument("--private", action="store_true", help="only whoever has the invite code can join")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--table", metavar="ID", help="join this table instead of opening one")
    place.add_argument("--match", metavar="ID", help="come back to a match of yours")
    parser.add_argument("--code", default="", help="invite code, with --table")
    online.arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Play. 0 when the match is over or you leave."""
    return online.run(options, _play)


async def _play(client: Client, options: argparse.Namespace) -> int:
    console = Console(quiet=options.json)
    await online.sign_in(client, options, Profile())
    if options.match:
        match = f"matches/{options.match.removeprefix('matches/')}"
    else:
        table = await _join(client, options) if options.table else await _open(client, options, console)
        match = await _gather(client, table, console)
        for match_id in client.tables.commitments:
            Profile().keep_receipt(match_id, client.tables.receipt(match_id))
    if not match:
        console.print("The table was closed without a match.")
        return FAILED
    about = await find_match(client, match, FIND_TRIES if options.match else NEW_TRIES)
    seat = next((one.seat for one in about.seats if client.player and one.player == client.player.name), 0)
    if not seat:
        raise UsageError(f"{match.removeprefix('matches/')} isn't a match of yours; `ludolog watch` shows it")
    names = seat_names(about)
    console.print(f"[bold]{match.removeprefix('matches/')}[/]: you are seat {seat}. {HELP}")
    return await Game(client, match, seat, Table(edition(about, console), names, console), options).play()


def seat_names(about: play_pb2.Match) -> dict[int, str]:
    """Seat → the player's name."""
    return {one.seat: one.display_name or f"seat {one.seat}" for one in about.seats}


async def find_match(client: Client, match: str, most_tries: int = FIND_TRIES) -> play_pb2.Match:
    """The match; the archive may hear of a new one a moment later. NotFound."""
    for tries in range(most_tries):
        try:
            return await client.get_match(match)
        except NotFound:
            if tries + 1 == most_tries:
                raise
            await asyncio.sleep(FIND_S)
    raise AssertionError("unreachable")


def check_seats(rulebook: Rulebook[Any], seats: int, bots: int) -> None:
    """UsageError where a game isn't for so many, or so many of them can't be bots."""
    if seats in rulebook.seats and 0 <= bots < seats:
        return
    least, most = rulebook.seats[0], rulebook.seats[-1]
    players = f"{least} to {most} players" if most > least else "1 player" if most == 1 else f"{most} players"
    raise UsageError(f"{rulebook.title} is for {players}; {seats} seats, {bots} of them bots, won't do")


async def _open(client: Client, options: argparse.Namespace, console: Console) -> tables_pb2.Table:
    rulebook = catalogue.load(options.rulebook)
    seats = options.seats or max((options.bots or 0) + 1, rulebook.seats[0])
    bots = seats - 1 if options.bots is None else options.bots
    check_seats(rulebook, seats, bots)
    pairs = dict(pair.split("=", 1) if "=" in pair else (pair, "true") for pair in options.option)
    try:
        chosen = options_message(rulebook.options_type(), pairs)
    except ValueError as error:
        raise UsageError(str(error)) from None
    table = await client.tables.create(
        options.rulebook, seats, options=chosen, private=options.private, decision_time_s=options.decision_time
    )
    table = await client.tables.join(table, invite_code=table.invite_code)
    if bots:
        table = await client.tables.add_bots(table, bots)
    if bots + 1 < seats:
        code = ("--code", table.invite_code) if table.invite_code else ()
        line = online.command(options, "play", options.rulebook, "--table", table.name.split("/")[1], *code)
        console.print(f"Waiting for others: {line}", soft_wrap=True, highlight=False)
    return table


async def _join(client: Client, options: argparse.Namespace) -> tables_pb2.Table:
    name = f"tables/{options.table.removeprefix('tables/')}"
    return await client.tables.join(name, invite_code=options.code)


async def _gather(client: Client, table: tables_pb2.Table, console: Console) -> str:
    """Wait for the others, start if it is our table, and return the match's name; "" where there is none."""
    with console.status("waiting for the table to fill"):
        table = await client.tables.until_full(table)
        if client.player and table.host == client.player.name and table.state == tables_pb2.TABLE_STATE_OPEN:
            table = await client.tables.start(table)
        table = await client.tables.until_playing(table)
    return table.match


class Game:
    """A match in a terminal."""

    def __init__(self, client: Client, match: str, seat: int, table: Table, options: argparse.Namespace) -> None:
        self._client = client
        self._match = match
        self._seat = seat
        self._table = table
        self._options = options
        self._lines = Lines()
        self._asker = Asker(table.console, self._lines)
        self._legal: list[match_pb2.LegalCommand] = []
        self._shown = asyncio.Event()
        self._mine = False
        self._over = False
        self._prompted = False

    async def play(self) -> int:
        """Show updates, take commands, until the match is over or the person leaves."""
        async with self._client.play(self._match, self._seat, from_sequence=0) as seat:
            typing = asyncio.create_task(self._type(seat))
            watching = asyncio.create_task(self._watch(seat))
            try:
                done, _ = await asyncio.wait((typing, watching), return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in (typing, watching):
                    task.cancel()
                await asyncio.gather(typing, watching, return_exceptions=True)
        if not self._over:
            self._say_command("\nCome back with: ", "play", self._options.rulebook, "--match", self._match_id)
        return OK

    @property
    def _match_id(self) -> str:
        return self._match.removeprefix("matches/")

    def _say_command(self, before: str, *words: str) -> None:
        self._print(f"{before}{online.command(self._options, *words)}")

    def _print(self, line: str) -> None:
        """What is to be copied stays on one line."""
        self._table.console.print(line, soft_wrap=True, highlight=False, markup=False)

    async def _watch(self, seat: Seat) -> None:
        async with contextlib.aclosing(_updates(seat)) as updates:
            async for update in updates:
                self._over = update.HasField("outcome")
                if self._options.json:
                    emit({"update": as_json(update)})
                    self._legal = list(update.legal_commands)
                else:
                    self._show(update)
                self._shown.set()

    def _show(self, update: match_pb2.Update) -> None:
        if self._prompted or self._asker.asking:
            self._table.console.print()  # nothing was typed behind the prompt
            self._prompted = False
        self._mine = not self._over and any(decision.seat == self._seat for decision in update.awaiting)
        self._table.draw(update, brief=not (self._mine or self._over or update.snapshot))
        self._legal = self._table.list_commands(update.legal_commands)
        if self._over:
            self._verdict(update)
            return
        if not self._mine:
            self._table.console.print(f"\nWaiting for {self._table.waiting(update)}", style="dim", markup=False)
        if not self._asker.ask_again():
            self._prompt()

    def _prompt(self) -> None:
        """Ask for a number, while it is this seat's turn."""
        if self._mine:
            self._table.console.print("\nYour turn. Number:", style="bold green", end=" ")
            self._prompted = True

    def _verdict(self, update: match_pb2.Update) -> None:
        won = any(result.seat == self._seat and result.winner for result in update.outcome.results)
        if update.outcome.results:  # none where the platform called the match off
            self._table.console.print("You have won." if won else "You have lost.", style="bold")
        self._say_command("Replay it: ", "replay", self._match_id)
        record, receipt = f"{self._match_id}.jsonl", Profile().receipt(self._match_id)
        self._say_command("Check it:  ", "replay", self._match_id, "--export", record)
        kept = ("--receipt", str(receipt)) if receipt.exists() else ()
        self._print(f"           {shlex.join((called(), 'verify', record, *kept))}")

    async def _type(self, seat: Seat) -> None:
        await self._shown.wait()
        while True:
            try:
                answer = await self._lines.next()
                self._prompted = False
            except Left:
                if self._options.json:
                    await asyncio.Event().wait()  # a program may only listen
                return
            if answer in ("q", "quit"):
                return
            try:
                await self._do(seat, answer)
            except Cancelled:
                self._table.console.print("Never mind.")
                self._prompt()
            except Left:
                return

    async def _do(self, seat: Seat, answer: str) -> None:
        console = self._table.console
        try:
            if answer == "r":
                await self._client.resign(self._match, self._seat)
            elif answer.isdecimal() and 1 <= int(answer) <= len(self._legal):
                entry = self._legal[int(answer) - 1]
                command = self._table.rulebook.command_type()
                entry.prototype.Unpack(command)
                receipt = await seat.submit(
                    await self._asker.fill(command, self._table.named(entry)), decision_id=entry.decision_id
                )
                if self._options.json:
                    emit({"receipt": as_json(receipt)})
            else:
                console.print(f"{HELP}.")
                self._prompt()
        except ApiError as error:
            if self._options.json:
                online.complain(self._options, error)
            else:
                console.print(f"✗ {error}", style="red", markup=False)
                self._prompt()


async def _updates(seat: Seat) -> AsyncGenerator[match_pb2.Update]:
    while (update := await seat.next()) is not None:
        yield update
