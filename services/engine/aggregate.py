"""Matches, as the owner of a partition sees them: blank, fold, judge, snapshot."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib import resources
from typing import Any, Generic, TypeVar

import msgspec
from google.protobuf.message import DecodeError

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.fairness import BlockChance, BlockNeeded
from ludolog.fairness.seeds import prefixed
from ludolog.kernel import Rulebook
from ludolog.record.commits import Proposal
from ludolog.record.match import BlockRequest, Match, apply_commit, block_request, judge_cause
from services.engine.blocks import Blocks
from services.engine.founding import check_founding, decision_time_ms

S = TypeVar("S")
SNAPSHOT_FORMAT = b"1"
FOLDING = ("ludolog.kernel", "ludolog.record")
"""Packages that take part in folding, besides the rulebook's own room."""


class Snapshot(msgspec.Struct, frozen=True, array_like=True):
    """A match as `dump` writes it; messages and the rulebook's state as bytes."""

    game: msgspec.Raw
    founding: bytes | None
    blocks_drawn: int
    outcome: bytes | None
    rules_version: str
    content_digest: bytes
    commit_time_ms: int


class Matches(Generic[S]):
    """The aggregate of one rulebook's log."""

    def __init__(self, rulebook: Rulebook[S], blocks: Blocks, sources: Iterable[bytes]) -> None:
        """`sources`: whatever code a fold depends on, in a fixed order; see `room_sources`."""
        self.rulebook = rulebook
        self._blocks = blocks
        contents = (rulebook.content_digest, *sorted(rulebook.earlier))
        named = (SNAPSHOT_FORMAT, rulebook.name.encode(), rulebook.rules_version.encode(), *contents)
        self._code_digest = hashlib.sha256(prefixed(*named, *sources)).digest()

    def blank(self, stream_id: str) -> Match[S]:
        """No match yet."""
        return Match(self.rulebook.blank)

    def apply(self, state: Match[S], commit: log_pb2.Commit) -> Match[S]:
        """Fold one counted commit. UnknownEvent where this version doesn't know an event."""
        return apply_commit(self.rulebook, state, commit)

    async def decide(self, stream_id: str, state: Match[S], cause: log_pb2.Cause) -> Proposal:
        """Judge a cause; fetches a block where the rules draw and it isn't here. Refusal, BadInput, Unavailable."""
        match_cause = log_pb2.MatchCause.FromString(cause.body)
        if match_cause.HasField("create"):
            check_founding(match_cause.create)
        wanted = wanted_block(state, match_cause)
        held = self._blocks.held(stream_id, wanted) if wanted else None
        try:
            proposal = judge_cause(self.rulebook, state, match_cause, BlockChance(held))
        except BlockNeeded:
            self._blocks.misses += 1
            block = await self._blocks.fetch(stream_id, block_request(state, match_cause))
            return judge_cause(self.rulebook, state, match_cause, BlockChance(block))
        self._blocks.hits += bool(proposal.draws)
        return proposal

    def finished(self, state: Match[S]) -> bool:
        """The match is over."""
        return state.outcome is not None

    def attended(self, first: log_pb2.Commit) -> bool:
        """A match with a clock: somebody's time may be over. Whatever can't be read is looked at, to be safe."""
        try:
            cause = log_pb2.MatchCause.FromString(first.cause.body)
        except DecodeError:
            return True
        return decision_time_ms(cause.create) > 0

    def dump(self, state: Match[S]) -> bytes:
        """For snapshots."""
        return msgspec.msgpack.encode(
            Snapshot(
                game=msgspec.Raw(msgspec.msgpack.encode(state.game)),
                founding=state.founding.SerializeToString() if state.founding is not None else None,
                blocks_drawn=state.blocks_drawn,
                outcome=state.outcome.SerializeToString() if state.outcome is not None else None,
                rules_version=state.rules_version,
                content_digest=state.content_digest,
                commit_time_ms=state.commit_time_ms,
            )
        )

    def load(self, data: bytes) -> Match[S]:
        """What `dump` gave. ValueError where it can't be read."""
        snapshot = msgspec.msgpack.decode(data, type=Snapshot)
        try:
            founding = None if snapshot.founding is None else log_pb2.CreateMatch.FromString(snapshot.founding)
            outcome = None if snapshot.outcome is None else match_pb2.Outcome.FromString(snapshot.outcome)
        except DecodeError as error:
            raise ValueError(f"a snapshot of something else: {error}") from error
        return Match(
            game=msgspec.msgpack.decode(snapshot.game, type=self.rulebook.state_type),
            founding=founding,
            blocks_drawn=snapshot.blocks_drawn,
            outcome=outcome,
            rules_version=snapshot.rules_version,
            content_digest=snapshot.content_digest,
            commit_time_ms=snapshot.commit_time_ms,
        )

    @property
    def code_digest(self) -> bytes:
        """Digest of rulebook, rules version, every content there is, and source code."""
        return self._code_digest


def wanted_block(state: Match[Any], cause: log_pb2.MatchCause) -> BlockRequest | None:
    """The block that a cause would draw from; None where there is no match to draw for."""
    if state.founding is None and not cause.HasField("create"):
        return None
    return block_request(state, cause)


def next_block(state: Match[Any]) -> BlockRequest | None:
    """The block that the match's next draw will need; None before the founding and after the end."""
    if state.founding is None or state.outcome is not None:
        return None
    return block_request(state, log_pb2.MatchCause())


def room_sources(name: str) -> list[bytes]:
    """Source code of a rulebook's room and of what folds matches: path and bytes of each module, by path."""
    found: list[bytes] = []
    for package in (f"ludolog.rulebooks.{name}", *FOLDING):
        found += _modules(resources.files(package), package)
    return found


def _modules(folder: Any, path: str) -> list[bytes]:
    found: list[bytes] = []
    for item in sorted(folder.iterdir(), key=lambda entry: str(entry.name)):
        if item.is_dir():
            found += _modules(item, f"{path}/{item.name}")
        elif item.name.endswith(".py"):
            found += [f"{path}/{item.name}".encode(), item.read_bytes()]
    return found
