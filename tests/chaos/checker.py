"""Whether what clients were told, the log, the archive and the exported records can all be true together. Pure.

The log is the truth: of it only what counts is handed in, read by the one rule (docs/protocol.md).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.chaos.history import History, Journal

OVERTAKEN = frozenset({"STALE_DECISION", "GAME_OVER", "MATCH_OVER"})
"""Refusals of a legal command that somebody else, or a clock, was quicker with."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that counts."""

    sequence: int
    actor: str
    command_id: str
    digest: bytes
    previous: bytes
    commit_ms: int
    ends: bool = False


@dataclass(slots=True)
class Evidence:
    """What was found when all was over."""

    log: Mapping[str, Sequence[Committed]]
    """Matches, commits in the order of the log."""
    lobby: Mapping[str, Sequence[Committed]] = field(default_factory=dict)
    """The same of matchmaking's tables and queues."""
    archive: Mapping[str, Sequence[tuple[int, bytes]]] = field(default_factory=dict)
    """(sequence number, digest) of what the archive has of each match."""
    records: Mapping[str, str] = field(default_factory=dict)
    """Matches whose record was verified: "" where it holds, else what doesn't."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must not be."""

    rule: str
    where: str
    what: str


def check(history: History, evidence: Evidence) -> list[Violation]:
    """Every violation; none means that nothing acknowledged was lost or doubled, and everybody saw the same."""
    return [
        *_streams(evidence.log),
        *_streams(evidence.lobby),
        *(Violation("trouble", "clients", trouble) for trouble in history.troubles),
        *_promises(history, evidence),
        *(found for journal in history.journals for found in _commands(journal, evidence)),
        *(found for journal in history.journals for found in _updates(journal, evidence)),
        *_views(history),
        *_archive(evidence),
        *_records(evidence),
    ]


def _streams(log: Mapping[str, Sequence[Committed]]) -> Iterator[Violation]:
    """Numbers without gaps, an unbroken chain, every command once, nothing after the end."""
    for stream, commits in log.items():
        numbers = [commit.sequence for commit in commits]
        if numbers != list(range(1, len(commits) + 1)):
            yield Violation("log-gap", stream, f"its commits are numbered {numbers}")
        for before, after in pairwise(commits):
            if after.previous != before.digest:
                yield Violation("log-chain", stream, f"commit {after.sequence} doesn't continue {before.sequence}")
            if before.ends:
                yield Violation("after-end", stream, f"commit {after.sequence} comes after the end")
        for (actor, command_id), times in Counter((c.actor, c.command_id) for c in commits).items():
            if times > 1:
                yield Violation("doubled", stream, f"{actor} {command_id} counts {times} times")


def _promises(history: History, evidence: Evidence) -> Iterator[Violation]:
    for match in history.promised:
        if not evidence.log.get(match):
            yield Violation("lost-match", match, "its table named it, and the log has nothing of it")


def _commands(journal: Journal, evidence: Evidence) -> Iterator[Violation]:
    """What was acknowledged is there, once, at its number; what was refused isn't."""
    commits = evidence.log.get(journal.match, ())
    found = {c.command_id: c.sequence for c in commits if c.actor == journal.audience}
    where = f"{journal.match} {journal.audience}"
    for command_id, command in journal.commands.items():
        for answer in command.answers:
            there = found.get(command_id)
            if answer.sequence and there is None:
                yield Violation("lost", where, f"{command_id} was acknowledged as {answer.sequence}")
            elif answer.sequence and answer.sequence != there:
                yield Violation("moved", where, f"{command_id} was acknowledged as {answer.sequence} and is {there}")
            elif answer.refused and there is not None:
                yield Violation("refused-applied", where, f"{command_id} was refused ({answer.refused}) and is {there}")
            elif answer.refused and answer.refused not in OVERTAKEN:
                yield Violation("refused", where, f"{command_id} was legal, and refused: {answer.refused}")
        if not command.answers and not journal.failed:
            yield Violation("unanswered", where, f"{command_id} never got an answer")


def _updates(journal: Journal, evidence: Evidence) -> Iterator[Violation]:
    """Every number once, in order, up to the end; nothing that isn't in the log."""
    where = f"{journal.match} {journal.audience}"
    if journal.failed:
        yield Violation("cut-off", where, journal.failed)
    times = {commit.sequence: commit.commit_ms for commit in evidence.log.get(journal.match, ())}
    last = 0
    for seen in journal.seen:
        if seen.snapshot:
            if seen.sequence < last:
                yield Violation("backwards", where, f"a snapshot of {seen.sequence} after {last}")
        elif seen.sequence <= last:
            yield Violation("repeat", where, f"{seen.sequence} came after {last}")
        elif seen.sequence != last + 1:
            yield Violation("gap", where, f"{seen.sequence} came after {last}")
        if times.get(seen.sequence) != seen.commit_ms:
            yield Violation("void-shown", where, f"{seen.sequence} isn't what the log has")
        last = max(last, seen.sequence)
    if not journal.failed and (last != max(times, default=0) or not journal.over()):
        yield Violation("unfinished", where, f"the last update was {last}, and the log goes to {max(times, default=0)}")


def _views(history: History) -> Iterator[Violation]:
    """The same audience is shown the same."""
    shown: defaultdict[tuple[str, str, int], set[bytes]] = defaultdict(set)
    for journal in history.journals:
        for seen in journal.seen:
            if not seen.snapshot:
                shown[journal.match, journal.audience, seen.sequence].add(seen.content)
    for (match, audience, sequence), contents in shown.items():
        if len(contents) > 1:
            yield Violation("disagree", f"{match} {audience}", f"update {sequence} was shown in {len(contents)} ways")


def _archive(evidence: Evidence) -> Iterator[Violation]:
    for match in evidence.log.keys() | evidence.archive.keys():
        written = [(commit.sequence, commit.digest) for commit in evidence.log.get(match, ())]
        kept = list(evidence.archive.get(match, ()))
        if written != kept:
            yield Violation("archive", match, f"it keeps {len(kept)} commits, not the {len(written)} of the log")


def _records(evidence: Evidence) -> Iterator[Violation]:
    for match, commits in evidence.log.items():
        if not commits or not commits[-1].ends:
            yield Violation("unended", match, "nobody ended it")
        elif (problem := evidence.records.get(match, "wasn't exported")) != "":
            yield Violation("record", match, problem)
