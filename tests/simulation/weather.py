"""How bad the world is: probabilities and periods, times in virtual seconds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace


def _faults() -> dict[str, float]:
    return {
        "pause": 3.0,
        "crash": 1.5,
        "drain": 1.0,
        "hand over": 2.0,
        "snatch": 2.0,
        "same again": 1.0,
        "control record": 1.0,
        "flush": 0.7,
        "cache down": 0.5,
        "drop archive": 0.7,
        "storm": 1.5,
    }


@dataclass(frozen=True)
class Weather:
    """What an append meets, and how often what happens to processes."""

    engines: int = 3
    partitions: int = 2
    streams: int = 3
    commands: int = 14
    seconds: float = 20.0
    fault_every_s: float = 0.8
    faults: dict[str, float] = field(default_factory=_faults)
    ack_lost: float = 0.02
    late: float = 0.03
    vanished: float = 0.01
    no_offset: float = 0.03
    overloaded: float = 0.01
    storm: float = 0.4
    """The same, all together, while there is a storm."""
    slow: float = 0.1
    """Of records and of answers."""
    pause_s: tuple[float, float] = (0.2, 12.0)
    timer: float = 0.3
    look_s: float = 0.5
    ask_every_s: float = 0.33
    """How often somebody asks an engine for a state."""
    doubled: float = 0.15
    """How often a caller sends to two engines at once."""
    cancels: float = 0.6
    """How often a caller that gives up waiting says so."""
    lane: int = 4
    ends: float = 0.5
    """How often a command ends its match, where 9.1 commands do something else."""
    draw_s: float = 0.005
    draw_fails: float = 0.03
    recreate: float = 0.15
    archive: float = 0.7
    reuse: float = 0.04
    duplicated: float = 0.0
    truncated: float = 0.0
    recreate_hot: float = 0.0
    aborted: float = 0.0
    """Records written in a transaction that was aborted: nobody may write so, and who reads them all sees them."""


def weather_of(seed: int) -> Weather:
    """The weather of a seed's history: the usual one for every second seed, else a mixture that nobody thought of."""
    usual = Weather()
    if seed % 2 == 0:
        return usual
    rng = random.Random(f"weather {seed}")
    return replace(
        usual,
        engines=rng.choice([2, 3, 5]),
        partitions=rng.choice([1, 2, 3]),
        streams=rng.choice([1, 3, 6]),
        commands=rng.choice([6, 14, 40]),
        seconds=rng.choice([8.0, 20.0, 40.0]),
        fault_every_s=rng.choice([0.2, 0.5, 1.0, 2.0]),
        faults={kind: rng.choice([0.01, 0.5, 1.0, 3.0]) for kind in usual.faults},
        ack_lost=rng.choice([0.0, 0.05, 0.15]),
        late=rng.choice([0.0, 0.05, 0.15]),
        no_offset=rng.choice([0.0, 0.1, 0.3]),
        slow=rng.choice([0.0, 0.1, 0.4]),
        pause_s=rng.choice([(0.05, 0.6), (0.2, 12.0), (2.2, 5.0)]),
        look_s=rng.choice([0.2, 0.5, 3.0]),
        archive=rng.choice([0.0, 1.0]),
        timer=rng.choice([0.1, 0.8]),
        recreate=rng.choice([0.0, 0.0, 0.5]),
        doubled=rng.choice([0.1, 0.7]),
        cancels=rng.choice([0.0, 0.6, 1.0]),
        ends=rng.choice([0.1, 0.5, 3.0]),
        draw_s=rng.choice([0.005, 0.2]),
    )
