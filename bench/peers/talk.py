"""A peer's process: it is told a number on a line, does so much, and answers with a line."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.dev.keeper import keeper


class Answering:
    """The process, for the time of the context."""

    def __init__(self, command: list[str], folder: Path, *, greets: bool = False) -> None:
        """`greets`: it says a line of its own when it is ready."""
        self._command, self._folder, self._greets = command, folder, greets
        self._process: subprocess.Popen[str] | None = None
        self.greeting = ""

    def __enter__(self) -> Self:
        """Start it."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command, cwd=self._folder, stdin=pipe, stdout=pipe, text=True, bufsize=1, start_new_session=True
        )
        keeper().watch(self._process.pid)
        if self._greets:
            self.greeting = self._line()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            keeper().forget(self._process.pid)

    def ask(self, number: float) -> str:
        """Its answer to a number. EOFError where it has ended."""
        if self._process is None or self._process.stdin is None:
            raise EOFError("it isn't started")
        self._process.stdin.write(f"{number}\n")
        return self._line()

    def rate(self, number: int) -> float:
        """A second of the processor's time, where it answers with a count and seconds."""
        count, seconds = self.ask(number).split()
        return float(count) / float(seconds)

    def _line(self) -> str:
        line = self._process.stdout.readline() if self._process is not None and self._process.stdout else ""
        if not line:
            raise EOFError(f"{' '.join(self._command)} has ended")
        return line.strip()
