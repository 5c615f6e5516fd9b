"""The engine's metrics. Never labelled by match or player."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from ludolog.hosting import errors
from ludolog.hosting.metrics import Metrics


class Figures:
    """Commands by result, their seconds, and what the parts count themselves."""

    def __init__(self, metrics: Metrics, rulebook: str) -> None:
        self._rulebook = rulebook
        self._metrics = metrics
        commands = metrics.counter(
            "ludolog_engine_commands", "Commands by kind and result.", ("rulebook", "kind", "result")
        )
        seconds = metrics.histogram("ludolog_engine_command_seconds", "Seconds of a command.", ("rulebook", "kind"))
        # Looking labels up costs as much as judging a command, so it is done once for each.
        self._counted = cache(lambda kind, result: commands.labels(rulebook, kind, result))
        self._timed = cache(lambda kind: seconds.labels(rulebook, kind))
        self._events = metrics.counter("ludolog_engine_events", "What happened, by name.", ("rulebook", "event"))
        self._seen: dict[str, int] = {}
        self._draws = metrics.counter("ludolog_engine_draws", "Commits that drew.", ("rulebook",)).labels(rulebook)
        self._dropped = metrics.counter(
            "ludolog_engine_hints_dropped", "Hints that the cache didn't take.", ("rulebook",)
        ).labels(rulebook)

    @contextmanager
    def command(self, kind: str) -> Iterator[None]:
        """Count a command by how it ends."""
        started = time.perf_counter()
        result = "cancelled"
        try:
            yield
            result = "ok"
        except Exception as error:
            found = errors.api_error(error)
            result = found.code.name.lower() if found else "internal"
            raise
        finally:
            self._counted(kind, result).inc()
            self._timed(kind).observe(time.perf_counter() - started)

    def drew(self) -> None:
        """A commit drew."""
        self._draws.inc()

    def totals(self, counts: Mapping[str, int]) -> None:
        """What has happened so far, by the parts' own count."""
        for event, count in counts.items():
            self._events.labels(self._rulebook, event).inc(count - self._seen.get(event, 0))
        self._seen = dict(counts)

    def hints_dropped(self, count: int) -> None:
        """The cache didn't take so many hints."""
        self._dropped.inc(count)

    def watch(self, name: str, documentation: str, read: Callable[[], float]) -> None:
        """A figure that a part keeps itself, read when somebody looks."""
        self._metrics.gauge(f"ludolog_engine_{name}", documentation, ("rulebook",)).labels(self._rulebook).set_function(
            read
        )
