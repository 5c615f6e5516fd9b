"""How the archiving goes: metrics and health. Never by match or player."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ludolog.hosting.clock import Clock
from ludolog.hosting.metrics import Metrics
from ludolog.hosting.progress import Progress
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
        self._broken = metrics.counter("ludolog_replay_corrupt_matches", "Matches stopped: must stay 0.", topic)
        self._restarts = metrics.counter("ludolog_replay_restarts", "Partitions begun again.", topic)
        self.progress = Progress(metrics, "replay")
        self._clock = clock
        self._serving = serving
        self._began: dict[Place, float] = {}
        self._behind: set[Place] = set()
        self._stopped: dict[Place, str] = {}
        self._shares: dict[str, frozenset[int]] = {}
        self._settled: set[str] = set()
        for name in topics:
            self._broken.labels(name)
            self.progress.void(name, 0)
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
        for known in (self._began, self._stopped):
            known.pop(place, None)
        self._behind.discard(place)
        self._say(place.topic)

    # ---- what an archiver tells

    def wrote(self, place: Place, records: int) -> None:
        """Records are archived."""
        self._records.labels(place.topic).inc(records)

    def void(self, place: Place, commits: int) -> None:
        """Void commits were skipped."""
        self.progress.void(place.topic, commits)

    def broken(self, place: Place, match_id: str) -> None:
        """A match's stored commits don't chain."""
        self._broken.labels(place.topic).inc()

    def caught_up(self, place: Place) -> None:
        """The end is reached that the log had when the partition was taken on."""
        if place in self._behind:
            self._behind.discard(place)
            self.progress.caught_up(place.topic, self._clock.monotonic() - self._began[place])
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
