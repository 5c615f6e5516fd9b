"""Decisions by the clock, on a clock that stands still until it is moved."""

from pathlib import Path

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.sessions.hints import Deadlines, deadlines_key
from services.engine import timers
from tests.infra.asking import SimulatedClock
from tests.integration.engine.house import Table, after_commits, running


@pytest.fixture(autouse=True)
def attentive_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody tells the timers that a simulated clock was moved, so they look often."""
    monkeypatch.setattr(timers, "LOOK_AGAIN_S", 0.005)


async def committed(table: Table, sequence: int) -> log_pb2.Commit:
    """The commit with that number, once the engine knows that it counts."""

    async def look() -> log_pb2.Commit | None:
        known = (await table.view(1)).sequence
        return (await table.commits())[sequence - 1].commit if known >= sequence else None

    return await after_commits(table.platform, look)


async def hint(table: Table, sequence: int) -> Deadlines:
    """What the cache says about deadlines, once it says it for that commit."""

    async def look() -> Deadlines | None:
        data = await table.platform.cache.get(deadlines_key(table.match_id))
        found = Deadlines.load(data) if data is not None else None
        return found if found is not None and found.sequence >= sequence else None

    return await after_commits(table.platform, look)


async def test_whoever_doesnt_decide_in_time_gets_the_default_once(tmp_path: Path) -> None:
    clock = SimulatedClock()
    async with running(tmp_path, clock) as platform:
        table = Table(platform, decision_time_s=60)
        await table.found()
        opened_ms = clock.now_ms()
        now = await table.view(1)
        assert now.awaiting[0].deadline.ToMilliseconds() == opened_ms + 60_000
        assert (await hint(table, 1)).at_ms == {now.awaiting[0].decision_id: opened_ms + 60_000}
        clock.seconds += 59
        await table.move("in-time")
        clock.seconds += 59
        waiting = (await table.view(1)).awaiting[0]
        assert len(await table.commits()) == 2
        clock.seconds += 1
        commit = await committed(table, 3)
        assert commit.cause.actor == "engine"
        assert commit.cause.command_id == f"timeout:2:{waiting.decision_id}"
        timed_out = log_pb2.MatchCause.FromString(commit.cause.body).timed_out
        assert (timed_out.decision_id, timed_out.seat) == (waiting.decision_id, waiting.seat)
        assert commit.draw_index == 2
        later = await table.view(1)
        assert later.awaiting[0].deadline.ToMilliseconds() == clock.now_ms() + 60_000
        assert (await hint(table, 3)).at_ms == {later.awaiting[0].decision_id: clock.now_ms() + 60_000}


async def test_seats_that_never_answer_cant_freeze_a_match(tmp_path: Path) -> None:
    clock = SimulatedClock()
    async with running(tmp_path, clock) as platform:
        table = Table(platform, decision_time_s=60)
        await table.found()
        sequence = 1
        while not (await table.view(1)).HasField("outcome"):
            clock.seconds += 60
            sequence += 1
            await committed(table, sequence)
        assert await table.seed()


async def test_after_a_restart_a_decision_gets_its_full_time_again_without_being_asked_for(tmp_path: Path) -> None:
    clock = SimulatedClock()
    async with running(tmp_path, clock) as platform:
        table, untimed = Table(platform, decision_time_s=60), Table(platform)
        await table.found()
        await untimed.found()
        clock.seconds += 59
    async with running(tmp_path, clock) as platform:
        table.platform = untimed.platform = platform
        deadline_ms = clock.now_ms() + 60_000
        hinted = await hint(table, 1)
        assert list(hinted.at_ms.values()) == [deadline_ms]
        clock.seconds += 59
        assert len(await table.commits()) == 1
        clock.seconds += 1
        assert (await committed(table, 2)).cause.actor == "engine"
        clock.seconds += 100_000
        assert (await committed(table, 3)).cause.actor == "engine"
        assert len(await untimed.commits()) == 1
        assert not (await untimed.view(1)).awaiting[0].HasField("deadline")
