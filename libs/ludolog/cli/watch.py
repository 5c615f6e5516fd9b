"""`ludolog watch [MATCH]`: the live matches, or one of them as spectators see it."""

from __future__ import annotations

import argparse

from rich.console import Console

from ludolog.cli import online
from ludolog.cli.content import edition
from ludolog.cli.drawing import Table
from ludolog.cli.online import as_json, emit
from ludolog.cli.play import find_match, seat_names
from ludolog.cli.program import OK
from ludolog.client import Client


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("match", nargs="?", metavar="MATCH", help="id of a match; without it: list the live ones")
    parser.add_argument("--from", type=int, default=0, dest="begin", metavar="N", help="first move (default: now)")
    online.arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Watch until the match is over."""
    return online.run(options, _watch if options.match else _list)


async def _list(client: Client, options: argparse.Namespace) -> int:
    found = await client.live_matches()
    if options.json:
        for match in found:
            emit(as_json(match))
        return OK
    console = Console()
    if not found:
        console.print("No match is on.")
        return OK
    for match in found:
        players = ", ".join(seat_names(match).values())
        line = f"{match.name.split('/')[1]}  {match.rulebook.split('/')[1]}"
        # An id that is cut off can't be copied.
        console.print(line, style="bold", soft_wrap=True, highlight=False, markup=False)
        line = f"    {players} · move {match.sequence} · {match.watchers} watching"
        console.print(line, soft_wrap=True, highlight=False, markup=False)
    return OK


async def _watch(client: Client, options: argparse.Namespace) -> int:
    match = options.match.removeprefix("matches/")
    about, console = await find_match(client, f"matches/{match}"), Console(quiet=options.json)
    table = Table(edition(about, console), seat_names(about), console)
    async for update in client.watch(match, from_sequence=options.begin):
        if options.json:
            emit(as_json(update))
        else:
            table.draw(update)
            table.console.print(table.waiting(update), style="dim", markup=False)
    return OK
