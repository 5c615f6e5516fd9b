"""What a measurement gives, and how two things are measured side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

PERCENT = 100


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `value` in `unit`; `ratio`: value to what `against` names, measured in the same run or an aim."""

    name: str
    value: float
    unit: str
    against: str
    ratio: float

    def entry(self) -> dict[str, float | str]:
        """As bench.json has it, under the name."""
        return {"value": self.value, "unit": self.unit, "against": self.against, "ratio": self.ratio}

    def line(self) -> str:
        """As the table has it."""
        digits = 0 if abs(self.value) >= PERCENT else 2
        return f"{self.name:<52}{self.value:>12,.{digits}f} {self.unit:<14}{self.ratio:>8.2f} × {self.against}"


def aimed(name: str, value: float, unit: str, aim: float) -> Figure:
    """A figure beside a fixed aim."""
    return Figure(name, value, unit, f"the aim, {aim:,.0f} {unit}", value / aim)


@dataclass(frozen=True, slots=True)
class Beside:
    """Two rates that were measured in turns: medians a second, and the median of the ratios."""

    ours: float
    other: float
    ratio: float


def beside(ours: Callable[[], int], other: Callable[[], int], rounds: int) -> Beside:
    """Measure two pieces of work in turns, so that whatever else the machine does meets both. Each returns a count."""
    rates = [(_rate(ours), _rate(other)) for _ in range(rounds)]
    return Beside(
        statistics.median(rate for rate, _ in rates),
        statistics.median(rate for _, rate in rates),
        statistics.median(rate / floor for rate, floor in rates),
    )


def _rate(work: Callable[[], int]) -> float:
    """A second of the processor's time: work that waits for nothing is measured so, whoever else computes meanwhile."""
    began = time.process_time()
    count = work()
    return count / (time.process_time() - began)


def percentile(values: Sequence[float], percent: int) -> float:
    """A percentile of at least one value."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // PERCENT)]
