"""Timers: only in partitions that are served, parked matches too, again after failures, silently stale."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.answers import NotOwner, Stale, Unavailable
from ludolog.eventlog.partitioning import partition_of
from ludolog.kernel import Refusal
from ludolog.record.match import Match
from ludolog.sessions.hints import Deadlines
from services.engine import timers as module
from services.engine.deadlines import Due
from services.engine.timers import Timers, timeout_cause
from tests.infra.asking import SimulatedClock
from tests.unit.engine.play import MATCH_ID, RULEBOOK, Game, founding

PARTITIONS = 8
PLACE = partition_of(MATCH_ID, PARTITIONS)


class Engine:
    """Stands for the owner: says what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.clock = SimulatedClock(100.0, since_ms=0)
        self.answers: list[Exception | None] = []
        self.submitted: list[tuple[str, log_pb2.Cause, int]] = []
        self.looked: list[str] = []
        self.look_answers: list[Exception] = []
        self.told: list[tuple[str, Deadlines | None]] = []
        self.match: Match[Any] = Game(create=founding(decision_ms=60_000)).match
        self._happened = asyncio.Event()
        self.timers = Timers(
            RULEBOOK, PARTITIONS, self.clock, self.submit, self.look, lambda *said: self.told.append(said)
        )

    async def submit(self, match_id: str, cause: log_pb2.Cause, sequence: int) -> None:
        self.submitted.append((match_id, cause, sequence))
        self._happened.set()
        answer = self.answers.pop(0) if self.answers else None
        if answer is not None:
            raise answer

    async def look(self, match_id: str) -> tuple[Match[Any], int]:
        self.looked.append(match_id)
        self._happened.set()
        if self.look_answers:
            raise self.look_answers.pop(0)
        return self.match, 1

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():
                self._happened.clear()
                await self._happened.wait()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.timers.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(autouse=True)
def attentive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody tells the timers that a simulated clock was moved, so they look often."""
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0.002)
    monkeypatch.setattr(module, "RETRY_S", 0.002)


@pytest.fixture
async def engine() -> Engine:
    return Engine()


async def test_a_parked_match_gets_its_full_time_and_then_the_default(engine: Engine) -> None:
    engine.timers.began(PLACE, [MATCH_ID])
    async with engine.running():
        await engine.until(lambda: bool(engine.looked))
        await asyncio.sleep(0)
        engine.clock.seconds += 59.9
        engine.timers.start_due()
        assert engine.submitted == []
        engine.clock.seconds += 0.1
        await engine.until(lambda: bool(engine.submitted))
    [decision] = RULEBOOK.awaiting(engine.match.game)
    assert engine.submitted == [
        (MATCH_ID, timeout_cause(Due(MATCH_ID, 1, decision.decision_id, decision.seat)), 1),
    ]
    [(match_id, deadlines)] = engine.told
    assert (match_id, deadlines) == (MATCH_ID, Deadlines(1, {decision.decision_id: 160_000}))


async def test_nothing_runs_in_a_partition_that_isnt_served(engine: Engine) -> None:
    engine.timers.see(MATCH_ID, engine.match, 1)
    engine.timers.began(PLACE, [])
    engine.timers.see(MATCH_ID, engine.match, 1)
    engine.timers.ended(PLACE)
    engine.timers.began((PLACE + 1) % PARTITIONS, [MATCH_ID])
    async with engine.running():
        engine.clock.seconds += 1000
        engine.timers.start_due()
        await asyncio.sleep(0.01)
    assert (engine.submitted, engine.looked, len(engine.timers.index)) == ([], [], 0)


@pytest.mark.parametrize("failure", [Unavailable("later"), NotOwner("not yet"), AssertionError("a bug")])
async def test_what_fails_is_repeated_with_the_same_command_id(engine: Engine, failure: Exception) -> None:
    engine.timers.began(PLACE, [])
    engine.timers.see(MATCH_ID, engine.match, 1)
    engine.answers = [failure]
    engine.clock.seconds += 60
    async with engine.running():
        await engine.until(lambda: len(engine.submitted) == 1)
        await asyncio.sleep(0)
        engine.clock.seconds += 1
        await engine.until(lambda: len(engine.submitted) == 2)
    assert engine.submitted[0] == engine.submitted[1]
    assert engine.timers.timed_out == 1


@pytest.mark.parametrize("answer", [Stale("moved on"), Refusal("GAME_OVER", "Game End")])
async def test_what_is_stale_is_dropped(engine: Engine, answer: Exception) -> None:
    engine.timers.began(PLACE, [])
    engine.timers.see(MATCH_ID, engine.match, 1)
    engine.answers = [answer]
    engine.clock.seconds += 60
    async with engine.running():
        await engine.until(lambda: len(engine.submitted) == 1)
        engine.clock.seconds += 1000
        await asyncio.sleep(0.01)
    assert len(engine.submitted) == 1
    assert engine.timers.timed_out == 0


async def test_a_parked_match_that_cant_be_loaded_is_looked_at_again(engine: Engine) -> None:
    engine.look_answers = [Unavailable("later"), NotOwner("not yet")]
    engine.timers.began(PLACE, [MATCH_ID])
    async with engine.running():
        await engine.until(lambda: len(engine.looked) == 3)
        await asyncio.sleep(0)
    assert MATCH_ID in engine.timers.index


async def test_matches_without_a_clock_and_finished_ones_have_no_deadlines(engine: Engine) -> None:
    engine.timers.began(PLACE, [])
    engine.timers.see(MATCH_ID, Game().match, 1)
    assert (len(engine.timers.index), engine.told) == (0, [])
    engine.timers.see(MATCH_ID, engine.match, 1)
    assert len(engine.timers.index) == 1
    game = Game(create=founding(decision_ms=60_000))
    game.play_on()
    engine.timers.see(MATCH_ID, game.match, game.head.sequence)
    assert (len(engine.timers.index), engine.told[-1]) == (0, (MATCH_ID, None))


async def test_many_parked_matches_are_looked_at_a_few_at_a_time(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 3)
    at_work = most = 0
    done = asyncio.Event()

    async def look(match_id: str) -> tuple[Match[Any], int]:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        engine.looked.append(match_id)
        if len(engine.looked) == 20:
            done.set()
        return engine.match, 1

    timers = Timers(RULEBOOK, 1, engine.clock, engine.submit, look, lambda _match, _deadlines: None)
    timers.began(0, [f"m{number}" for number in range(20)])
    task = asyncio.create_task(timers.run())
    async with asyncio.timeout(5):
        await done.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert most == 3
