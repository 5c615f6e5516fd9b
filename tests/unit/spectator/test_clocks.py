"""Which matches have deadlines to wait for."""

from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration

from ludolog.api.log.v1 import log_pb2
from ludolog.record.match import Match
from services.spectator.watching import clocked


@pytest.mark.parametrize(("time_s", "has_deadlines"), [(None, False), (0, False), (60, True)])
def test_the_table_alone_says_whether_there_is_a_clock(time_s: int | None, has_deadlines: bool) -> None:
    founding = log_pb2.CreateMatch(rulebook="tempel_des_schreckens")
    if time_s is not None:
        founding.decision_time.CopyFrom(Duration(seconds=time_s))
    assert clocked(Match(game=None, founding=founding)) is has_deadlines


def test_a_match_without_a_founding_has_no_clock() -> None:
    assert not clocked(Match(game=None))
