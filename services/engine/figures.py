"""The engine's metrics. Never labelled by match or player."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Protocol

from ludolog.hosting import errors
from ludolog.hosting.metrics import Metrics


class Counts(Protocol):
    """Draws whose block was here already, and draws that had to wait for it."""

    hits: int
    misses: int


class Figures:
    """Commands by result, their seconds, and what the parts count themselves."""

    def __init__(self, metrics: Metrics, rulebook: str) -> None:
        self._rulebook = rulebook
        self._metrics = metrics
        commands = metrics.counter(
            "ludolog_engine_commands", "Commands by kind and result.", ("rulebook", "kind", "result")
        )
        seconds = metrics.histogram(
            "ludolog_engine_command_seconds",
            "Seconds of a command, from its arrival to its answer.",
            ("rulebook", "kind"),
        )
        # Looking labels up costs as much as judging a command, so it is done once for each.
        self._counted = cache(lambda kind, result: commands.labels(rulebook, kind, result))
        self._timed = cache(lambda kind: seconds.labels(rulebook, kind))
        refusals = metrics.counter(
            "ludolog_engine_refusals", "Commands that aren't accepted, by reason.", ("rulebook", "reason")
        )
        self._refused = cache(lambda reason: refusals.labels(rulebook, reason))
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
            self._refused(found.reason if found else "INTERNAL").inc()
            raise
        finally:
            self._counted(kind, result).inc()
            self._timed(kind).observe(time.perf_counter() - started)

    def drew(self) -> None:
        """A commit drew."""
        self._draws.inc()

    def hints_dropped(self, count: int) -> None:
        """The cache didn't take so many hints."""
        self._dropped.inc(count)

    def watch(self, blocks: Counts, deadlines: Callable[[], int], timeouts: Callable[[], int]) -> None:
        """Show what the parts count themselves."""
        rulebook, label = self._rulebook, ("rulebook",)
        self._metrics.read_counter(
            "ludolog_engine_blocks",
            "Draws by whether the block was here already (hit) or not (miss).",
            ("rulebook", "result"),
            lambda: [((rulebook, "hit"), blocks.hits), ((rulebook, "miss"), blocks.misses)],
        )
        self._metrics.read_counter(
            "ludolog_engine_timeouts", "Defaults that were taken.", label, lambda: [((rulebook,), timeouts())]
        )
        self._metrics.read_gauge(
            "ludolog_engine_open_deadlines", "Open decisions with a clock.", label, lambda: [((rulebook,), deadlines())]
        )
