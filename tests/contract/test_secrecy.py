"""Secrets stay home: nothing hidden is sent, and worlds that look alike to somebody are alike on every path."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import Refusal, Seat, Seated, Viewer, wire
from ludolog.kernel.players import fill
from ludolog.record.match import Match
from ludolog.rulebooks import catalogue
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import Table
from ludolog.testkit.scenario import happenings
from ludolog.testkit.scenario_file import read_file
from ludolog.testkit.words import legal_words, words
from tests.contract.fuzz import near
from tests.contract.matches import CASES, Case, Moment, Walk, bench_of, everywhere, facts_of, some, walks, what_if
from tests.tidy.tree import ROOT

PAIRS = 2_000
"""Pairs of worlds for each rulebook, at least."""
WHOLE, TURNS = 100, 4
"""In walks of more moments than that, each viewer imagines a world at one moment in so many, and somebody at each."""


def steps_of(case: Case, moment: Moment) -> Iterator[tuple[Any, Message, Any]]:
    """(state before, event, state after) for each event of a commit."""
    game = moment.before.game
    for data in moment.commit.events:
        event = case.rulebook.events.decode_event(data)
        after = case.rulebook.evolve(game, event)
        yield game, event, after
        game = after


def feed_bytes(case: Case, moment: Moment, viewer: Viewer) -> list[bytes]:
    """What a viewer is told of a commit, serialised."""
    rulebook = case.rulebook
    return [
        rulebook.public_events.encode(public)
        for before, event, after in steps_of(case, moment)
        for public in rulebook.feed(before, event, after, viewer)
    ]


def view_bytes(case: Case, match: Match[Any], viewer: Viewer) -> bytes:
    return case.rulebook.view(match.game, viewer).SerializeToString(deterministic=True)


def legal_bytes(case: Case, match: Match[Any], viewer: Viewer) -> list[bytes]:
    if not isinstance(viewer, Seated):
        return []
    entries = case.rulebook.legal_commands(match.game, viewer.seat)
    return [wire.legal_command(case.rulebook, entry).SerializeToString(deterministic=True) for entry in entries]


def words_of(messages: Iterable[Message]) -> set[str]:
    return {word for message in messages for word in words(message)}


def overlap(secrets: Iterable[str], seen: set[str]) -> set[str]:
    return seen.intersection(secrets)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_secrets_stand_in_no_view_feed_or_list(case: Case) -> None:
    rulebook, planted = case.rulebook, 0
    for walk in walks(case):
        for moment in walk.moments:
            steps = list(steps_of(case, moment))
            labels = words_of(wire.decisions(rulebook.awaiting(moment.after.game)))
            for viewer in case.audiences:
                secrets = rulebook.secrets(moment.after.game, viewer)
                planted += len(secrets)
                assert not overlap(secrets, words(rulebook.view(moment.after.game, viewer)))
                assert not overlap(
                    secrets, words_of(public for step in steps for public in rulebook.feed(*step, viewer))
                )
                if isinstance(viewer, Seated):
                    entries = rulebook.legal_commands(moment.after.game, viewer.seat)
                    assert not overlap(secrets, legal_words(rulebook, entries))
                assert not overlap(secrets, labels)
    assert planted or not any(rulebook.secrets(walk.live[0].game, v) for walk in walks(case) for v in case.audiences)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_secrets_stand_in_no_refusal(case: Case) -> None:
    chance = SeededChance(f"refusals/{case}")
    for walk, match in everywhere(case, per_walk=8):
        table = bench_of(case, match, walk)
        for seat in map(Seat, range(1, case.seats + 1)):
            secrets = case.rulebook.secrets(match.game, Seated(seat))
            for cause in strange_causes(case, table, seat, chance, 4):
                said = " ".join(map(str, (refusal_of(table, cause) or {}).values()))
                assert not [secret for secret in secrets if secret in said.split()]


def strange_causes(case: Case, table: Table, seat: Seat, chance: SeededChance, number: int) -> list[log_pb2.MatchCause]:
    """Commands of a seat that are likely to be refused."""
    seats = map(Seat, range(1, case.seats + 1))
    every = [entry for other in seats for entry in case.rulebook.legal_commands(table.game, other)]
    commands = [near(every, chance) for _ in range(number)] + [fill(entry, chance) for entry in some(every, number)]
    return [table.command_cause(seat, command) for command in commands]


def refusal_of(table: Table, cause: log_pb2.MatchCause) -> dict[str, Any] | None:
    """What a refusal tells; None where the cause is accepted."""
    try:
        table.judge(cause)
    except Refusal as refusal:
        return dict(facts_of(refusal))
    return None


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_imagined_world_looks_like_the_real_one(case: Case) -> None:
    chance = SeededChance(f"imagined/{case}")
    for walk in walks(case):
        for number, moment in enumerate(walk.moments):
            turns = 1 if len(walk.moments) <= WHOLE else min(TURNS, len(case.viewers))
            for viewer in case.viewers[number % turns :: turns]:
                view = case.rulebook.view(moment.after.game, viewer)
                imagined = case.rulebook.determinize(view, viewer, chance)
                assert case.rulebook.view(imagined, viewer) == view
                assert case.rulebook.awaiting(imagined) == case.rulebook.awaiting(moment.after.game)


@dataclass
class Tally:
    """How often the worlds stayed alike for their viewer, and how often a step legitimately told them apart."""

    alike: int = 0
    apart: int = 0


@pytest.mark.parametrize("name", catalogue.names())
def test_worlds_that_look_alike_are_alike_on_every_path(name: str) -> None:
    """2,000 pairs: the same view means the same lists, refusals and, while the views stay the same, the same feed."""
    chance, tally = SeededChance(f"worlds/{name}"), Tally()
    moments = [(case, *moment) for case in CASES if case.name == name for moment in everywhere(case, per_walk=6)]
    pairs = 0
    for case, walk, match in itertools.cycle(chance.shuffle("moments", moments)):
        if pairs >= PAIRS:
            break
        pairs += compare_all(case, bench_of(case, match, walk), chance, tally)
    assert tally.alike, "no step kept two worlds alike"


def compare_all(case: Case, real: Table, chance: SeededChance, tally: Tally) -> int:
    """Put a world that each audience imagines beside the real one and ask both the same. Returns how many pairs."""
    happening = chance.shuffle("what happens", list(public_causes(case, real, chance)))[:3]
    for viewer in case.audiences:
        other = bench_of(case, real.match, Walk(real, ()))
        view = case.rulebook.view(real.game, viewer)
        other.match = replace(real.match, game=case.rulebook.determinize(view, viewer, chance))
        assert view_bytes(case, other.match, viewer) == view_bytes(case, real.match, viewer)
        assert legal_bytes(case, other.match, viewer) == legal_bytes(case, real.match, viewer)
        if isinstance(viewer, Seated):
            for cause in strange_causes(case, real, viewer.seat, chance, 1):
                assert refusal_of(real, cause) == refusal_of(other, cause)
        for cause in happening:
            follow(case, real, other, cause, viewer, tally)
    return len(case.audiences)


def public_causes(case: Case, table: Table, chance: SeededChance) -> Iterator[log_pb2.MatchCause]:
    """One command of each seat that may do something, and a deadline that passes."""
    for seat in map(Seat, range(1, case.seats + 1)):
        entries = case.rulebook.legal_commands(table.game, seat)
        if entries:
            yield table.command_cause(seat, fill(chance.choose("entry", entries), chance))
    for decision in case.rulebook.awaiting(table.game)[:1]:
        timed_out = log_pb2.TimedOut(decision_id=decision.decision_id, seat=decision.seat)
        yield log_pb2.MatchCause(timed_out=timed_out)


def follow(case: Case, real: Table, other: Table, cause: log_pb2.MatchCause, viewer: Viewer, tally: Tally) -> None:
    """Do the same in both worlds. Where the viewer's views stay alike, so must everything else that it is sent."""
    moments = []
    for table in (real, other):
        try:
            moments.append(what_if(table, cause))
        except Refusal:
            return  # another seat has other cards in this world
    first, second = moments
    if view_bytes(case, first.after, viewer) != view_bytes(case, second.after, viewer):
        tally.apart += 1
        return
    tally.alike += 1
    assert feed_bytes(case, first, viewer) == feed_bytes(case, second, viewer)
    assert legal_bytes(case, first.after, viewer) == legal_bytes(case, second.after, viewer)


@pytest.mark.parametrize("name", catalogue.names())
def test_the_feed_has_an_entry_for_every_event(name: str) -> None:
    """Every type of event is met in a walk or in a scenario, and every viewer can be told of it."""
    rulebook = catalogue.load(name)
    met: set[str] = set()
    for case in (case for case in CASES if case.name == name):
        for walk in walks(case):
            for moment in walk.moments:
                met |= {event.DESCRIPTOR.full_name for _, event, _ in steps_of(case, moment)}
                for viewer in case.viewers:
                    feed_bytes(case, moment, viewer)
    for path in sorted((ROOT / "tests" / "scenarios" / name).rglob("*.yaml")):
        for scenario in read_file(path):
            for before, event, after in happenings(scenario, catalogue.load):
                met.add(event.DESCRIPTOR.full_name)
                for viewer in Case(name, scenario.seats).viewers:
                    for public in rulebook.feed(before, event, after, viewer):
                        rulebook.public_events.encode(public)
    assert met == set(rulebook.events.field_of), "an event that neither a walk nor a scenario brings about"
