"""Which content a command plays with: the room's own, or a folder of files that stand in for some of it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from rich.console import Console

from ludolog.api.gateway.v1 import play_pb2, replays_pb2
from ludolog.cli.program import UsageError
from ludolog.kernel import Content, OtherContent, Rulebook
from ludolog.rulebooks import catalogue

VARIABLE = "LUDOLOG_CONTENT_DIR"
UNLIKE = (
    f"This match is played with other content than is here: names and places in the drawings may be wrong. "
    f"{VARIABLE} names the folder of the right files."
)


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --content; without it LUDOLOG_CONTENT_DIR is read."""
    parser.add_argument(
        "--content",
        type=Path,
        metavar="DIR",
        default=os.environ.get(VARIABLE) or None,
        help="files DIR/<rulebook>/<file> stand in for the printed content (default: LUDOLOG_CONTENT_DIR)",
    )


def files(rulebook: str, folder: Path | str | None) -> Content:
    """The rulebook's content, the folder's files first. UnknownRulebook; UsageError where a file replaces nothing."""
    try:
        return catalogue.read_content(rulebook, Path(folder) if folder else None)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error


def edition(about: play_pb2.Match | replays_pb2.Replay, console: Console) -> Rulebook[Any]:
    """The rulebook to draw a match with: with its content, or, where that isn't here, with ours and a word about it.

    UnknownRulebook; UsageError for a folder that can't be used.
    """
    folder = os.environ.get(VARIABLE)
    try:
        rulebook = catalogue.open_rulebook(about.rulebook.split("/")[-1], Path(folder) if folder else None)
    except (ValueError, OSError) as error:
        raise UsageError(f"{VARIABLE}: {error}") from error
    try:
        return rulebook.edition(about.content_digest)
    except OtherContent:
        console.print(UNLIKE, style="bold red")
        return rulebook
