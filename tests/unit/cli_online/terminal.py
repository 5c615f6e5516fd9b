"""A console that remembers, and a person who has made up their mind."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console

from ludolog.cli.asking import Left, Lines


class Typed(Lines):
    """Lines that are known beforehand."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self.left = list(lines)

    async def next(self) -> str:
        """The next one. Left after the last."""
        if not self.left:
            raise Left
        return self.left.pop(0)


def plain_console() -> tuple[Console, io.StringIO]:
    """A console of 100 columns without colours, and what was printed."""
    printed = io.StringIO()
    return Console(file=printed, width=100, color_system=None), printed
