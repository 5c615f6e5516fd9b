"""The program: finds the command, parses its arguments, turns what goes wrong into one line and an exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

COMMANDS = {
    "rules": "read how a game is played",
    "play": "open a table or come back to a match, and play in the terminal",
    "watch": "list the live matches, or watch one",
    "replay": "step through a finished match, or export its record",
    "new-rulebook": "make a small working room to start a rulebook from",
    "scenario": "play scenario files against the rules",
    "simulate": "play many matches offline and count how they end",
    "verify": "check match records by playing them again",
}
"""Command → what it does. Each is the module of that name (underscores for hyphens) in this package."""
OK, FAILED, USAGE = 0, 1, 2


class UsageError(Exception):
    """What was asked for can't be done as asked: shown in one line, exit code 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Returns 0 if all is well, 1 if a check failed, 2 for wrong usage or unreadable input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        options = _parser(arguments[:1]).parse_args(arguments)
        return int(options.run(options))
    except SystemExit as stop:  # argparse: help or wrong usage
        return stop.code if isinstance(stop.code, int) else USAGE
    except UsageError as error:
        print(f"ludolog: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has enough; keep the interpreter from complaining when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def called() -> str:
    """What to type from this folder to call this program: `ludolog` where the shell finds ours, else its path."""
    ours, found = Path(sys.executable).absolute().with_name("ludolog"), shutil.which("ludolog")
    if not ours.exists() or (found and Path(found).absolute() == ours):
        return "ludolog"
    return str(ours.relative_to(Path.cwd()) if ours.is_relative_to(Path.cwd()) else ours)


def _parser(chosen: Sequence[str]) -> argparse.ArgumentParser:
    """Know all commands by name; import only the chosen one, since some bring the network with them."""
    parser = argparse.ArgumentParser(prog="ludolog", description="Board games on an event log.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name in chosen:
            module = importlib.import_module(f"ludolog.cli.{name.replace('-', '_')}")
            module.arguments(command)
            command.set_defaults(run=module.run)
    return parser
