"""Hints: batched, bounded, and dropped where the cache is away."""

from contextlib import aclosing
from typing import Any

import pytest

from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.hosting import SystemClock
from ludolog.sessions.hints import Deadlines, deadlines_key, partitions_hint, partitions_of, wake_channel
from ludolog.sessions.memory import MemoryCache
from ludolog.sessions.port import CacheUnavailable
from services.engine import hints as module
from services.engine.hints import Hints

TOPIC = "ludolog.toy.log"
NOW = SystemClock().now_ms()


class Away(MemoryCache):
    """A cache that doesn't answer."""

    async def put(self, key: str, value: bytes, ttl_ms: int) -> None:
        raise CacheUnavailable

    async def wake(self, channel: str, hint: bytes) -> None:
        raise CacheUnavailable


def hints(cache: Any, dropped: list[int]) -> Hints:
    return Hints(cache, TOPIC, 8, SystemClock(), dropped.append)


async def test_commits_of_one_turn_are_one_wake_up_with_deadlines_written_before() -> None:
    cache = MemoryCache()
    dropped: list[int] = []
    given = hints(cache, dropped)
    wakes = cache.wakes(wake_channel(TOPIC))
    async with aclosing(wakes):
        assert await anext(wakes) == ("", b"")
        for match in ("m1", "m2", "m1"):
            given.committed(match)
        given.deadlines("m1", Deadlines(1, {"open": NOW}))
        given.deadlines("m1", deadlines := Deadlines(2, {"open": NOW + 5000}))
        await given.flush()
        channel, hint = await anext(wakes)
    assert channel == wake_channel(TOPIC)
    assert partitions_of(hint) == {partition_of(match, 8) for match in ("m1", "m2")}
    assert Deadlines.load(await cache.get(deadlines_key("m1")) or b"") == deadlines
    given.deadlines("m1", None)
    await given.flush()
    assert await cache.get(deadlines_key("m1")) is None
    assert dropped == []


async def test_a_cache_that_is_away_costs_hints_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[int] = []
    given = hints(Away(), dropped)
    given.committed("m1")
    given.deadlines("m1", Deadlines(1, {"open": NOW}))
    await given.flush()
    assert dropped == [2]
    monkeypatch.setattr(module, "WAITING", 1)
    given.deadlines("m1", None)
    given.deadlines("m2", None)
    given.deadlines("m1", Deadlines(2, {"open": NOW}))
    assert dropped == [2, 1]


def test_deadlines_are_written_into_the_decisions_that_have_one() -> None:
    deadlines = Deadlines.load(Deadlines(3, {"a": 1_700_000_000_123}).dump())
    awaiting = [match_pb2.Decision(decision_id="a"), match_pb2.Decision(decision_id="b")]
    deadlines.add_to(awaiting)
    assert awaiting[0].deadline.ToMilliseconds() == 1_700_000_000_123
    assert not awaiting[1].HasField("deadline")
    for data in (b"", b"\xc0", b"\x80"):
        with pytest.raises(ValueError, match=r".+"):
            Deadlines.load(data)


def test_a_hint_that_cant_be_read_means_all_partitions() -> None:
    assert partitions_of(partitions_hint([3, 17, 3])) == {3, 17}
    assert partitions_of(b"") == partitions_of(b"x,1") == frozenset()
