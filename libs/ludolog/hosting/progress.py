"""How far the projections of the logs are: one set of metrics for all of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from typing import TypeAlias

from ludolog.eventlog.port import EventLog, LogError
from ludolog.hosting.clock import Clock
from ludolog.hosting.metrics import Metrics

LOOK_S = 5.0
SAMPLES = 720
"""Most ends of a partition that are remembered: beyond an hour of lag its age isn't exact any more."""
Place: TypeAlias = tuple[str, int]
"""A topic and a partition of it."""
Positions: TypeAlias = Callable[[], Awaitable[Mapping[Place, int]]]
"""Gives the offset of the next record to be read, for each partition that is followed here."""


class Lag:
    """How far one reader of one partition is behind. Pure."""

    def __init__(self) -> None:
        self._ends: deque[tuple[float, int]] = deque()

    def __len__(self) -> int:
        """How many ends are remembered."""
        return len(self._ends)

    def measure(self, now_s: float, end: int, position: int) -> tuple[int, float]:
        """(records, seconds) behind. Seconds: since when the log has had what isn't read yet, as far as was seen."""
        if not self._ends or self._ends[-1][1] != end:
            self._ends.append((now_s, end))
        while self._ends and self._ends[0][1] <= position:
            self._ends.popleft()
        if len(self._ends) > SAMPLES:
            del self._ends[1]
        return max(0, end - position), now_s - self._ends[0][0] if self._ends else 0.0


class Progress:
    """The metrics of one projection in one process."""

    def __init__(self, metrics: Metrics, projection: str) -> None:
        labels = ("projection", "topic")
        records = metrics.gauge("ludolog_projection_lag_records", "Records in the log that aren't read yet.", labels)
        seconds = metrics.gauge(
            "ludolog_projection_lag_seconds", "Since when the log has had the oldest record that isn't read.", labels
        )
        catch_up = metrics.gauge(
            "ludolog_projection_catch_up_seconds", "Seconds from beginning a partition to the log's end.", labels
        )
        void = metrics.counter("ludolog_void_commits", "Commits that don't count, skipped.", labels)
        self._projection = projection
        self._records, self._seconds, self._catch_up = records, seconds, catch_up
        # Every projection tells of every record: a look-up of labels costs as much as reading one.
        self._void = cache(lambda topic: void.labels(projection, topic))
        self._lags: dict[Place, Lag] = {}

    def void(self, topic: str, commits: int = 1) -> None:
        """So many void commits were skipped."""
        counter = self._void(topic)
        if commits:
            counter.inc(commits)

    def caught_up(self, topic: str, seconds: float) -> None:
        """A partition reached the end that its log had when it was begun, after so long."""
        self._catch_up.labels(self._projection, topic).set(seconds)

    def measured(self, now_s: float, ends: Mapping[Place, int], positions: Mapping[Place, int]) -> None:
        """Take where the logs end and where the projection is."""
        self._lags = {place: self._lags.get(place) or Lag() for place in positions}
        found: dict[str, tuple[int, float]] = {}
        for place in positions.keys() & ends.keys():
            records, seconds = self._lags[place].measure(now_s, ends[place], positions[place])
            before = found.get(place[0], (0, 0.0))
            found[place[0]] = before[0] + records, max(before[1], seconds)
        for topic, (records, seconds) in found.items():
            self._records.labels(self._projection, topic).set(records)
            self._seconds.labels(self._projection, topic).set(seconds)

    async def watch(self, log: EventLog, clock: Clock, positions: Positions, look_s: float = LOOK_S) -> None:
        """Measure every `look_s` seconds, for ever. Where the log doesn't answer, the numbers stay as they were."""
        while True:
            await asyncio.sleep(look_s)
            # The ends are asked for first: whatever is read meanwhile can't look like lag.
            places = await positions()
            ends = await _ends(log, places)
            self.measured(clock.monotonic(), ends, await positions())


async def _ends(log: EventLog, places: Iterable[Place]) -> dict[Place, int]:
    places = list(places)
    answers = await asyncio.gather(*(log.end_offset(*place) for place in places), return_exceptions=True)
    found: dict[Place, int] = {}
    for place, answer in zip(places, answers, strict=True):
        if isinstance(answer, int):
            found[place] = answer
        elif not isinstance(answer, LogError):
            raise answer
    return found
