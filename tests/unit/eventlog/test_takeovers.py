"""The rule: which commits count, and when a stored position may be used."""

from __future__ import annotations

import pytest

from ludolog.eventlog.port import Stored
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Fence, resume
from ludolog.record.commits import Head, Proposal, UnreadableRecord, commit_record, takeover_record
from tests.unit.eventlog.instant import TOPIC, InstantLog, cause


def takeover(offset: int, nonce: bytes = b"n") -> Stored:
    return Stored(offset, None, takeover_record(nonce, "somebody"))


def commit(offset: int, under: int) -> Stored:
    value = commit_record(
        takeover_offset=under, stream_id="s", head=Head(), cause=cause("a", 1), proposal=Proposal((b"1",)), time_ms=0
    )
    return Stored(offset, b"s", value)


def test_a_commit_counts_under_the_takeover_in_force_and_no_other() -> None:
    fence = Fence(Checkpoint())
    counted = fence.count([takeover(0), commit(1, 0), takeover(2), commit(3, 0), Stored(4, None, None), commit(5, 2)])
    assert [one.offset for one in counted] == [1, 5]
    assert (fence.in_force, fence.position, fence.void_commits) == (2, 6, 1)


def test_what_isnt_ours_moves_the_position_but_marks_nothing() -> None:
    fence = Fence(Checkpoint())
    fence.count([takeover(0), Stored(1, None, None)])
    assert (fence.position, fence.checkpoint().position, fence.checkpoint().in_force) == (2, 1, 0)


def test_an_unreadable_record_stops_the_reader_where_it_is() -> None:
    fence = Fence(Checkpoint())
    with pytest.raises(UnreadableRecord):
        fence.count([takeover(0), Stored(1, None, b"\x08\x63")])
    assert fence.position == 1


async def test_a_position_is_used_only_on_the_log_that_it_was_read_on() -> None:
    log = InstantLog()
    log.rows[0] += [(None, takeover_record(b"first", "a")), (None, takeover_record(b"second", "b"))]
    fence = Fence(Checkpoint())
    fence.count(await log.read(TOPIC, 0, 0, 10))
    assert (await resume(log, TOPIC, 0, fence.checkpoint())).position == 2
    log.rows[0][1] = (None, takeover_record(b"third", "b"))
    with pytest.raises(AnotherLog):
        await resume(log, TOPIC, 0, fence.checkpoint())
    log.rows[0].clear()
    with pytest.raises(AnotherLog):
        await resume(log, TOPIC, 0, fence.checkpoint())
    assert (await resume(log, TOPIC, 0, Checkpoint())).position == 0
