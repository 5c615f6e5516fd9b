"""Matches for the contract suite: random walks that also talk, let time run out and resign. Made once a process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import OMNISCIENT, SPECTATOR, Kind, Refusal, Resigned, Rulebook, Seat, Seated, TimedOut, Viewer
from ludolog.kernel.players import fill
from ludolog.record.match import Match, apply_commit
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of

WALKS = 3
RESIGN_EVERY, TIME_OUT_EVERY, TALK_EVERY = 60, 12, 5


@dataclass(frozen=True)
class Case:
    """A rulebook with a number of seats."""

    name: str
    seats: int

    def __str__(self) -> str:
        return f"{self.name}-{self.seats}"

    @property
    def rulebook(self) -> Rulebook[Any]:
        return catalogue.load(self.name)

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        return (*(Seated(Seat(seat)) for seat in range(1, self.seats + 1)), SPECTATOR, OMNISCIENT)

    @property
    def audiences(self) -> tuple[Viewer, ...]:
        """Those from whom something is hidden."""
        return self.viewers[:-1]


CASES = [Case(name, seats) for name in catalogue.names() for seats in catalogue.load(name).seats]


@dataclass(frozen=True)
class Moment:
    """One commit of a walk, with the match before and after it."""

    before: Match[Any]
    cause: log_pb2.MatchCause
    commit: log_pb2.Commit
    after: Match[Any]


@dataclass(frozen=True)
class Walk:
    """A match from its founding to its end."""

    table: Table
    moments: tuple[Moment, ...]

    @property
    def live(self) -> list[Match[Any]]:
        """The match after each commit but the last."""
        return [moment.after for moment in self.moments[:-1]]


def option_sets(rulebook: Rulebook[Any]) -> list[Message]:
    """The default options, then one for each value of each boolean or enumerated option, others left alone."""
    sets: list[dict[str, Any]] = [{}]
    for name, schema in rulebook.options_schema.get("properties", {}).items():
        values = [True] if schema.get("type") == "boolean" else schema.get("enum", [])
        sets += [{name: value} for value in values]
    return [json_format.ParseDict(options, rulebook.options_type()) for options in sets]


def seated(case: Case, options: Message, label: object) -> Table:
    """Found a match. Raises Refusal for options that don't go with this number of seats."""
    match_id = match_id_of(case.name, "contract", case.seats, label)
    return Table(case.rulebook, Setting(match_id, case.seats, options, digest_of("contract")))


@cache
def walks(case: Case) -> tuple[Walk, ...]:
    """Some walks with the default options, and one with each other set of options."""
    default, *others = option_sets(case.rulebook)
    tables = [seated(case, default, number) for number in range(WALKS)]
    for number, options in enumerate(others):
        try:
            tables.append(seated(case, options, f"options-{number}"))
        except Refusal:
            continue  # not for this number of seats
    return tuple(walk(table, SeededChance(f"{case}/{number}")) for number, table in enumerate(tables))


def walk(table: Table, chance: SeededChance) -> Walk:
    """Play to the end. AssertionError if it takes longer than ten times the rulebook's bound."""
    blank = Match(game=table.rulebook.blank)
    first = log_pb2.Record.FromString(table.records[0]).commit
    moments = [Moment(blank, log_pb2.MatchCause.FromString(first.cause.body), first, table.match)]
    while table.match.outcome is None:
        before = table.match
        commit = _something(table, chance)
        moments.append(Moment(before, log_pb2.MatchCause.FromString(commit.cause.body), commit, table.match))
        assert len(moments) < 10 * table.rulebook.longest_match + 100, "the walk doesn't end"
    return Walk(table, tuple(moments))


def _something(table: Table, chance: SeededChance) -> log_pb2.Commit:
    seats = chance.shuffle("seats", range(1, table.setting.seats + 1))
    decisions = table.rulebook.awaiting(table.game)
    if decisions and chance.choose("time out", range(TIME_OUT_EVERY)) == 0:
        decision = chance.choose("decision", decisions)
        return table.happen(TimedOut(decision.decision_id, decision.seat))
    if chance.choose("resign", range(RESIGN_EVERY)) == 0:
        try:
            return table.happen(Resigned(Seat(seats[0])))
        except Refusal:
            pass  # it has left before
    kinds = (Kind.MOVE, Kind.TRADE, Kind.TALK)
    if chance.choose("talk", range(TALK_EVERY)) == 0:
        kinds = (Kind.TALK, Kind.TRADE, Kind.MOVE)
    for kind in kinds:
        for seat in seats:
            legal = [e for e in table.rulebook.legal_commands(table.game, Seat(seat)) if e.kind is kind]
            if legal:
                entry = chance.choose("entry", legal)
                return table.command(Seat(seat), fill(entry, chance), entry.decision_id)
    return table.happen(TimedOut(decisions[0].decision_id, decisions[0].seat))


def some(items: list[Any], number: int) -> list[Any]:
    """At most `number` of the items, spread evenly over all of them, the last one included."""
    if len(items) <= number:
        return items
    return [items[(place + 1) * len(items) // number - 1] for place in range(number)]


def bench_of(case: Case, match: Match[Any], walk_: Walk) -> Table:
    """A table that stands at an earlier moment of a walk, to ask what would happen."""
    table = Table.__new__(Table)
    table.__dict__.update(walk_.table.__dict__)
    table.match = match
    return table


def what_if(table: Table, cause: log_pb2.MatchCause) -> Moment:
    """What a cause would bring about, without doing it. Raises Refusal."""
    proposal = table.judge(cause)
    commit = log_pb2.Commit(sequence=2, events=proposal.events, draw_index=proposal.draw_index, ending=proposal.ending)
    return Moment(table.match, cause, commit, apply_commit(table.rulebook, table.match, commit))


def facts_of(refusal: Refusal) -> Mapping[str, Any]:
    """Everything that a refusal tells."""
    return {"reason": refusal.reason, "section": refusal.section, **refusal.facts}


def everywhere(case: Case, per_walk: int) -> Iterator[tuple[Walk, Match[Any]]]:
    """Some live moments of every walk."""
    for walk_ in walks(case):
        for match in some(walk_.live, per_walk):
            yield walk_, match
