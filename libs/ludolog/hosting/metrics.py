"""Metrics: a thin layer over one Prometheus registry. Never label by match or player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

M = TypeVar("M", bound=MetricWrapperBase)
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Makes metrics.

    Asking again for one of the same name gives the same: several services of one process share them.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self._made: dict[str, MetricWrapperBase] = {}

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

    def _make(self, kind: type[M], name: str, documentation: str, labels: Sequence[str], **options: Any) -> M:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = kind(name, documentation, labels, registry=self.registry, **options)
        if not isinstance(made, kind):
            raise TypeError(f"{name} is a {type(made).__name__} already")
        return made
