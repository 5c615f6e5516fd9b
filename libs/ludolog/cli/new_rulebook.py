"""`ludolog new-rulebook NAME`: a small working room to start from."""

from __future__ import annotations

import argparse
from pathlib import Path

from ludolog.cli.program import OK, UsageError, called
from ludolog.testkit.new_rulebook import CantMake, make


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", help="name of the room, lower_snake")
    parser.add_argument("--into", type=Path, default=Path(), metavar="DIR", help="the checkout (default: this folder)")
    parser.add_argument("--short", default="", help="what ids of its matches start with (default: the first word)")
    parser.add_argument("--title", default="", help="the game's title (default: from the name)")


def run(options: argparse.Namespace) -> int:
    """Write the room and say what comes next. 2 for a name that can't be used."""
    try:
        written = make(options.name, options.into, short=options.short, title=options.title)
    except CantMake as error:
        raise UsageError(str(error)) from error
    for path in written:
        print(path)
    name = options.name
    print(f"\nNext: make protos && make golden RULEBOOK={name}, then {called()} scenario tests/scenarios/{name}")
    return OK
