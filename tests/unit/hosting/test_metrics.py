"""Metrics that others keep, reasons as labels, lag, and the log and the cache as they are measured."""

from __future__ import annotations

from typing import cast

import pytest

from ludolog.eventlog.port import AppendFailed, EventLog
from ludolog.hosting import Metrics
from ludolog.hosting.measured import MeasuredCache, MeasuredLog
from ludolog.hosting.metrics import MOST_REASONS, OTHER, table
from ludolog.hosting.owning import OwnerTally
from ludolog.hosting.progress import SAMPLES, Lag, Progress
from ludolog.sessions.memory import MemoryCache
from ludolog.sessions.port import CacheUnavailable


def test_what_several_keep_is_added_up_and_read_when_it_is_asked_for() -> None:
    metrics, kept = Metrics(), {"a": 1, "b": 5}
    for name in ("a", "b"):
        metrics.read_counter("things", "Things.", ("of",), lambda name=name: [(("all",), kept[name])])  # type: ignore[misc]
    assert metrics.registry.get_sample_value("things_total", {"of": "all"}) == 6
    kept["a"] = 3
    assert metrics.registry.get_sample_value("things_total", {"of": "all"}) == 8
    assert "| `things_total` | counter | of | Things. |" in table(metrics.declared)


def test_reasons_are_bounded() -> None:
    metrics = Metrics()
    for reason in ("NOT_FOUND", "matches/tempel-aaaaaaaaaa", "", "A" * 65, *(f"R{n}" for n in range(2 * MOST_REASONS))):
        metrics.refused("gateway", reason)
    (family,) = [family for family in metrics.registry.collect() if family.name == "ludolog_refusals"]
    counted = {sample.labels["reason"]: sample.value for sample in family.samples if sample.name.endswith("_total")}
    assert len(counted) == MOST_REASONS
    assert counted["NOT_FOUND"] == 1
    assert sum(counted.values()) == 4 + 2 * MOST_REASONS
    assert counted[OTHER] == 4 + 2 * MOST_REASONS - (MOST_REASONS - 1)


def test_lag_is_how_long_the_log_has_had_what_isnt_read() -> None:
    lag = Lag()
    assert lag.measure(0, end=10, position=10) == (0, 0)
    assert lag.measure(5, end=12, position=10) == (2, 0)
    assert lag.measure(10, end=15, position=11) == (4, 5)
    assert lag.measure(15, end=15, position=12) == (3, 5), "what was there at 5 is read, what was there at 10 isn't"
    assert lag.measure(20, end=15, position=15) == (0, 0)


def test_a_long_lag_costs_no_memory() -> None:
    lag = Lag()
    measured = [lag.measure(second, end=second + 1, position=0) for second in range(3 * SAMPLES)]
    records, seconds = measured[-1]
    assert records == 3 * SAMPLES
    assert seconds == 3 * SAMPLES - 1
    assert len(lag) <= SAMPLES


def test_progress_is_the_sum_of_records_and_the_greatest_age() -> None:
    metrics = Metrics()
    progress = Progress(metrics, "replay")
    labels = {"projection": "replay", "topic": "t"}
    places = {("t", 0): 3, ("t", 1): 5}
    progress.measured(0, places, dict.fromkeys(places, 0))
    progress.measured(7, {("t", 0): 3, ("t", 1): 6}, {("t", 0): 3, ("t", 1): 1})
    value = metrics.registry.get_sample_value
    assert value("ludolog_projection_lag_records", labels) == 5
    assert value("ludolog_projection_lag_seconds", labels) == 7
    progress.measured(9, {("t", 0): 3}, {("t", 0): 3})
    assert value("ludolog_projection_lag_records", labels) == 0


def test_an_owners_counts_are_shown() -> None:
    metrics = Metrics()
    tally = OwnerTally(metrics, "t", "engine")
    tally.add("commits", 3)
    tally.add("void_commits", 2)
    tally.add("repeats")
    tally.took("queue", 0.2)
    tally.took("takeover", 4)
    value = metrics.registry.get_sample_value
    assert value("ludolog_commits_total", {"topic": "t"}) == 3
    assert value("ludolog_void_commits_total", {"projection": "engine", "topic": "t"}) == 2
    assert value("ludolog_owner_events_total", {"topic": "t", "event": "repeats"}) == 1
    assert value("ludolog_owner_events_total", {"topic": "t", "event": "broken_streams"}) == 0
    assert value("ludolog_queue_seconds_sum", {"topic": "t"}) == 0.2
    assert value("ludolog_projection_catch_up_seconds", {"projection": "engine", "topic": "t"}) == 4


class Log:
    """Appends, or not."""

    fails = False

    async def appender(self) -> Log:
        return self

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        if self.fails:
            raise AppendFailed("no")
        return 7


async def test_appends_are_timed_and_failures_counted() -> None:
    metrics, log = Metrics(), Log()
    appender = await MeasuredLog(cast("EventLog", log), metrics).appender()
    assert await appender.append("t", 0, b"k", b"12345") == 7
    log.fails = True
    with pytest.raises(AppendFailed):
        await appender.append("t", 0, b"k", b"12345")
    value = metrics.registry.get_sample_value
    assert value("ludolog_log_append_seconds_count", {"topic": "t"}) == 1
    assert value("ludolog_log_appended_bytes_total", {"topic": "t"}) == 5
    assert value("ludolog_log_append_failures_total", {"topic": "t"}) == 1


class Away(MemoryCache):
    """A cache that doesn't answer."""

    async def get(self, key: str) -> bytes | None:
        raise CacheUnavailable("away")


async def test_the_caches_answers_are_counted() -> None:
    metrics = Metrics()
    cache = MeasuredCache(MemoryCache(), metrics)
    await cache.put("a", b"1", 1000)
    assert await cache.get("a") == b"1"
    assert await cache.get("b") is None
    assert await cache.get_many(["a", "b", "c"]) == {"a": b"1"}
    with pytest.raises(CacheUnavailable):
        await MeasuredCache(Away(), metrics).get("a")

    def count(operation: str, result: str) -> float | None:
        labels = {"operation": operation, "result": result}
        return metrics.registry.get_sample_value("ludolog_cache_requests_total", labels)

    assert (count("put", "done"), count("get", "hit"), count("get", "miss")) == (1, 2, 3)
    assert count("get", "unavailable") == 1
