"""Servers that don't need each other are stopped at the same time."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier

import pytest

from deploy.dev.process import stop_together
from deploy.dev.servers import Redis


class Meeting(Redis):
    """One that ends only when all others are about to."""

    barrier = Barrier(3)

    def stop(self) -> None:
        self.barrier.wait(timeout=30)


class Stuck(Redis):
    """One that can't be stopped."""

    def stop(self) -> None:
        raise TimeoutError


def test_none_waits_for_another(tmp_path: Path) -> None:
    stop_together([Meeting(tmp_path / str(number)) for number in range(3)])


def test_one_that_cant_be_stopped_isnt_passed_over(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        stop_together([Stuck(tmp_path / "stuck"), Redis(tmp_path / "never started")])
