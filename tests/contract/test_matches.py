"""Whole matches: they end within the bound, for the book's reasons, without a fault, and every record holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ludolog.kernel import SPECTATOR
from ludolog.record.verify import verify
from ludolog.rulebooks import catalogue
from ludolog.testkit.simulate import Plan, Played, simulate, summary
from tests.contract.matches import CASES, Case, walks

RANDOM, BOTS = 200, 20


def plan_for(name: str, matches: int, **changes: object) -> Plan:
    plan = Plan(rulebook=name, seats=tuple(catalogue.load(name).seats), matches=matches, seed="contract")
    return replace(plan, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("players", "matches"), [("random", RANDOM), ("mixed", BOTS // 2), ("bot", BOTS // 2)])
@pytest.mark.parametrize("name", catalogue.names())
def test_matches_end_without_a_fault(name: str, players: str, matches: int) -> None:
    results = list(simulate(plan_for(name, matches, players=players)))
    faults = [result for result in results if not isinstance(result, Played)]
    assert not faults, faults[0]
    rulebook = catalogue.load(name)
    assert {result.ending for result in results if isinstance(result, Played)} <= set(rulebook.endings)


@pytest.mark.parametrize("name", catalogue.names())
def test_every_record_holds(name: str, tmp_path: Path) -> None:
    for result in simulate(plan_for(name, 16, records=tmp_path)):
        assert isinstance(result, Played)
    records = sorted(tmp_path.iterdir())
    assert len(records) == 16
    for path in records:
        report = verify(path.read_bytes())
        assert report.holds, report


@pytest.mark.parametrize("name", catalogue.names())
def test_the_fast_path_plays_the_same_matches(name: str) -> None:
    """Without records, commits are folded without being serialised and chained."""
    rulebook = catalogue.load(name)
    fast = list(simulate(plan_for(name, 24)))
    slow = list(simulate(plan_for(name, 24, keep=True)))
    assert fast == slow
    assert summary(rulebook, fast, 0) == summary(rulebook, slow, 0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_outcome_ranks_every_seat(case: Case) -> None:
    for walk in walks(case):
        outcome = case.rulebook.outcome(walk.table.game)
        assert outcome is not None
        assert [result.seat for result in outcome.results] == list(range(1, case.seats + 1))
        assert all(result.rank >= 1 for result in outcome.results)
        assert all(result.rank == 1 for result in outcome.results if result.winner)
        for match in walk.live:
            assert case.rulebook.outcome(match.game) is None


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_table_can_be_drawn_for_everybody(case: Case) -> None:
    for walk in walks(case):
        for match in (walk.moments[0].after, walk.moments[-1].after):
            for viewer in case.viewers:
                assert case.rulebook.board_text(case.rulebook.view(match.game, viewer), 80).strip()
        assert case.rulebook.may_recall(walk.table.game, SPECTATOR) in (True, False)
