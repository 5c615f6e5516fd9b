"""How it goes: metrics and health. Never by match or player."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from ludolog.hosting.clock import Clock
from ludolog.hosting.metrics import Metrics
from services.spectator.feed import Feed, Place


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
        self._computed = metrics.gauge("ludolog_spectator_updates_computed", "Updates worked out since the start.")
        self._matches = metrics.gauge("ludolog_spectator_matches", "Matches in memory.")
        self._void = metrics.counter("ludolog_spectator_void_commits", "Commits that didn't count.", topic)
        self._broken = metrics.counter("ludolog_spectator_corrupt_matches", "Matches stopped: must stay 0.", topic)
        self._lag = metrics.gauge("ludolog_spectator_lag_records", "Records in the log and not read.", topic)
        self._lag_s = metrics.gauge("ludolog_spectator_lag_seconds", "Age of the oldest record not read.", topic)
        self._catch_up = metrics.gauge("ludolog_spectator_catch_up_seconds", "Seconds until caught up at start.")
        self._clock = clock
        self._serving = serving
        self._began = clock.monotonic()
        for name in topics:
            self._broken.labels(name)
        serving("feeds", ok=False, why="catching up")

    def caught_up(self) -> None:
        """Every feed has reached the end that its log had at the start."""
        self._catch_up.set(self._clock.monotonic() - self._began)
        self._serving("feeds", ok=True)

    def measure(self, lags: Mapping[Feed, int], counts: Mapping[str, int]) -> None:
        """Take how many records each feed is behind, and the hub's figures."""
        records: dict[str, int] = {}
        seconds: dict[str, float] = {}
        for feed, lag in lags.items():
            age = (self._clock.now_ms() - feed.last_ms) / 1000 if lag and feed.last_ms else 0.0
            topic = feed.place.topic
            records[topic] = records.get(topic, 0) + lag
            seconds[topic] = max(seconds.get(topic, 0.0), age)
        for topic, lag in records.items():
            self._lag.labels(topic).set(lag)
            self._lag_s.labels(topic).set(seconds[topic])
        self._computed.set(counts["computed"])
        self._matches.set(counts["matches"])

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
        self._void.labels(place.topic).inc()

    def broken(self, place: Place) -> None:
        """A match is corrupt."""
        self._broken.labels(place.topic).inc()

    def stopped(self, place: Place, why: str) -> None:
        """A partition stands still."""
        self._serving(f"{place.topic}/{place.partition}", ok=False, why=why)
