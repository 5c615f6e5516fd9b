"""A simulation that can't find what is broken proves nothing: each rule is taken away in turn."""

from __future__ import annotations

import pytest

from tests.simulation.mutants import CROWDED, MUTANTS, REBUILDING, STALE
from tests.simulation.weather import Weather
from tests.simulation.world import play


@pytest.mark.parametrize("rule", MUTANTS)
def test_the_simulation_objects_without(rule: str) -> None:
    mutant = MUTANTS[rule]
    caught = mutant.hunt()
    assert caught is not None, f"{rule}: no objection in {mutant.within} seeds"


@pytest.mark.parametrize("weather", [STALE, CROWDED, REBUILDING], ids=["stale", "crowded", "rebuilding"])
def test_the_weather_alone_breaks_nothing(weather: Weather) -> None:
    for seed in range(20):
        assert play(seed, weather).found is None, f"seed {seed}"
