"""Metrics: a thin layer over one Prometheus registry. Names end with their unit. Never label by match or player."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.registry import Collector

M = TypeVar("M", bound=MetricWrapperBase)
Read: TypeAlias = Callable[[], Iterable[tuple[Sequence[str], float]]]
"""Gives (values of the labels, number) of each series. It is called by a thread: it changes and awaits nothing."""
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
REASON = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
MOST_REASONS = 256
OTHER = "OTHER"


@dataclass(frozen=True, slots=True)
class Declared:
    """A metric as the table in docs/operate.md shows it."""

    name: str
    kind: str
    labels: tuple[str, ...]
    documentation: str


class Metrics:
    """Makes metrics.

    Asking again for one of the same name gives the same: several services of one process share them.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self._made: dict[str, MetricWrapperBase] = {}
        self._readings: dict[str, _Reading] = {}
        self._declared: dict[str, Declared] = {}
        self._reasons: set[tuple[str, str]] = set()
        refusals = "Answers other than OK, by the reason that they give."
        self._refusals = self.counter("ludolog_refusals", refusals, ("service", "reason"))

    def counter(self, name: str, documentation: str, labels: Sequence[str] = ()) -> Counter:
        """A number that only grows; `name` without "_total"."""
        return self._make(Counter, name, documentation, labels)

    def gauge(self, name: str, documentation: str, labels: Sequence[str] = ()) -> Gauge:
        """A number that comes and goes."""
        return self._make(Gauge, name, documentation, labels)

    def histogram(
        self, name: str, documentation: str, labels: Sequence[str] = (), buckets: Sequence[float] = SECONDS
    ) -> Histogram:
        """How often which size; by default seconds."""
        return self._make(Histogram, name, documentation, labels, buckets=buckets)

    def read_counter(self, name: str, documentation: str, labels: Sequence[str], read: Read) -> None:
        """A number that only grows and that somebody keeps anyway: read when it is asked for."""
        self._read(CounterMetricFamily, name, documentation, labels, read)

    def read_gauge(self, name: str, documentation: str, labels: Sequence[str], read: Read) -> None:
        """The same for a number that comes and goes."""
        self._read(GaugeMetricFamily, name, documentation, labels, read)

    def refused(self, service: str, reason: str) -> None:
        """Count a refusal. Reasons are the code's own words; anything else, and too many of them, is OTHER."""
        if (service, reason) not in self._reasons:
            if len(self._reasons) >= MOST_REASONS or not REASON.fullmatch(reason):
                reason = OTHER
            self._reasons.add((service, reason))
        self._refusals.labels(service, reason).inc()

    @property
    def declared(self) -> list[Declared]:
        """Every metric that was asked for, by name."""
        return [self._declared[name] for name in sorted(self._declared)]

    def _make(self, kind: type[M], name: str, documentation: str, labels: Sequence[str], **options: Any) -> M:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = kind(name, documentation, labels, registry=self.registry, **options)
            self._declare(name, kind.__name__.lower(), labels, documentation)
        if not isinstance(made, kind):
            raise TypeError(f"{name} is a {type(made).__name__} already")
        return made

    def _read(self, kind: Any, name: str, documentation: str, labels: Sequence[str], read: Read) -> None:
        reading = self._readings.get(name)
        if reading is None:
            reading = self._readings[name] = _Reading(lambda: kind(name, documentation, labels=labels))
            self._declare(name, "counter" if kind is CounterMetricFamily else "gauge", labels, documentation)
            self.registry.register(reading)
        reading.sources.append(read)

    def _declare(self, name: str, kind: str, labels: Sequence[str], documentation: str) -> None:
        shown = f"{name}_total" if kind == "counter" else name
        self._declared[shown] = Declared(shown, kind, tuple(labels), documentation)


class _Reading(Collector):
    """One metric whose numbers others keep."""

    def __init__(self, family: Callable[[], Any]) -> None:
        self.sources: list[Read] = []
        self._family = family

    def describe(self) -> Iterable[Any]:
        """The metric without numbers."""
        return [self._family()]

    def collect(self) -> Iterable[Any]:
        """The metric with the numbers of now; what several sources say of the same labels is added up."""
        family = self._family()
        sums: dict[tuple[str, ...], float] = {}
        for read in self.sources:
            for labels, value in read():
                sums[tuple(labels)] = sums.get(tuple(labels), 0.0) + value
        for labels, value in sums.items():
            family.add_metric(labels, value)
        return [family]


def table(declared: Iterable[Declared]) -> str:
    """Metrics as a Markdown table, for docs/operate.md."""
    lines = ["| metric | kind | labels | meaning |", "|---|---|---|---|"]
    for one in declared:
        labels = ", ".join(one.labels) or "–"
        lines.append(f"| `{one.name}` | {one.kind} | {labels} | {one.documentation} |")
    return "\n".join(lines)
