"""`ludolog rules RULEBOOK`: how a game is played, in short. Needs no server."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markdown import Markdown

from ludolog.cli.program import OK
from ludolog.rulebooks import catalogue


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("rulebook", choices=catalogue.names(), metavar="RULEBOOK", help=", ".join(catalogue.names()))


def run(options: argparse.Namespace) -> int:
    """Print the room's `how_to_play.md`: laid out for a terminal, as it stands for a pipe or a file."""
    text, console = catalogue.load(options.rulebook).how_to_play, Console()
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        print(text, end="")
    return OK
