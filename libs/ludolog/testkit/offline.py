"""A match without a platform: real causes, real blocks, real commits, no log and no clock.

`Table` is for whoever drives a match step by step (simulations, the contract suite, golden matches).
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import BlockChance, block, commitment, derive_seed
from ludolog.kernel import Refusal, Resigned, Rulebook, Seat, TimedOut
from ludolog.record.commits import Head, Proposal, commit_record, next_head, parse_record
from ludolog.record.match import Match, apply_commit, block_request, judge_cause
from ludolog.rulebooks.catalogue import CATALOGUE

KEY_ID = "offline"
FIRST_COMMIT_MS = 1_700_000_000_000
STEP_MS = 1_000


def digest_of(*parts: object) -> bytes:
    """32 bytes that are a function of the parts: ids, keys and entropy of offline matches."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


def match_id_of(rulebook: str, *parts: object) -> str:
    """A match id that is a function of the parts."""
    letters = base64.b32encode(digest_of("match", rulebook, *parts)).decode().lower()
    return f"{CATALOGUE[rulebook]}-{letters[:26]}"


@dataclass(frozen=True, slots=True)
class Setting:
    """What an offline match is made of: every byte of it follows from these and the commands."""

    match_id: str
    seats: int
    options: Message
    master_key: bytes

    @property
    def seed(self) -> bytes:
        """The match's seed, 32 bytes."""
        return derive_seed(self.master_key, self.match_id)

    def founding(self, rulebook: Rulebook[Any]) -> log_pb2.CreateMatch:
        """The founding, as matchmaking would write it."""
        seats = [
            log_pb2.SeatedPlayer(
                seat=seat, player_id=f"p-{seat}", entropy=digest_of("entropy", self.match_id, seat)[:16]
            )
            for seat in range(1, self.seats + 1)
        ]
        return log_pb2.CreateMatch(
            rulebook=rulebook.name,
            options=self.options.SerializeToString(deterministic=True),
            seats=seats,
            commitment=commitment(self.seed),
            key_id=KEY_ID,
            spectator_policy=log_pb2.SPECTATOR_POLICY_PUBLIC,
        )


class Table:
    """A match under way. `records` holds the stored commits where they are kept; else only the state moves on."""

    def __init__(self, rulebook: Rulebook[Any], setting: Setting, *, keep: bool = True) -> None:
        """Found the match. Raises Refusal for options and seats that the book doesn't allow.

        Without `keep`, commits are folded without being serialised and chained: the same states, faster.
        """
        self.rulebook = rulebook
        self.setting = setting
        self.seed = setting.seed
        self.match: Match[Any] = Match(game=rulebook.blank)
        self.head = Head()
        self.records: list[bytes] = []
        self._keep = keep
        self.commit(log_pb2.MatchCause(create=setting.founding(rulebook)), "matchmaking", f"create:{setting.match_id}")

    @property
    def game(self) -> Any:
        """The rulebook's state."""
        return self.match.game

    def judge(self, cause: log_pb2.MatchCause) -> Proposal:
        """Judge a cause without committing it. Raises Refusal."""
        wanted = block_request(self.match, cause)
        found = block(self.seed, self.setting.match_id, wanted.index, wanted.entropy_digest)
        return judge_cause(self.rulebook, self.match, cause, BlockChance(found))

    def commit(self, body: log_pb2.MatchCause, actor: str, command_id: str) -> log_pb2.Commit:
        """Judge a cause and fold it. Raises Refusal, and then nothing has changed."""
        proposal = self.judge(body)
        cause = log_pb2.Cause(actor=actor, command_id=command_id, body=body.SerializeToString(deterministic=True))
        if self._keep:
            record = commit_record(
                takeover_offset=0,
                stream_id=self.setting.match_id,
                head=self.head,
                cause=cause,
                proposal=proposal,
                time_ms=FIRST_COMMIT_MS + STEP_MS * self.head.sequence,
            )
            commit = parse_record(record).commit
            self.head = next_head(record, commit)
            self.records.append(record)
        else:
            commit = _unchained(self.head.sequence + 1, cause, proposal)
            self.head = Head(commit.sequence)
        self.match = apply_commit(self.rulebook, self.match, commit)
        return commit

    def command(self, seat: Seat, payload: Message, decision_id: str = "") -> log_pb2.Commit:
        """Submit a seat's command."""
        return self.commit(
            self.command_cause(seat, payload, decision_id), f"seats/{seat}", f"c{self.head.sequence + 1}"
        )

    def command_cause(self, seat: Seat, payload: Message, decision_id: str = "") -> log_pb2.MatchCause:
        """A seat's command as a cause."""
        data = self.rulebook.commands.encode(payload)
        return log_pb2.MatchCause(command=log_pb2.SeatCommand(seat=seat, command=data, decision_id=decision_id))

    def happen(self, cause: TimedOut | Resigned) -> log_pb2.Commit:
        """Let a deadline pass or a seat resign."""
        if isinstance(cause, TimedOut):
            body = log_pb2.MatchCause(timed_out=log_pb2.TimedOut(decision_id=cause.decision_id, seat=cause.seat))
            return self.commit(body, "engine", f"timeout:{self.head.sequence}:{cause.decision_id}")
        body = log_pb2.MatchCause(resigned=log_pb2.Resigned(seat=cause.seat))
        return self.commit(body, f"seats/{cause.seat}", f"c{self.head.sequence + 1}")

    def accepts(self, cause: log_pb2.MatchCause) -> bool:
        """True if the cause would be accepted now."""
        try:
            self.judge(cause)
        except Refusal:
            return False
        return True


def _unchained(sequence: int, cause: log_pb2.Cause, proposal: Proposal) -> log_pb2.Commit:
    """The parts of a commit that folding looks at."""
    return log_pb2.Commit(
        sequence=sequence,
        cause=cause,
        events=proposal.events,
        draw_index=proposal.draw_index,
        rules_version=proposal.rules_version,
        content_digest=proposal.content_digest,
        ending=proposal.ending,
    )
