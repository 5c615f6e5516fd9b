"""Matches of random players, recorded once and measured many times: their commands, states and stored records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import block
from ludolog.kernel import Cause, Commanded, Resigned, Rulebook, Seat, TimedOut
from ludolog.record.commits import parse_record
from ludolog.record.match import Match, apply_commit, block_request
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of
from ludolog.testkit.playing import Players, play

ENOUGH_STEPS = 4000
"""A match of one game has as many commands as fifty of another: both are measured for seconds."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a match as the rules see it, and what they said."""

    cause: Cause
    block: bytes | None
    events: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match: its records as stored, and the steps after its opening, which begin in `opening`."""

    seats: int
    opening: Any
    steps: tuple[Step, ...]
    records: tuple[bytes, ...]


def recorded(rulebook: Rulebook[Any], most: int) -> list[Recorded]:
    """Matches of random players over all numbers of seats, the same in every run: so many, or enough commands."""
    found: list[Recorded] = []
    steps = 0
    while len(found) < most and (steps < ENOUGH_STEPS or len(found) < len(rulebook.seats)):
        found.append(_recorded(rulebook, len(found)))
        steps += len(found[-1].steps)
    return found


def _recorded(rulebook: Rulebook[Any], number: int) -> Recorded:
    seats = rulebook.seats[number % len(rulebook.seats)]
    match_id = match_id_of(rulebook.name, "bench", number)
    table = Table(rulebook, Setting(match_id, seats, rulebook.options_type(), digest_of("bench")))
    bots = {Seat(seat): rulebook.bots["random"] for seat in range(1, seats + 1)}
    play(table, Players.seeded(bots, f"bench/{number}"))
    return _taken_apart(rulebook, table, seats)


def _taken_apart(rulebook: Rulebook[Any], table: Table, seats: int) -> Recorded:
    match: Match[Any] = Match(game=rulebook.blank)
    steps, opening = [], rulebook.blank
    for record in table.records:
        commit = parse_record(record).commit
        body = log_pb2.MatchCause.FromString(commit.cause.body)
        if body.HasField("create"):
            match = apply_commit(rulebook, match, commit)
            opening = match.game
            continue
        drawn = None
        if commit.draw_index:
            wanted = block_request(match, body)
            drawn = block(table.seed, table.setting.match_id, wanted.index, wanted.entropy_digest)
        events = tuple(rulebook.events.decode_event(data) for data in commit.events)
        steps.append(Step(_cause(rulebook, body), drawn, events))
        match = apply_commit(rulebook, match, commit)
    return Recorded(seats, opening, tuple(steps), tuple(table.records))


def _cause(rulebook: Rulebook[Any], body: log_pb2.MatchCause) -> Cause:
    if body.HasField("command"):
        payload = rulebook.commands.decode_command(body.command.command)
        return Commanded(Seat(body.command.seat), payload, body.command.decision_id)
    if body.HasField("timed_out"):
        return TimedOut(body.timed_out.decision_id, Seat(body.timed_out.seat))
    return Resigned(Seat(body.resigned.seat))
