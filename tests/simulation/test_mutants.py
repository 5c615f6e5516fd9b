"""A simulation that can't find what is broken proves nothing: each rule is taken away in turn."""

from __future__ import annotations

import asyncio

import pytest

from ludolog.eventlog.owner import Unavailable
from ludolog.kernel import Refusal
from tests.simulation.mutants import CROWDED, MUTANTS, REBUILDING, STALE
from tests.simulation.weather import Weather
from tests.simulation.world import play
from tests.unit.eventlog.instant import Rig, cause
from tests.unit.eventlog.test_owner import quiet, serving, until

RARE = "the end is asked on arrival"
"""Some 100 to 2,000 seeds: hunted by hand (`python -m tests.simulation --mutant RULE`); here it has a script."""


@pytest.mark.parametrize("rule", [rule for rule in MUTANTS if rule != RARE])
def test_the_simulation_objects_without(rule: str) -> None:
    mutant = MUTANTS[rule]
    caught = mutant.hunt()
    assert caught is not None, f"{rule}: no objection in {mutant.within} seeds"


@pytest.mark.parametrize("weather", [STALE, CROWDED, REBUILDING], ids=["stale", "crowded", "rebuilding"])
def test_the_weather_alone_breaks_nothing(weather: Weather) -> None:
    for seed in range(20):
        assert play(seed, weather).found is None, f"seed {seed}"


async def refusal_of_a_displaced_owner() -> BaseException | None:
    """A command waits at an owner while another one takes over; then it is judged there, and isn't allowed."""
    rig = quiet()
    rig.adder.gate = asyncio.Event()
    async with serving(rig, "former") as former:
        call = asyncio.create_task(former.submit("s", cause("a", -1)))
        await until(lambda: rig.adder.judged)
        async with serving(quiet(Rig(log=rig.log, cache=rig.cache)), "next") as owner:
            await owner.submit("s", cause("b", 2))
            rig.adder.gate.set()
            await asyncio.wait([call])
    return call.exception()


async def test_the_end_is_asked_after_the_command_left_the_queue() -> None:
    assert isinstance(await refusal_of_a_displaced_owner(), Unavailable)
    with MUTANTS[RARE].applied():
        assert isinstance(await refusal_of_a_displaced_owner(), Refusal)
