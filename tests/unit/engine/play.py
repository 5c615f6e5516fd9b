"""A match of Tempel, commit by commit, without any service."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import BlockChance
from ludolog.kernel import Rulebook, random_command
from ludolog.record.commits import Head, commit_record, next_head, parse_record
from ludolog.record.match import Match, apply_commit, judge_cause
from ludolog.rulebooks import catalogue

RULEBOOK: Rulebook[Any] = catalogue.load("tempel_des_schreckens")
MATCH_ID = "tempel-" + "a" * 26


def founding(seats: int = 3, decision_ms: int = 0) -> log_pb2.CreateMatch:
    """What a match can be founded on."""
    create = log_pb2.CreateMatch(
        rulebook=RULEBOOK.name,
        seats=[log_pb2.SeatedPlayer(seat=n, player_id=f"p-{n}", entropy=bytes([n]) * 16) for n in range(1, seats + 1)],
        commitment=b"c" * 32,
        key_id="k1",
    )
    create.decision_time.FromMilliseconds(decision_ms)
    return create


def cause_of(actor: str, command_id: str, body: log_pb2.MatchCause) -> log_pb2.Cause:
    return log_pb2.Cause(actor=actor, command_id=command_id, body=body.SerializeToString(deterministic=True))


@dataclass
class Game:
    """Folds what it judges; blocks are as good as any."""

    create: log_pb2.CreateMatch = field(default_factory=founding)
    match: Match[Any] = field(default_factory=lambda: Match(RULEBOOK.blank))
    head: Head = field(default_factory=Head)
    steps: list[tuple[Match[Any], log_pb2.Commit, Match[Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.do("matchmaking", log_pb2.MatchCause(create=self.create))

    def do(self, actor: str, body: log_pb2.MatchCause) -> log_pb2.Commit:
        """Judge and fold a cause."""
        chance = BlockChance(bytes([self.match.blocks_drawn + 1]) * 32)
        proposal = judge_cause(RULEBOOK, self.match, body, chance)
        record = commit_record(
            takeover_offset=0,
            stream_id=MATCH_ID,
            head=self.head,
            cause=cause_of(actor, f"c{self.head.sequence}", body),
            proposal=proposal,
            time_ms=1_000_000 + self.head.sequence,
        )
        commit = parse_record(record).commit
        before, self.match = self.match, apply_commit(RULEBOOK, self.match, commit)
        self.head = next_head(record, commit)
        self.steps.append((before, commit, self.match))
        return commit

    def move_cause(self) -> log_pb2.MatchCause:
        """A random legal move of whoever is to decide."""
        seat = RULEBOOK.awaiting(self.match.game)[0].seat
        legal = RULEBOOK.legal_commands(self.match.game, seat)
        payload = random_command(RULEBOOK.view_type(), legal, seat, BlockChance(bytes(32)))
        assert payload is not None
        command = RULEBOOK.commands.encode(payload)
        return log_pb2.MatchCause(command=log_pb2.SeatCommand(seat=seat, command=command))

    def move(self) -> log_pb2.Commit:
        body = self.move_cause()
        return self.do(f"seats/{body.command.seat}", body)

    def play_on(self) -> None:
        """Random moves to the end."""
        while self.match.outcome is None:
            self.move()
