"""`ludolog simulate`: many matches offline, and what they come to."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ludolog.cli import content
from ludolog.cli.program import FAILED, OK, UsageError
from ludolog.kernel import Refusal, Rulebook
from ludolog.rulebooks import catalogue
from ludolog.testkit.simulate import SHOWN_FAULTS, Fault, Plan, check, summary, timed


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--rulebook", required=True, metavar="R", help="name of the rulebook")
    parser.add_argument("--seats", required=True, metavar="N", help="number of seats, or a range: 3-10")
    parser.add_argument("--matches", type=int, default=100, metavar="M", help="how many (default 100)")
    parser.add_argument("--seed", default="1", metavar="S", help="any text; the same one gives the same matches")
    parser.add_argument("--options", default="{}", metavar="JSON", help="the rulebook's options as proto-JSON")
    parser.add_argument("--players", choices=("random", "bot", "mixed"), default="random", help="who plays")
    parser.add_argument("--first", type=int, default=1, metavar="I", help="number of the first match, to replay one")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes (default 1)")
    parser.add_argument("--records", type=Path, metavar="DIR", help="write each match's record there")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    content.add_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Simulate. 0 without a fault, 1 with one, 2 for arguments that don't fit the rulebook."""
    plan, rulebook = _plan(options)
    if plan.records is not None:
        plan.records.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=True)
    columns = (TextColumn(plan.rulebook), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=options.json) as progress:
        task = progress.add_task("", total=plan.matches)
        results, seconds = timed(plan, options.jobs, lambda more: progress.advance(task, more))
    figures = summary(rulebook, results, seconds)
    faults = [result for result in results if isinstance(result, Fault)]
    for fault in faults[:SHOWN_FAULTS]:
        _print_fault(options, fault)
    if options.json:
        print(json.dumps(figures))
    else:
        Console().print(_table(figures))
    return FAILED if faults else OK


def _plan(options: argparse.Namespace) -> tuple[Plan, Rulebook[Any]]:
    if options.matches < 1 or options.jobs < 1 or options.first < 0:
        raise UsageError("--matches and --jobs are at least 1, --first at least 0")
    try:
        rulebook = catalogue.load(options.rulebook)
        files = content.files(options.rulebook, options.content)
        message = json_format.Parse(options.options, rulebook.options_type())
        plan = Plan(
            rulebook=options.rulebook,
            seats=_seats(options.seats),
            matches=options.matches,
            seed=options.seed,
            options=message.SerializeToString(deterministic=True),
            players=options.players,
            first=options.first,
            records=options.records,
            content=None if files == rulebook.content else files,
        )
        check(plan)
    except (catalogue.UnknownRulebook, json_format.ParseError, Refusal) as error:
        raise UsageError(str(error)) from error
    return plan, plan.load()


def _seats(text: str) -> tuple[int, ...]:
    first, _, last = text.partition("-")
    try:
        seats = tuple(range(int(first), int(last or first) + 1))
    except ValueError:
        seats = ()
    if not seats:
        raise UsageError(f"--seats is a number or a range such as 3-10, not {text!r}")
    return seats


def _print_fault(options: argparse.Namespace, fault: Fault) -> None:
    """Show a fault with the command that plays this match alone."""
    command = ["ludolog", "simulate", "--rulebook", options.rulebook, "--seats", options.seats, "--seed", options.seed]
    command += ["--matches", "1", "--first", str(fault.number), "--players", options.players]
    command += ["--options", options.options] if options.options != "{}" else []
    command += ["--content", str(options.content)] if options.content else []
    print(f"match {fault.number}: {fault.problem}\n{fault.trace}  replay: {shlex.join(command)}", file=sys.stderr)


def _table(figures: dict[str, Any]) -> Table:
    table = Table(title=f"{figures['rulebook']}: {figures['matches']} matches", show_header=False)
    table.add_row("faults", str(figures["faults"]))
    for reason, number in figures["endings"].items():
        table.add_row(reason, f"{number} ({number / figures['matches']:.1%})")
    table.add_row("decisions", f"median {figures['decisions']['median']}, most {figures['decisions']['max']}")
    for seats, length in figures.get("length", {}).get("by_seats", {}).items():
        text = "median {median:g}, p10 to p90 {p10:g} to {p90:g}, most {max}".format(**length)
        table.add_row(f"{figures['length']['unit']}, {seats} seats", text)
    if "scores" in figures:
        table.add_row("scores", "{min} to {max}, mean {mean}, median {median}".format(**figures["scores"]))
        table.add_row("deciles of scores", ", ".join(f"{cut:g}" for cut in figures["scores"]["deciles"]))
    for kind, wins in figures.get("players", {}).items():
        table.add_row(f"{kind} wins", f"{wins['wins']} of {wins['seats']} seats")
    table.add_row(
        "seconds", f"{figures['seconds']} ({figures['matches'] / max(figures['seconds'], 1e-3):.0f} a second)"
    )
    return table
