"""Every match of a partition that is on: what lists need, and what proves the next commit. No rules, so it is quick."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.takeovers import Counted
from ludolog.record.commits import Head, next_head

FORMAT = 1
"""Of what is kept of an index for the next start."""


class Live(msgspec.Struct):
    """A match that is on. Times are Unix milliseconds."""

    match_id: str
    begins: int
    """Offset of its first commit."""
    in_force: int
    """Takeover that its first commit was written under: with it, reading can begin there."""
    seats: tuple[tuple[int, str], ...]
    """(seat, player id)."""
    public: bool
    create_ms: int
    sequence: int = 0
    hash: bytes = b""
    update_ms: int = 0
    broken: bool = False
    """A counted commit didn't continue it: it is stopped."""

    @property
    def head(self) -> Head:
        """Its last commit."""
        return Head(self.sequence, self.hash)


class Broken(Exception):
    """A counted commit that doesn't continue its match: corruption."""


class Index:
    """The live matches of one partition, as of a position in it."""

    def __init__(self, live: Iterable[Live] = ()) -> None:
        self._live = {entry.match_id: entry for entry in live}

    def __iter__(self) -> Iterator[Live]:
        return iter(self._live.values())

    def __len__(self) -> int:
        return len(self._live)

    def get(self, match_id: str) -> Live | None:
        """A match that is on; None for one that is over or unknown."""
        return self._live.get(match_id)

    def add(self, counted: Counted) -> None:
        """Take the partition's next counted commit. Broken where it doesn't continue its match (which is stopped)."""
        commit = counted.commit
        entry = self._live.get(commit.stream_id)
        if entry is None:
            if commit.sequence != 1 or commit.previous_hash:
                raise Broken(f"{commit.stream_id}: number {commit.sequence} of a match that isn't on")
            entry = _founded(counted)
        elif entry.broken:
            return
        elif commit.sequence != entry.sequence + 1 or commit.previous_hash != entry.hash:
            entry.broken = True
            raise Broken(f"{commit.stream_id}: number {commit.sequence} doesn't continue {entry.sequence}")
        head = next_head(counted.value, commit)
        entry.sequence, entry.hash = head.sequence, head.hash
        entry.update_ms = commit.commit_time.ToMilliseconds()
        if commit.HasField("ending"):
            self._live.pop(commit.stream_id, None)
        else:
            self._live[commit.stream_id] = entry


def _founded(counted: Counted) -> Live:
    cause = log_pb2.MatchCause.FromString(counted.commit.cause.body)
    founding = cause.create
    return Live(
        match_id=counted.commit.stream_id,
        begins=counted.offset,
        in_force=counted.commit.takeover_offset,
        seats=tuple((seat.seat, seat.player_id) for seat in founding.seats),
        public=founding.spectator_policy != log_pb2.SPECTATOR_POLICY_SEATS,
        create_ms=counted.commit.commit_time.ToMilliseconds(),
    )
