"""Legal means listed: what is listed is accepted, whatever else is refused and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import LegalCommand, Refusal, Seat, wire
from ludolog.kernel.players import fill
from ludolog.record.match import Match
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.legality import covers, listed
from ludolog.testkit.offline import Table
from tests.contract.fuzz import near, noise, wild
from tests.contract.matches import CASES, Case, bench_of, everywhere, some, walks

FUZZED = 20_000
FILLED_IN = 2


def entries_of(case: Case, match: Match[Any]) -> dict[Seat, tuple[LegalCommand, ...]]:
    seats = map(Seat, range(1, case.seats + 1))
    return {seat: case.rulebook.legal_commands(match.game, seat) for seat in seats}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_listed_command_is_accepted(case: Case) -> None:
    chance = SeededChance(f"listed/{case}")
    for walk, match in everywhere(case, per_walk=12):
        table = bench_of(case, match, walk)
        for seat, entries in entries_of(case, match).items():
            for entry in some(list(entries), 25):
                for _ in range(FILLED_IN if entry.parameters else 1):
                    command = fill(entry, chance)
                    assert covers(entry, command)
                    table.judge(table.command_cause(seat, command, entry.decision_id))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_command_is_accepted_if_and_only_if_it_is_listed(case: Case) -> None:
    chance = SeededChance(f"unlisted/{case}")
    refused = 0
    for walk, match in everywhere(case, per_walk=12):
        table = bench_of(case, match, walk)
        legal = entries_of(case, match)
        every = [entry for entries in legal.values() for entry in entries]
        for seat, entries in legal.items():
            for command in [*(near(every, chance) for _ in range(6)), *(fill(e, chance) for e in some(every, 6))]:
                wanted = listed(entries, command)
                assert table.accepts(table.command_cause(seat, command)) == wanted, (seat, command, wanted)
                refused += not wanted
            assert table.match is match
    assert refused, "nothing was refused: the test asks the wrong questions"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_lists_travel(case: Case) -> None:
    for _, match in everywhere(case, per_walk=3):
        for entries in entries_of(case, match).values():
            for entry in entries:
                assert wire.legal_command_from(case.rulebook, wire.legal_command(case.rulebook, entry)) == entry


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_open_decision_belongs_to_somebody_who_can_make_it(case: Case) -> None:
    for _, match in everywhere(case, per_walk=20):
        decisions = case.rulebook.awaiting(match.game)
        assert decisions, "the match goes on, and nobody is to decide anything"
        for decision in decisions:
            entries = case.rulebook.legal_commands(match.game, decision.seat)
            assert any(entry.decision_id == decision.decision_id for entry in entries), decision
        assert len({decision.decision_id for decision in decisions}) == len(decisions)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_open_decision_has_a_default(case: Case) -> None:
    for walk, match in everywhere(case, per_walk=20):
        table = bench_of(case, match, walk)
        for decision in case.rulebook.awaiting(match.game):
            timed_out = log_pb2.TimedOut(decision_id=decision.decision_id, seat=decision.seat)
            table.judge(log_pb2.MatchCause(timed_out=timed_out))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_stale_decision_is_refused(case: Case) -> None:
    for walk, match in everywhere(case, per_walk=5):
        table = bench_of(case, match, walk)
        for decision in case.rulebook.awaiting(match.game):
            entry = case.rulebook.legal_commands(match.game, decision.seat)[0]
            command = fill(entry, SeededChance("stale"))
            with pytest.raises(Refusal) as refused:
                table.judge(table.command_cause(decision.seat, command, "another-decision"))
            assert refused.value.reason == "STALE_DECISION"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_finished_match_accepts_nothing(case: Case) -> None:
    for walk in walks(case):
        table, rulebook = walk.table, case.rulebook
        assert rulebook.awaiting(table.game) == ()
        for seat in range(1, case.seats + 1):
            assert rulebook.legal_commands(table.game, Seat(seat)) == ()
            resigned = log_pb2.MatchCause(resigned=log_pb2.Resigned(seat=seat))
            for cause in (resigned, *(moment.cause for moment in walk.moments[1:])):
                with pytest.raises(Refusal, match="GAME_OVER"):
                    table.judge(cause)


@pytest.mark.parametrize("name", catalogue.names())
def test_fuzzed_commands_are_refused_or_listed_and_change_nothing(name: str) -> None:
    chance = SeededChance(f"fuzz/{name}")
    cases = [case for case in CASES if case.name == name]
    moments = [(case, walk, match) for case in cases for walk, match in everywhere(case, per_walk=6)]
    asked = 0
    while asked < FUZZED:
        for case, walk, match in moments:
            table = bench_of(case, match, walk)
            legal = entries_of(case, match)
            asked += fuzz(case, table, legal, chance)
            assert table.match is match
            assert table.rulebook.outcome(match.game) is None


def fuzz(case: Case, table: Table, legal: dict[Seat, tuple[LegalCommand, ...]], chance: SeededChance) -> int:
    """Ask some strange commands of one state. Returns how many."""
    every = [entry for entries in legal.values() for entry in entries]
    seats = [*range(1, case.seats + 1), 0, -1, case.seats + 1, 2**31 - 1]
    asked = 0
    for command in [*(near(every, chance) for _ in range(4)), *(wild(case.rulebook, chance) for _ in range(4))]:
        seat = Seat(chance.choose("seat", seats))
        accepted = table.accepts(table.command_cause(seat, command))
        assert accepted == listed(legal.get(seat, ()), command), (seat, command, accepted)
        data = case.rulebook.commands.encode(command)
        for broken in noise(data, chance):
            table.accepts(log_pb2.MatchCause(command=log_pb2.SeatCommand(seat=1, command=broken)))
            asked += 1
        asked += 1
    for seat in seats:
        table.accepts(log_pb2.MatchCause(resigned=log_pb2.Resigned(seat=seat)))
        table.accepts(log_pb2.MatchCause(timed_out=log_pb2.TimedOut(seat=seat, decision_id="nothing")))
    return asked + 2 * len(seats)
