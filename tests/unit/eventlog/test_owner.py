"""The owner on a log that does everything at once: what callers are told, and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from ludolog.eventlog.answers import BrokenStream
from ludolog.eventlog.owner import CommandIdReused, NotOwner, Owner, Stale, Unavailable
from ludolog.eventlog.port import UNKNOWN_OFFSET, AppendFailed, LogOverloaded, LogUnavailable, RecordTooLarge
from ludolog.kernel import Refusal
from ludolog.record.commits import takeover_record
from tests.unit.eventlog.instant import Rig, Sum, cause


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - the condition is another task's business
            await asyncio.sleep(0.001)


@asynccontextmanager
async def serving(rig: Rig, instance: str = "one") -> AsyncIterator[Owner[Sum]]:
    owner = rig.owner(instance)
    await owner.start()
    await until(lambda: len(owner.serving()) == len(rig.log.rows))
    try:
        yield owner
    finally:
        await owner.drain()


def quiet(rig: Rig | None = None) -> Rig:
    """An owner that doesn't look by itself."""
    return (rig or Rig()).with_limits(look_s=1000.0, publish_s=1000.0)


async def test_a_repeat_gets_the_first_receipt() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        first = await owner.submit("s", cause("a", 3))
        await owner.submit("s", cause("b", 4))
        assert (first.sequence, await owner.submit("s", cause("a", 3))) == (1, first)
        assert (await owner.confirmed("s")).state == Sum(7)
        assert rig.heard.commits == [("s", 1, 3), ("s", 2, 7)]


async def test_the_same_id_of_another_seat_is_another_command() -> None:
    async with serving(Rig()) as owner:
        assert (await owner.submit("s", cause("a", 3, "seats/1"))).sequence == 1
        assert (await owner.submit("s", cause("a", 3, "seats/2"))).sequence == 2


async def test_an_id_with_another_body_is_refused() -> None:
    async with serving(Rig()) as owner:
        await owner.submit("s", cause("a", 3))
        with pytest.raises(CommandIdReused):
            await owner.submit("s", cause("a", 4))


async def test_refusals_that_wait_together_share_one_query() -> None:
    rig = quiet()
    async with serving(rig) as owner:
        await asyncio.gather(*(owner.confirmed(f"s{n}") for n in range(20)))
        asked = rig.log.end_queries
        answers = await asyncio.gather(
            *(owner.submit(f"s{n}", cause("a", -1)) for n in range(20)), return_exceptions=True
        )
        assert all(isinstance(answer, Refusal) for answer in answers)
        assert 1 <= rig.log.end_queries - asked <= 3


async def test_a_former_owner_doesnt_refuse_but_finds_out() -> None:
    rig = quiet()
    async with serving(rig, "former") as former, serving(rig, "next") as owner:
        await owner.submit("s", cause("a", 0))
        with pytest.raises(Unavailable):
            await former.submit("s", cause("b", -1))


async def test_an_idle_owner_learns_that_it_is_displaced_and_takes_over_again() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.rows[0].append((None, takeover_record(b"n" * 16, "somebody")))
        await until(lambda: rig.heard.tenures[-2:] == ["ended 0", "began 0 []"] and len(rig.heard.tenures) >= 3)
        assert (await owner.submit("s", cause("a", 3))).sequence == 1


async def test_a_cancelled_call_neither_cancels_nor_forgets() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.hold = asyncio.Event()
        call = asyncio.create_task(owner.submit("s", cause("a", 3)))
        await until(lambda: len(rig.log.rows[0]) == 2)
        call.cancel()
        repeat = asyncio.create_task(owner.submit("s", cause("a", 3)))
        await asyncio.sleep(0)
        rig.log.hold.set()
        assert (await repeat).sequence == 1
        assert len(rig.log.rows[0]) == 2


async def test_a_call_that_is_cancelled_in_the_queue_is_dropped_unread() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.adder.gate = asyncio.Event()
        first = asyncio.create_task(owner.submit("s", cause("a", 3)))
        second = asyncio.create_task(owner.submit("s", cause("b", 4)))
        await until(lambda: rig.adder.judged == 1)
        second.cancel()
        await asyncio.wait([second])
        rig.adder.gate.set()
        await first
        assert (await owner.settled("s")).head.sequence == 1
        assert rig.adder.judged == 1


async def test_lanes_are_bounded() -> None:
    rig = Rig().with_limits(lane=2)
    async with serving(rig) as owner:
        rig.adder.gate = asyncio.Event()
        calls = [asyncio.create_task(owner.submit("s", cause(f"c{n}", 1))) for n in range(4)]
        await until(lambda: sum(call.done() for call in calls) == 2)
        assert {type(call.exception()) for call in calls if call.done()} == {LogOverloaded}
        rig.adder.gate.set()
        assert [(await call).sequence for call in calls if not call.done()] == [1, 2]


async def test_commits_of_different_streams_are_under_way_together() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.hold = asyncio.Event()
        calls = [asyncio.create_task(owner.submit(f"s{n}", cause("a", 1))) for n in range(5)]
        await until(lambda: len(rig.log.rows[0]) == 6)
        rig.log.hold.set()
        assert [(await call).sequence for call in calls] == [1] * 5


async def test_after_an_unknown_outcome_the_next_attempt_is_under_a_new_takeover() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.fail_next = AppendFailed("no answer")
        with pytest.raises(Unavailable):
            await owner.submit("s", cause("a", 3))
        await until(lambda: len(owner.serving()) == 1)
        assert (await owner.submit("s", cause("a", 3))).sequence == 1
        assert rig.heard.tenures == ["began 0 []", "ended 0", "began 0 []"]


async def test_an_acknowledgement_without_offset_is_looked_up() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.answer_next = UNKNOWN_OFFSET
        assert (await owner.submit("s", cause("a", 3))).sequence == 1
        assert owner.tally.counts["acknowledged_without_offset"] == 1


async def test_an_offset_that_was_known_already_ends_the_tenure() -> None:
    rig = quiet()
    async with serving(rig) as owner:
        rig.log.answer_next = 0
        with pytest.raises(Unavailable):
            await owner.submit("s", cause("a", 3))
        assert owner.tally.counts["ended_another_log"] == 1


async def test_what_was_not_sent_ends_nothing() -> None:
    rig = quiet()
    async with serving(rig) as owner:
        for error in (LogOverloaded("full"), RecordTooLarge("too large")):
            rig.log.fail_next = error
            with pytest.raises(type(error)):
                await owner.submit("s", cause("a", 3))
        assert (await owner.submit("s", cause("a", 3))).sequence == 1
        assert rig.heard.tenures == ["began 0 []"]


async def test_a_timer_whose_stream_has_moved_on_is_dropped_without_a_barrier() -> None:
    rig = quiet()
    async with serving(rig) as owner:
        await owner.submit("s", cause("a", 3))
        asked = rig.log.end_queries
        with pytest.raises(Stale):
            await owner.submit("s", cause("timeout:0:d", 3, "engine"), only_at_sequence=0)
        assert (await owner.submit("s", cause("timeout:1:d", 3, "engine"), only_at_sequence=1)).sequence == 2
        assert (await owner.submit("s", cause("timeout:1:d", 3, "engine"), only_at_sequence=1)).sequence == 2
        assert rig.log.end_queries == asked


async def test_a_view_is_never_older_than_asked_for() -> None:
    async with serving(Rig()) as owner:
        await owner.submit("s", cause("a", 3))
        assert (await owner.confirmed("s", 1)).head.sequence == 1
        with pytest.raises(Unavailable):
            await owner.confirmed("s", 2)
        assert (await owner.settled("nothing")).head.sequence == 0


async def test_a_hook_that_fails_hurts_nobody() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.heard.commits = None  # type: ignore[assignment]
        assert (await owner.submit("s", cause("a", 3))).sequence == 1
        assert owner.tally.counts["hook_errors"] == 1


async def test_sessions_are_bounded_and_come_back() -> None:
    rig = Rig().with_limits(sessions=10)
    async with serving(rig) as owner:
        for number in range(50):
            await owner.submit(f"s{number}", cause("a", number + 1))
        assert owner.tally.counts["unloaded"] >= 40
        assert (await owner.confirmed("s0")).state == Sum(1)
        assert await owner.submit("s0", cause("a", 1)) == (await owner.submit("s0", cause("a", 1)))


async def test_a_stream_whose_commits_dont_chain_is_said_to_be_broken() -> None:
    rig = Rig()
    async with serving(rig, "first") as owner:
        for number in range(1, 4):
            await owner.submit("s", cause(f"c{number}", number))
        await owner.submit("other", cause("a", 1))
    takeover, _, *others = rig.log.rows[0]
    rig.log.rows[0], rig.cache.values = [takeover, (None, None), *others], {}
    async with serving(rig, "second") as owner:
        with pytest.raises(BrokenStream):
            await owner.confirmed("s")
        with pytest.raises(BrokenStream):
            await owner.submit("s", cause("c5", 1))


async def test_a_barrier_that_couldnt_be_read_isnt_passed() -> None:
    rig = quiet()
    async with serving(rig) as owner:
        await owner.submit("s", cause("a", 1))
        rig.log.fail_end = LogUnavailable("away")
        with pytest.raises(Unavailable):
            await owner.settled("s")
        await until(owner.serving)
        assert (await owner.settled("s")).state == Sum(1)


async def test_handing_over_waits_for_what_is_under_way_and_takes_nothing_more() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.hold = asyncio.Event()
        call = asyncio.create_task(owner.submit("s", cause("a", 1)))
        waiting = asyncio.create_task(owner.submit("s", cause("b", 1)))
        await until(lambda: len(rig.log.rows[0]) == 2)
        revoking = asyncio.create_task(rig.log.members[0].revoke(frozenset({0})))
        with pytest.raises(NotOwner):
            await waiting
        rig.log.hold.set()
        await revoking
        assert (await call).sequence == 1


async def test_a_lost_partition_is_dropped_at_once() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        rig.log.hold = asyncio.Event()
        call = asyncio.create_task(owner.submit("s", cause("a", 1)))
        await until(lambda: len(rig.log.rows[0]) == 2)
        await rig.log.members[0].lose(frozenset({0}))
        with pytest.raises(NotOwner):
            await call
        rig.log.hold.set()


async def test_a_desk_whose_tenure_is_over_loads_nothing() -> None:
    rig = quiet()
    async with serving(rig) as owner:
        await owner.submit("s", cause("a", 1))
        desk = owner._desk("s")  # noqa: SLF001
        await rig.log.members[0].lose(frozenset({0}))
        with pytest.raises(Unavailable):
            await desk.session("t")
