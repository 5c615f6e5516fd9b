"""Which content a command plays with: the room's own, or a folder of files that stand in for some of it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ludolog.cli.program import UsageError
from ludolog.kernel import Content
from ludolog.rulebooks import catalogue


def add_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --content; without it LUDOLOG_CONTENT_DIR is read."""
    parser.add_argument(
        "--content",
        type=Path,
        metavar="DIR",
        default=os.environ.get("LUDOLOG_CONTENT_DIR") or None,
        help="files DIR/<rulebook>/<file> stand in for the printed content (default: LUDOLOG_CONTENT_DIR)",
    )


def files(rulebook: str, folder: Path | str | None) -> Content:
    """The rulebook's content, the folder's files first. UnknownRulebook; UsageError where a file replaces nothing."""
    try:
        return catalogue.read_content(rulebook, Path(folder) if folder else None)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
