"""How the archiving goes: metrics and health. Never by match or player."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ludolog.hosting.clock import Clock
from ludolog.hosting.metrics import Metrics
from services.replay.projection import Place


class Serving(Protocol):
    """Host.serving."""

    def __call__(self, part: str, ok: bool, why: str = "") -> None:  # noqa: FBT001 - the host's signature
        """Say how a part does."""


class Watchful:
    """Hears what the partitions' archivers tell."""

    def __init__(self, metrics: Metrics, clock: Clock, serving: Serving, topics: Iterable[str]) -> None:
        topic = ("topic",)
        self._records = metrics.counter("ludolog_replay_records", "Records archived.", topic)
        self._void = metrics.counter("ludolog_replay_void_commits", "Commits that didn't count.", topic)
        self._broken = metrics.counter("ludolog_replay_corrupt_matches", "Matches stopped: must stay 0.", topic)
        self._restarts = metrics.counter("ludolog_replay_restarts", "Partitions begun again.", topic)
        self._catch_up = metrics.gauge("ludolog_replay_catch_up_seconds", "Seconds until caught up at start.", topic)
        self._lag = metrics.gauge("ludolog_replay_lag_records", "Records in the log and not archived.", topic)
        self._lag_s = metrics.gauge("ludolog_replay_lag_seconds", "Age of the oldest record not archived.", topic)
        self._clock = clock
        self._serving = serving
        self._began: dict[Place, float] = {}
        self._behind: set[Place] = set()
        self._stopped: dict[Place, str] = {}
        self._newest_ms: dict[Place, int] = {}
        self._shares: dict[str, frozenset[int]] = {}
        self._settled: set[str] = set()
        for name in topics:
            self._broken.labels(name)
            serving(name, ok=False, why="joining the group")

    @property
    def places(self) -> list[Place]:
        """The partitions that are followed here."""
        return list(self._began)

    def gave_out(self, topic: str, share: frozenset[int]) -> None:
        """The group gives these partitions to this instance; none: there is nothing to catch up with."""
        self._shares[topic] = share
        self._settle(topic)

    def following(self, place: Place) -> None:
        """A partition is taken on."""
        self._began[place] = self._clock.monotonic()
        self._behind.add(place)
        self._say(place.topic)

    def gave_up(self, place: Place) -> None:
        """A partition isn't followed here any more."""
        for known in (self._began, self._stopped, self._newest_ms):
            known.pop(place, None)
        self._behind.discard(place)
        self._say(place.topic)

    def measure(self, place_lags: Iterable[tuple[Place, int]]) -> None:
        """Take how many records each followed partition is behind."""
        records: dict[str, int] = {}
        seconds: dict[str, float] = {}
        for place, lag in place_lags:
            newest = self._newest_ms.get(place, 0)
            age = (self._clock.now_ms() - newest) / 1000 if lag and newest else 0.0
            records[place.topic] = records.get(place.topic, 0) + lag
            seconds[place.topic] = max(seconds.get(place.topic, 0.0), age)
        for topic, lag in records.items():
            self._lag.labels(topic).set(lag)
            self._lag_s.labels(topic).set(seconds[topic])

    # ---- what an archiver tells

    def wrote(self, place: Place, records: int, last_ms: int) -> None:
        """Records are archived."""
        self._records.labels(place.topic).inc(records)
        if last_ms:
            self._newest_ms[place] = last_ms

    def void(self, place: Place, commits: int) -> None:
        """Void commits were skipped."""
        self._void.labels(place.topic).inc(commits)

    def broken(self, place: Place, match_id: str) -> None:
        """A match's stored commits don't chain."""
        self._broken.labels(place.topic).inc()

    def caught_up(self, place: Place) -> None:
        """The end is reached that the log had when the partition was taken on."""
        if place in self._behind:
            self._behind.discard(place)
            self._catch_up.labels(place.topic).set(self._clock.monotonic() - self._began[place])
        self._settle(place.topic)

    def _settle(self, topic: str) -> None:
        """Settled once the whole share was caught up with."""
        share = self._shares.get(topic)
        caught_up = {place.partition for place in self._began.keys() - self._behind if place.topic == topic}
        if share is not None and share <= caught_up:
            self._settled.add(topic)
        self._say(topic)

    def stopped(self, place: Place, why: str) -> None:
        """A partition stands still."""
        self._stopped[place] = why
        self._say(place.topic)

    def restarted(self, place: Place) -> None:
        """A partition begins again."""
        self._restarts.labels(place.topic).inc()

    def _say(self, topic: str) -> None:
        """Serving once everything was caught up with; a partition that comes later is no reason to stop."""
        still = [f"partition {place.partition}: {why}" for place, why in self._stopped.items() if place.topic == topic]
        self._serving(topic, not still and topic in self._settled, "; ".join(still) or "catching up")
