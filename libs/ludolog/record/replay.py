"""Playing a record again: the chain of its commits, and every command through the same door as in the match."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import BlockChance, block
from ludolog.kernel import Refusal, Rulebook, UnknownEvent
from ludolog.record.commits import Proposal, record_hash
from ludolog.record.file import MatchRecord
from ludolog.record.match import Match, apply_commit, block_request, judge_cause


class Mismatch(Exception):
    """The record says something else than what is found; `sequence` is the broken commit, 0: none in particular."""

    def __init__(self, sequence: int, problem: str) -> None:
        super().__init__(problem)
        self.sequence = sequence


class CantCheck(Exception):
    """There isn't what is needed to check this: the record neither holds nor is it broken."""


def chain(record: MatchRecord) -> str:
    """Each commit is the next one of this match and names the hash of the one before."""
    if not record.commits:
        raise Mismatch(0, "there are no commits")
    hashes = [b"", *map(record_hash, record.records)]
    links = [commit.previous_hash == before for commit, before in zip(record.commits, hashes, strict=False)]
    for sequence, commit in enumerate(record.commits, 1):
        if (commit.stream_id, commit.sequence) != (record.header.match_id, sequence):
            raise Mismatch(sequence, f"the record is commit {commit.sequence} of {commit.stream_id}")
        if not links[sequence - 1]:
            # Whatever stands between two broken links was changed; one broken link alone: what it points at was.
            alone = sequence == len(links) or links[sequence]
            broken = sequence - 1 if alone and sequence > 1 else sequence
            raise Mismatch(broken, f"commit {sequence} isn't chained to the record of commit {sequence - 1}")
    return f"{len(record.commits)} commits, each names the hash of the one before"


def founding_of(record: MatchRecord) -> log_pb2.CreateMatch:
    """What the match was founded on. Mismatch where the first commit founds none."""
    cause = _cause_of(record.commits[0])
    if cause.WhichOneof("kind") != "create":
        raise Mismatch(1, "the first commit founds no match")
    return cause.create


def replay(record: MatchRecord, rulebook: Rulebook[Any]) -> str:
    """Judge every cause again and compare. Returns how the match ended.

    Mismatch names the first commit that comes out differently; CantCheck where it was played by other rules.
    """
    match: Match[Any] = Match(game=rulebook.blank)
    asked: set[tuple[str, str]] = set()
    for sequence, commit in enumerate(record.commits, 1):
        _same_rules(rulebook, commit)
        _check_cause(commit, asked, sequence)
        proposal = _judge_again(record, rulebook, match, sequence)
        _compare(proposal, commit, sequence)
        match = apply_commit(rulebook, match, commit)
    if match.outcome is None:
        raise Mismatch(len(record.commits), "the match isn't over")
    return f"every command gives the same events again; it ended with {match.outcome.reason}"


def _same_rules(rulebook: Rulebook[Any], commit: log_pb2.Commit) -> None:
    if commit.rules_version and commit.rules_version != rulebook.rules_version:
        raise CantCheck(f"played by rules {commit.rules_version} of {rulebook.name}; here are {rulebook.rules_version}")


def _cause_of(commit: log_pb2.Commit) -> log_pb2.MatchCause:
    try:
        return log_pb2.MatchCause.FromString(commit.cause.body)
    except DecodeError:
        raise Mismatch(commit.sequence, "the cause can't be read") from None


def _check_cause(commit: log_pb2.Commit, asked: set[tuple[str, str]], sequence: int) -> None:
    """Who asked is who may: a seat for itself, the platform for the rest; and nobody's command counts twice."""
    cause = _cause_of(commit)
    kind = cause.WhichOneof("kind")
    actor = commit.cause.actor
    seat = {"command": cause.command.seat, "resigned": cause.resigned.seat}.get(kind or "", 0)
    if seat and actor != f"seats/{seat}":
        raise Mismatch(sequence, f"{actor} acted for seat {seat}")
    if not seat and actor.startswith("seats/"):
        raise Mismatch(sequence, f"{actor} did what is the platform's: {kind}")
    if (actor, commit.cause.command_id) in asked:
        raise Mismatch(sequence, f"command {commit.cause.command_id} of {actor} was done before")
    asked.add((actor, commit.cause.command_id))


def _judge_again(record: MatchRecord, rulebook: Rulebook[Any], match: Match[Any], sequence: int) -> Proposal:
    cause = _cause_of(record.commits[sequence - 1])
    try:
        found = None
        if match.founding is not None or cause.WhichOneof("kind") == "create":
            wanted = block_request(match, cause)
            found = block(record.seed, record.header.match_id, wanted.index, wanted.entropy_digest)
        return judge_cause(rulebook, match, cause, BlockChance(found))
    except Refusal as refusal:
        raise Mismatch(sequence, f"the command is refused: {refusal}") from refusal
    except UnknownEvent as error:
        raise CantCheck(str(error)) from error
    except Exception as error:  # whatever the rules stumble over, a match that was played can't hold it
        raise Mismatch(sequence, f"the rules fail on the command: {error!r}") from error


def _compare(proposal: Proposal, commit: log_pb2.Commit, sequence: int) -> None:
    if tuple(commit.events) != proposal.events:
        raise Mismatch(sequence, "the command gives other events")
    drawn = tuple((draw.purpose, draw.size, tuple(draw.values)) for draw in commit.draws)
    if drawn != tuple((draw.purpose, draw.size, draw.values) for draw in proposal.draws):
        raise Mismatch(sequence, "the seed gives other draws")
    if commit.draw_index != proposal.draw_index:
        raise Mismatch(sequence, f"block {proposal.draw_index} was to be drawn from, not {commit.draw_index}")
    stored = commit.ending if commit.HasField("ending") else None
    if (stored is None) != (proposal.ending is None) or (
        stored is not None
        and proposal.ending is not None
        and stored.SerializeToString(deterministic=True) != proposal.ending.SerializeToString(deterministic=True)
    ):
        raise Mismatch(sequence, "the match ends differently")
    if commit.rules_version != proposal.rules_version or commit.content_digest != proposal.content_digest:
        raise Mismatch(sequence, "the commit names other rules or other content")
