"""`ludolog`: the command line. A command is a line in `program.COMMANDS` and a module with `arguments` and `run`."""

from __future__ import annotations

from ludolog.cli.program import main

__all__ = ["main"]
