"""What the owner asks of an archive of its log. It may be behind, or gone: the log itself is read then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ludolog.eventlog.takeovers import Checkpoint


@dataclass(frozen=True, slots=True)
class ArchivedCommits:
    """A stream's counted commits as archived: (offset, record as stored), in order, from the number asked for.

    `checkpoint` is the archive's own position in the stream's partition: it was read in the same transaction as the
    commits (over several pages: as the first page), so that every counted commit before it is among them.
    """

    commits: Sequence[tuple[int, bytes]]
    checkpoint: Checkpoint


class Archive(Protocol):
    """An archive of one topic."""

    async def commits(self, stream_id: str, from_sequence: int) -> ArchivedCommits:
        """Counted commits of a stream from a number (≥ 1) on. Whatever it raises means "not now"."""
