"""Histories with all rules: the eye has nothing to object, and they bring out what they must."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.simulation.run import PROVES
from tests.simulation.world import play

SEEDS = 240
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_history_breaks_the_protocol(part: int) -> None:
    """More seeds: make sim SEEDS=2000."""
    stats: Counter[str] = Counter()
    for seed in range(part, SEEDS, PARTS):
        result = play(seed)
        assert result.found is None, f"replay: python -m tests.simulation --seeds 1 --seed {seed}"
        stats.update(result.stats)
    assert not [name for name in PROVES if not stats[name]]


def test_a_seed_is_a_history() -> None:
    assert play(7) == play(7)
    assert play(7) != play(8)


def test_a_seed_is_a_history_in_every_process() -> None:
    """Whatever order strings have in sets there: else a seed that fails can't be replayed."""
    program = (sys.executable, "-c", "from tests.simulation.world import play; print(play(3))")
    said = {
        subprocess.run(program, env={**os.environ, "PYTHONHASHSEED": order}, capture_output=True, check=True).stdout
        for order in ("1", "2")
    }
    assert len(said) == 1
