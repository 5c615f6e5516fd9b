"""Processes that are measured or measure: they say their port on their first line, and end with the context."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.dev.keeper import keeper
from deploy.dev.process import LOCALHOST

ROOT = Path(__file__).resolve().parent.parent
STOP_S = 10.0


class Child:
    """A process of ours that prints the port it listens on."""

    def __init__(self, command: list[str], cwd: Path = ROOT) -> None:
        """Describe it; it is started by the context."""
        self._command = command
        self._cwd = cwd
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    @property
    def pid(self) -> int:
        """Its process id."""
        if self._process is None:
            raise LookupError("it isn't started")
        return self._process.pid

    def __enter__(self) -> Self:
        """Start it, and wait for its port."""
        self._process = subprocess.Popen(
            self._command, cwd=self._cwd, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        keeper().watch(self._process.pid)
        port = self._process.stdout.readline().strip() if self._process.stdout is not None else ""
        if not port:
            raise LookupError(f"{' '.join(self._command)} has ended")
        self.address = f"{LOCALHOST}:{port}"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
            keeper().forget(self._process.pid)
