"""Deadlines: full time when a decision opens, kept while it stays open, handed out once for each commit."""

import pytest

from ludolog.kernel import Decision, Label, Seat
from services.engine.deadlines import COMPACT_ABOVE, DeadlineIndex, Due

MATCH = "toy-" + "a" * 26


def decision(decision_id: str, seat: int = 1) -> Decision:
    return Decision(decision_id, Seat(seat), Label("decide", "Decide"))


@pytest.fixture
def index() -> DeadlineIndex:
    return DeadlineIndex()


def test_a_decision_has_its_full_time_from_when_it_opens(index: DeadlineIndex) -> None:
    index.see(MATCH, 1, [decision("open:1", 2)], time_ms=5000, now_s=100.0, now_ms=1_000_000)
    assert index.next_due_s() == 105.0
    assert index.pop_due(104.9, 10) == []
    assert index.pop_due(105.0, 10) == [Due(MATCH, 1, "open:1", 2)]
    assert index.pop_due(200.0, 10) == []


def test_talk_in_between_doesnt_move_a_deadline_but_its_commit_is_named(index: DeadlineIndex) -> None:
    index.see(MATCH, 1, [decision("open:1")], 5000, 100.0, 1_000_000)
    index.see(MATCH, 2, [decision("open:1")], 5000, 103.0, 1_003_000)
    found = index.of(MATCH)
    assert found is not None
    assert (found.sequence, found.at_ms) == (2, {"open:1": 1_005_000})
    assert index.pop_due(105.0, 10) == [Due(MATCH, 2, "open:1", 1)]


def test_a_default_that_lost_against_talk_is_handed_out_again_at_once(index: DeadlineIndex) -> None:
    index.see(MATCH, 1, [decision("open:1")], 5000, 100.0, 1_000_000)
    assert index.pop_due(105.0, 10) == [Due(MATCH, 1, "open:1", 1)]
    index.see(MATCH, 2, [decision("open:1")], 5000, 105.1, 1_005_100)
    assert index.pop_due(105.1, 10) == [Due(MATCH, 2, "open:1", 1)]


def test_a_decision_that_was_made_isnt_due_and_the_next_one_has_its_own_time(index: DeadlineIndex) -> None:
    index.see(MATCH, 1, [decision("open:1")], 5000, 100.0, 1_000_000)
    index.see(MATCH, 2, [decision("open:2")], 5000, 104.0, 1_004_000)
    assert index.pop_due(105.0, 10) == []
    assert index.pop_due(109.0, 10) == [Due(MATCH, 2, "open:2", 1)]


def test_a_forgotten_match_is_never_due(index: DeadlineIndex) -> None:
    index.see(MATCH, 1, [decision("open:1"), decision("open:2", 2)], 5000, 100.0, 1_000_000)
    assert len(index) == 2
    index.forget(MATCH)
    assert (len(index), MATCH in index, index.of(MATCH)) == (0, False, None)
    assert index.pop_due(1000.0, 10) == []


def test_after_a_takeover_a_decision_has_its_full_time_again(index: DeadlineIndex) -> None:
    index.see(MATCH, 1, [decision("open:1")], 5000, 100.0, 1_000_000)
    index.forget(MATCH)
    index.see(MATCH, 1, [decision("open:1")], 5000, 104.0, 1_004_000)
    assert index.pop_due(108.9, 10) == []
    assert index.pop_due(109.0, 10) == [Due(MATCH, 1, "open:1", 1)]


def test_a_failed_attempt_is_repeated_unless_the_match_has_moved_on(index: DeadlineIndex) -> None:
    index.see(MATCH, 1, [decision("open:1")], 5000, 100.0, 1_000_000)
    [due] = index.pop_due(105.0, 10)
    index.again(due, 106.0)
    assert index.pop_due(105.9, 10) == []
    assert index.pop_due(106.0, 10) == [due]
    index.see(MATCH, 2, [decision("open:2")], 5000, 106.5, 1_006_500)
    index.again(due, 107.0)
    assert index.pop_due(107.0, 10) == []


def test_decisions_made_in_time_leave_nothing_behind(index: DeadlineIndex) -> None:
    for sequence in range(1, 5 * COMPACT_ABOVE):
        index.see(MATCH, sequence, [decision(f"open:{sequence}")], 2_592_000_000, float(sequence), sequence)
    assert len(index) == 1
    assert len(index._heap) <= COMPACT_ABOVE + 3  # noqa: SLF001 - nothing else shows what it holds on to


def test_no_more_are_handed_out_than_asked_for(index: DeadlineIndex) -> None:
    for number in range(5):
        index.see(f"toy-{number}", 1, [decision("open:1")], 1000, float(number), 0)
    assert [due.match_id for due in index.pop_due(100.0, 3)] == ["toy-0", "toy-1", "toy-2"]
    assert [due.match_id for due in index.pop_due(100.0, 3)] == ["toy-3", "toy-4"]
