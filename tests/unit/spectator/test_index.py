"""The index of what is on, and what is kept of it."""

import msgspec
import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.keeping import Kept
from ludolog.eventlog.takeovers import Checkpoint, Counted
from ludolog.record.commits import Head, Proposal, commit_record, parse_record, record_hash
from services.spectator.index import Broken, Index, Live

ONE, TWO = "tempel-" + "a" * 26, "tempel-" + "b" * 26


class Log:
    """Writes commits of matches, one after the other."""

    def __init__(self) -> None:
        self.offset = 0
        self.heads: dict[str, Head] = {}

    def commit(self, match_id: str, *, ending: bool = False, head: Head | None = None) -> Counted:
        before = head or self.heads.get(match_id, Head())
        founding = log_pb2.CreateMatch(seats=[log_pb2.SeatedPlayer(seat=1, player_id="p1")])
        cause = log_pb2.MatchCause(create=founding if before == Head() else None)
        self.offset += 1
        record = commit_record(
            takeover_offset=0,
            stream_id=match_id,
            head=before,
            cause=log_pb2.Cause(body=cause.SerializeToString()),
            proposal=Proposal((), ending=log_pb2.Ending() if ending else None),
            time_ms=1000 * self.offset,
        )
        self.heads[match_id] = Head(before.sequence + 1, record_hash(record))
        return Counted(self.offset, parse_record(record).commit, record)


def test_a_match_is_on_from_its_first_commit_to_its_end() -> None:
    log, live = Log(), Index()
    live.add(log.commit(ONE))
    live.add(log.commit(TWO))
    live.add(log.commit(ONE))
    entry = live.get(ONE)
    assert entry is not None
    assert (entry.begins, entry.in_force, entry.seats, entry.head) == (1, 0, ((1, "p1"),), log.heads[ONE])
    assert (entry.create_ms, entry.update_ms) == (1000, 3000)
    live.add(log.commit(ONE, ending=True))
    assert [entry.match_id for entry in live] == [TWO]


def test_what_doesnt_continue_its_match_stops_it() -> None:
    log, live = Log(), Index()
    live.add(log.commit(ONE))
    live.add(log.commit(TWO))
    with pytest.raises(Broken):
        live.add(log.commit(ONE, head=Head(1, b"x" * 32)))
    stopped = live.get(ONE)
    assert stopped is not None
    assert stopped.broken
    live.add(log.commit(ONE))
    assert stopped.sequence == 1, "nothing more of it is taken"
    live.add(log.commit(TWO))


def test_a_commit_after_the_end_is_corruption() -> None:
    log, live = Log(), Index()
    live.add(log.commit(ONE, ending=True))
    with pytest.raises(Broken):
        live.add(log.commit(ONE))


def test_what_was_kept_goes_on() -> None:
    log, live = Log(), Index()
    live.add(log.commit(ONE))
    live.add(log.commit(TWO))
    kept = msgspec.msgpack.encode(Kept(Checkpoint(7, 0, b"b" * 32), list(live)))
    found = msgspec.msgpack.decode(kept, type=Kept[list[Live]])
    again = Index(found.fold)
    assert (found.checkpoint, list(again)) == (Checkpoint(7, 0, b"b" * 32), list(live))
    again.add(log.commit(ONE))
