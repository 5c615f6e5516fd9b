"""Every rulebook of the catalogue by itself: judging, folding, bytes, memory. No platform, no log, no clock."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from bench.figures import Beside, Figure, beside
from bench.matches import Recorded, recorded
from bench.memory import MATCH_BYTES, bytes_each
from bench.plan import Scale
from ludolog.fairness import BlockChance
from ludolog.kernel import Rulebook, fold, judge
from ludolog.record.commits import parse_record
from ludolog.record.match import Match, apply_commit
from ludolog.rulebooks import catalogue

PARTS = ("decide_evolve", "fold", "bytes_per_event", "memory_per_match")


def names() -> tuple[str, ...]:
    """`rules.<rulebook>.<part>`."""
    return tuple(f"rules.{rulebook}.{part}" for rulebook in catalogue.names() for part in PARTS)


def measure(scale: Scale) -> Iterator[Figure]:
    """All figures of all rulebooks."""
    for name in catalogue.names():
        rulebook = catalogue.load(name)
        matches = recorded(rulebook, scale.of(100, 4))
        rounds = scale.of(15, 3)
        decided = decide_evolve(rulebook, matches, rounds)
        yield Figure(f"rules.{name}.decide_evolve", decided.ours, "commands/s", "evolving alone", decided.ratio)
        folded = cold_fold(rulebook, matches, rounds)
        yield Figure(f"rules.{name}.fold", folded.ours, "events/s", "parsing the records alone", folded.ratio)
        yield _size(rulebook, matches)
        yield _memory(rulebook, scale)


def decide_evolve(rulebook: Rulebook[Any], matches: list[Recorded], rounds: int) -> Beside:
    """Commands a second: judged, draws included, and what they give folded. Beside folding alone what they gave."""
    judged = partial(judge_and_fold, rulebook, matches)
    return beside(judged, partial(_fold_again, rulebook, matches), rounds)


def judge_and_fold(rulebook: Rulebook[Any], matches: list[Recorded]) -> int:
    """Play every match again; return how many commands there were."""
    for match in matches:
        game, seats = match.opening, match.seats
        for step in match.steps:
            game = fold(rulebook, game, judge(rulebook, game, step.cause, seats, BlockChance(step.block)))
    return sum(len(match.steps) for match in matches)


def _fold_again(rulebook: Rulebook[Any], matches: list[Recorded]) -> int:
    for match in matches:
        game = match.opening
        for step in match.steps:
            game = fold(rulebook, game, step.events)
    return sum(len(match.steps) for match in matches)


def cold_fold(rulebook: Rulebook[Any], matches: list[Recorded], rounds: int) -> Beside:
    """Events a second from stored records to states. Beside parsing the same records and doing nothing with them."""
    return beside(partial(fold_records, rulebook, matches), partial(_parse, matches), rounds)


def fold_records(rulebook: Rulebook[Any], matches: list[Recorded]) -> int:
    """Fold every match from its stored records; return how many events there were."""
    count = 0
    for recording in matches:
        match: Match[Any] = Match(game=rulebook.blank)
        for record in recording.records:
            commit = parse_record(record).commit
            match = apply_commit(rulebook, match, commit)
            count += len(commit.events)
    return count


def _parse(matches: list[Recorded]) -> int:
    return sum(len(parse_record(record).commit.events) for match in matches for record in match.records)


def _size(rulebook: Rulebook[Any], matches: list[Recorded]) -> Figure:
    """Bytes of a record for each of its events, beside the bytes that are the event's own."""
    stored = events = own = 0
    for match in matches:
        for record in match.records:
            found = parse_record(record).commit.events
            stored, events, own = stored + len(record), events + len(found), own + sum(map(len, found))
    return Figure(f"rules.{rulebook.name}.bytes_per_event", stored / events, "bytes", "the event alone", stored / own)


def _memory(rulebook: Rulebook[Any], scale: Scale) -> Figure:
    """Resident memory for each match that an engine has loaded, halfway through, in a process of its own."""
    size = bytes_each(rulebook.name, scale.of(2000, 50))
    against = f"the aim, {MATCH_BYTES:,} bytes"
    return Figure(f"rules.{rulebook.name}.memory_per_match", size, "bytes", against, size / MATCH_BYTES)
