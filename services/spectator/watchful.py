"""How it goes: metrics and health. Never by match or player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from ludolog.hosting.clock import Clock
from ludolog.hosting.metrics import Metrics
from ludolog.hosting.progress import Progress
from services.spectator.feed import Place


class Serving(Protocol):
    """Host.serving."""

    def __call__(self, part: str, ok: bool, why: str = "") -> None:  # noqa: FBT001 - the host's signature
        """Say how a part does."""


class Watchful:
    """Hears feeds and streams."""

    def __init__(self, metrics: Metrics, clock: Clock, serving: Serving, topics: Iterable[str]) -> None:
        topic = ("topic",)
        self._watchers = metrics.gauge("ludolog_spectator_watchers", "Open update streams.")
        self._streams = metrics.counter("ludolog_spectator_streams", "Update streams that were opened.")
        self._resyncs = metrics.counter("ludolog_spectator_resyncs", "Streams ended because the reader was too slow.")
        self._broken = metrics.counter("ludolog_spectator_corrupt_matches", "Matches stopped: must stay 0.", topic)
        self.progress = Progress(metrics, "spectator")
        self._metrics = metrics
        self._clock = clock
        self._topics = tuple(topics)
        self._serving = serving
        self._began = clock.monotonic()
        for name in self._topics:
            self._broken.labels(name)
            self.progress.void(name, 0)
        serving("feeds", ok=False, why="catching up")

    def caught_up(self) -> None:
        """Every feed has reached the end that its log had at the start."""
        for topic in self._topics:
            self.progress.caught_up(topic, self._clock.monotonic() - self._began)
        self._serving("feeds", ok=True)

    def watch(self, counts: Callable[[], Mapping[str, int]], live: Callable[[], Mapping[str, int]]) -> None:
        """Show the hub's figures, and how many matches of each rulebook are on."""
        metrics = self._metrics
        metrics.read_counter(
            "ludolog_spectator_updates_computed", "Updates worked out.", (), lambda: [((), counts()["computed"])]
        )
        metrics.read_gauge("ludolog_spectator_matches", "Matches in memory.", (), lambda: [((), counts()["matches"])])
        metrics.read_gauge(
            "ludolog_live_matches",
            "Matches that are on. Every spectator process says the same of all of them.",
            ("rulebook",),
            lambda: [((rulebook,), count) for rulebook, count in live().items()],
        )

    # ---- what streams tell

    def opened(self) -> None:
        """A stream is open."""
        self._watchers.inc()
        self._streams.inc()

    def closed(self) -> None:
        """A stream is over."""
        self._watchers.dec()

    def too_slow(self) -> None:
        """A stream was ended because its reader was too slow."""
        self._resyncs.inc()

    # ---- what the hub tells

    def void(self, place: Place) -> None:
        """A void commit was skipped."""
        self.progress.void(place.topic)

    def broken(self, place: Place) -> None:
        """A match is corrupt."""
        self._broken.labels(place.topic).inc()

    def stopped(self, place: Place, why: str) -> None:
        """A partition stands still."""
        self._serving(f"{place.topic}/{place.partition}", ok=False, why=why)
