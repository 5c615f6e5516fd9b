"""Ports are chosen long before they are opened: nobody else may get them in between."""

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from deploy.dev import process
from deploy.dev.process import free_ports

FIVE = range(19_990, 19_995)
OTHERS = f"""
from deploy.dev import process
process.PORTS = range({FIVE.start}, {FIVE.stop})
try:
    print(process.free_ports(1)[0], flush=True)
    input()
except OSError:
    print("none", flush=True)
"""


class Other:
    """Another process that asks for one port of the five, and holds what it got until it is killed."""

    def __init__(self, stack: ExitStack) -> None:
        asks = [sys.executable, "-c", OTHERS]
        self._process = stack.enter_context(
            subprocess.Popen(asks, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(self._process.kill)
        assert self._process.stdout is not None
        self.got = self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def _among_ourselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run of this test at the same time shares none of the reservations."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(process, "_reservations", cache(process._reservations.__wrapped__))  # noqa: SLF001


@pytest.mark.usefixtures("_among_ourselves")
def test_a_port_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PORTS", FIVE)
    monkeypatch.setattr(process, "_given", set())
    ours = [free_ports(1)[0] for _ in range(3)]
    with ExitStack() as stack:
        others = [Other(stack) for _ in range(3)]
        theirs = [int(other.got) for other in others if other.got != "none"]
        assert sorted(ours + theirs) == list(FIVE), "each of the five once, nothing for the sixth"
        others[0].end()
        assert Other(stack).got == others[0].got, "free again with the end of who had it"
