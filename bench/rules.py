"""The rules by themselves: `python -m bench.rules`. Each figure stands beside a floor measured in the same run.

Matches of random players are made first; what is timed is judging their commands again, and folding their records.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import BlockChance, BlockNeeded, block
from ludolog.kernel import Rulebook, Seat
from ludolog.record.commits import parse_record
from ludolog.record.match import Match, apply_commit, block_request, judge_cause
from ludolog.rulebooks import catalogue
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of
from ludolog.testkit.playing import Players, play

MATCHES = 100
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `value` in `unit`; `ratio` to what is named by `against`, from the same run."""

    name: str
    value: float
    unit: str
    against: str
    ratio: float


def played(rulebook: Rulebook[Any]) -> list[Table]:
    """Matches of random players, over all numbers of seats."""
    tables = []
    for number in range(MATCHES):
        seats = rulebook.seats[number % len(rulebook.seats)]
        match_id = match_id_of(rulebook.name, "bench", number)
        setting = Setting(match_id, seats, rulebook.options_type(), digest_of("bench"))
        table = Table(rulebook, setting)
        bots = {Seat(seat): rulebook.bots["random"] for seat in range(1, seats + 1)}
        play(table, Players.seeded(bots, f"bench/{number}"))
        tables.append(table)
    return tables


def judge_again(rulebook: Rulebook[Any], tables: list[Table]) -> int:
    """Judge every command and fold what it gives; return how many there were."""
    count = 0
    for table in tables:
        match: Match[Any] = Match(game=rulebook.blank)
        for record in table.records:
            commit = parse_record(record).commit
            cause = log_pb2.MatchCause.FromString(commit.cause.body)
            try:
                judge_cause(rulebook, match, cause, BlockChance(None))
            except BlockNeeded:
                wanted = block_request(match, cause)
                found = block(table.seed, table.setting.match_id, wanted.index, wanted.entropy_digest)
                judge_cause(rulebook, match, cause, BlockChance(found))
            match = apply_commit(rulebook, match, commit)
            count += 1
    return count


def fold(rulebook: Rulebook[Any], tables: list[Table]) -> int:
    """Fold every match from its stored bytes; return how many events there were."""
    count = 0
    for table in tables:
        match: Match[Any] = Match(game=rulebook.blank)
        for record in table.records:
            commit = parse_record(record).commit
            match = apply_commit(rulebook, match, commit)
            count += len(commit.events)
    return count


def parse(tables: list[Table]) -> int:
    """The floor of folding: parse every record and do nothing; return how many events there were."""
    return sum(len(parse_record(record).commit.events) for table in tables for record in table.records)


def rate(work: Callable[[], int]) -> float:
    """The best of a few rounds, a second."""
    best = 0.0
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        count = work()
        best = max(best, count / (time.perf_counter() - begin))
    return best


def measure() -> list[Figure]:
    """All figures of all rulebooks."""
    figures = []
    for name in catalogue.names():
        rulebook = catalogue.load(name)
        tables = played(rulebook)
        parsed = rate(lambda tables=tables: parse(tables))  # type: ignore[misc]
        judged = rate(lambda rulebook=rulebook, tables=tables: judge_again(rulebook, tables))  # type: ignore[misc]
        folded = rate(lambda rulebook=rulebook, tables=tables: fold(rulebook, tables))  # type: ignore[misc]
        events = parse(tables)
        size = sum(len(record) for table in tables for record in table.records) / events
        figures += [
            Figure(f"{name}.judge", judged, "commands/s", "folding", judged / folded),
            Figure(f"{name}.fold", folded, "events/s", "parsing alone", folded / parsed),
            Figure(f"{name}.size", size, "bytes/event", "", 1.0),
        ]
    return figures
