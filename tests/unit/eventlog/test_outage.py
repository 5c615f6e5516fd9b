"""An owner while its log doesn't answer: nothing is taken, what is known is shown, and it goes on by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ludolog.eventlog.answers import LogAway
from ludolog.eventlog.owner import NotOwner, Unavailable
from ludolog.eventlog.port import Appender, AppendFailed, LogUnavailable, Stored
from tests.unit.eventlog.instant import InstantLog, Rig, Sum, WallClock, cause
from tests.unit.eventlog.test_owner import quiet, serving, until


class AwayLog(InstantLog):
    """A log that can go away."""

    away = False

    def _look(self) -> None:
        if self.away:
            raise LogUnavailable("nobody there")

    async def appender(self) -> Appender:
        self._look()
        return await super().appender()

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        self._look()
        return await super().read(topic, partition, offset, limit)

    async def end_offset(self, topic: str, partition: int) -> int:
        self._look()
        return await super().end_offset(topic, partition)


async def test_what_is_known_is_shown_and_nothing_is_taken_until_the_log_is_back() -> None:
    log = AwayLog()
    async with serving(Rig(log=log)) as owner:
        await owner.submit("s", cause("a", 3))
        log.away = True
        await until(lambda: owner.log_away)
        assert (await owner.confirmed("s", 1)).state == Sum(3)
        with pytest.raises(LogAway):
            await owner.submit("s", cause("b", 4))
        for stream_id, minimum in (("s", 2), ("never loaded", 0)):
            with pytest.raises(LogAway):
                await owner.confirmed(stream_id, minimum)
        with pytest.raises(LogAway):
            await owner.settled("s")
        log.away = False
        await until(owner.serving)
        assert not owner.log_away
        assert (await owner.submit("s", cause("b", 4))).sequence == 2
        assert (await owner.confirmed("s")).state == Sum(7)


async def test_what_the_group_takes_away_meanwhile_is_remembered_until_the_group_answers_again() -> None:
    log = AwayLog()
    async with serving(Rig(log=log)) as owner:
        await owner.submit("s", cause("a", 3))
        log.away = True
        await until(lambda: owner.log_away)
        await log.members[0].lose(frozenset({0}))
        assert (await owner.confirmed("s")).state == Sum(3)
        log.away = False
        # The group answers, and has given the partition to somebody else.
        await until(lambda: not owner.log_away)
        with pytest.raises(NotOwner):
            await owner.confirmed("s")


async def test_a_partition_that_comes_back_after_an_outage_goes_on_from_what_is_remembered() -> None:
    log = AwayLog()
    # Long between two looks, so that the partition is back before the group's answer is looked at.
    async with serving(quiet(Rig(log=log))) as owner:
        await owner.submit("s", cause("a", 3))
        log.fail_next, log.away = AppendFailed("no answer"), True
        with pytest.raises(Unavailable):
            await owner.submit("s", cause("b", 4))
        await log.members[0].lose(frozenset({0}))
        log.away = False
        await log.members[0].assign(frozenset({0}))
        await until(owner.serving)
        assert (await owner.confirmed("s")).state == Sum(3)
        assert owner.tally.counts["log_scans"] == 0, "the stream was still in memory"


async def test_a_partition_that_is_lost_without_an_outage_is_forgotten() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        await owner.submit("s", cause("a", 3))
        await rig.log.members[0].lose(frozenset({0}))
        with pytest.raises(NotOwner):
            await owner.confirmed("s")


async def test_while_an_append_has_no_answer_for_long_nothing_more_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    rig, now_s = quiet(), [100.0]
    monkeypatch.setattr(WallClock, "monotonic", lambda _: now_s[0])
    async with serving(rig) as owner:
        rig.log.hold = asyncio.Event()
        first = asyncio.create_task(owner.submit("s", cause("a", 1)))
        await until(lambda: len(rig.log.rows[0]) == 2)
        now_s[0] += rig.limits.slow_s
        second = asyncio.create_task(owner.submit("t", cause("b", 1)))
        await until(lambda: len(rig.log.rows[0]) == 3)
        now_s[0] += 0.1
        with pytest.raises(LogAway):
            await owner.submit("u", cause("c", 1))
        rig.log.hold.set()
        assert [(await call).sequence for call in (first, second)] == [1, 1]
        assert (await owner.submit("u", cause("c", 1))).sequence == 1


async def test_one_append_that_fails_is_an_outage_for_a_moment_only() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.fail_next = AppendFailed("no answer")
        with pytest.raises(Unavailable):
            await owner.submit("s", cause("a", 3))
        await until(owner.serving)
        assert not owner.log_away
