"""What the owner of a partition asks of whatever lives in its streams: matches, tables, queues."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ludolog.api.log.v1 import log_pb2
from ludolog.record.commits import Proposal

S = TypeVar("S")


class Aggregate(Protocol[S]):
    """States are immutable values: a confirmed one never changes under a reader."""

    def blank(self, stream_id: str) -> S:
        """The state before the first commit."""

    def apply(self, state: S, commit: log_pb2.Commit) -> S:
        """Fold one counted commit."""

    async def decide(self, stream_id: str, state: S, cause: log_pb2.Cause) -> Proposal:
        """Judge a cause on a confirmed state. May only wait for randomness.

        Raises Refusal; whatever else it raises means "unknown, repeat".
        """

    def finished(self, state: S) -> bool:
        """Nothing more will ever be accepted."""

    def attended(self, first: log_pb2.Commit) -> bool:
        """Whether a stream that begins with this commit is told of at every takeover until it ends: it may be due.

        The others are only heads to their owner until somebody asks for them. Never raises.
        """

    def dump(self, state: S) -> bytes:
        """For snapshots."""

    def load(self, data: bytes) -> S:
        """What `dump` gave. ValueError where it can't be read."""

    @property
    def code_digest(self) -> bytes:
        """Changes whenever `dump` or `apply` may: snapshots of another digest are thrown away."""
