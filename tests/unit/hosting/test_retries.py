"""What is repeated, for how long; and what is said soon instead."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from ludolog.hosting.errors import LOG_UNAVAILABLE, Told, Unavailable
from ludolog.hosting.retries import LOG_PATIENCE_S, Attempts, repeated

LONG_S = 60.0
AWAY = Unavailable("the log doesn't answer", reason=LOG_UNAVAILABLE, retry_after_ms=1000)


class Clock:
    """The loop's time, moved by its sleeps."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        patch.setattr(asyncio.get_running_loop(), "time", lambda: self.now_s)
        patch.setattr(asyncio, "sleep", self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.now_s += seconds


async def test_while_the_log_is_away_whoever_asks_is_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    tries: list[float] = []

    async def attempt(left_s: float) -> None:
        tries.append(left_s)
        raise AWAY

    with pytest.raises(Unavailable) as caught:
        await repeated(attempt, LONG_S)
    assert caught.value is AWAY
    assert clock.now_s <= LOG_PATIENCE_S
    assert len(tries) > 1, "another instance may reach the log"
    assert min(tries) > LONG_S - LOG_PATIENCE_S - 0.1, "what is under way keeps its whole time"


async def test_what_is_unknown_for_another_reason_is_repeated_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    async def attempt(left_s: float) -> None:
        raise Unavailable("taking over")

    with pytest.raises(Unavailable):
        await repeated(attempt, LONG_S)
    assert clock.now_s > LONG_S - 1.0


async def test_another_instance_may_have_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    failures = [AWAY, Unavailable("taking over")]

    async def attempt(left_s: float) -> str:
        if failures:
            raise failures.pop(0)
        return "done"

    assert await repeated(attempt, LONG_S) == "done"


async def test_an_answer_is_not_repeated() -> None:
    attempts = Attempts(LONG_S)
    assert attempts.pause_s(Told(grpc.StatusCode.FAILED_PRECONDITION, "no", "GAME_OVER")) is None
    assert attempts.pause_s(Told(grpc.StatusCode.UNAVAILABLE, "perhaps")) is not None
