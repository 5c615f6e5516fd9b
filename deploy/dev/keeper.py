"""See to it that servers don't outlive the process that started them, whatever ends it.

A keeper is a process of its own that is told, through a pipe, of every process group to end. The pipe closes when its
owner dies, by kill -9 too; then the keeper kills the groups. (prctl has a death signal for this, but it follows the
thread that started the server: one that was restarted in a worker thread would die with that.)
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path


class Keeper:
    """Our end of the pipe."""

    def __init__(self) -> None:
        """Start the keeper process."""
        # A session of its own: Ctrl-C at our terminal must reach us, not it.
        command = [sys.executable, str(Path(__file__).resolve())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, text=True, bufsize=1)
        self._lock = threading.Lock()

    def watch(self, group: int) -> None:
        """Have the process group killed when we end."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """The group has ended; its number may soon be another's."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        if self._process.stdin is None:
            raise ValueError("the keeper was started without a pipe")
        with self._lock:
            self._process.stdin.write(line)


@cache
def keeper() -> Keeper:
    """The one keeper of this process, started at the first call."""
    return Keeper()


def main() -> None:
    """Keep the list until the pipe closes, then end who is on it."""
    groups: set[int] = set()
    for line in sys.stdin:
        change = groups.add if line[0] == "+" else groups.discard
        change(int(line[1:]))
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
