"""A partition folded by the rule: which streams are open and where they stand, the newest commits, the loaded sessions.

The same fold at a takeover, when a gap is read and when an acknowledgement comes: a commit counts in one way only.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.aggregate import Aggregate
from ludolog.eventlog.answers import Receipt
from ludolog.eventlog.port import Stored
from ludolog.eventlog.receipts import Receipts
from ludolog.eventlog.takeovers import Counted, Fence
from ludolog.record.commits import Head, continues, record_hash

S = TypeVar("S")
log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Session(Generic[S]):
    """A stream in memory: confirmed state only."""

    stream_id: str
    state: S
    head: Head = field(default_factory=Head)
    receipts: Receipts = field(default_factory=Receipts)
    saved: int = 0
    """Sequence number of the newest snapshot that was written."""
    used_s: float = 0.0

    def apply(self, aggregate: Aggregate[S], commit: log_pb2.Commit, head: Head) -> None:
        """Fold one counted commit. Changes nothing if the aggregate can't read it."""
        self.state = aggregate.apply(self.state, commit)
        self.head = head
        self.receipts.add(commit)

    def receipt(self, cause: log_pb2.Cause) -> Receipt | None:
        """What was answered to this command, if it counts. CommandIdReused if the id counts with another body."""
        return self.receipts.find(cause)


class Applied(msgspec.Struct, Generic[S], frozen=True):
    """What a counted commit did to a loaded session."""

    before: S
    after: S
    head: Head


class Book(Generic[S]):
    """The fold of one partition up to `known`. It goes on from there in the next tenure of the same process."""

    def __init__(self, aggregate: Aggregate[S], fence: Fence, *, keep_ended: bool, receipts: int | None) -> None:
        """Begin where a fence stands, with no stream. `keep_ended`: ended ones are kept too (there is no archive).

        `receipts`: how many of a stream's newest receipts are kept; None: all.
        """
        self.aggregate = aggregate
        self.fence = fence
        self.heads: dict[str, Head] = {}
        self.ended: dict[str, Head] = {}
        self.attended: set[str] = set()
        """Open streams that are told of at a takeover."""
        self.broken: set[str] = set()
        self.tail: dict[str, list[Counted]] = {}
        self.tail_from = fence.position
        self.tail_size = 0
        self.sessions: OrderedDict[str, Session[S]] = OrderedDict()
        self.keep_ended = keep_ended
        self.from_cache = False
        """Whether it began with what a former owner had left in the cache: then the log is right where they differ."""
        self.receipts = receipts

    @property
    def known(self) -> int:
        """Offset up to which everything has been read and judged."""
        return self.fence.position - 1

    @property
    def knows_all(self) -> bool:
        """True if a stream that isn't here was never there."""
        return self.keep_ended or self.tail_from == 0

    def head(self, stream_id: str) -> Head | None:
        """Head of a stream that is open, or that ended in the tail; None: it isn't there, or ended earlier."""
        open_head = self.heads.get(stream_id) or self.ended.get(stream_id)
        if open_head is None and (newest := self.tail.get(stream_id)):
            return Head(newest[-1].commit.sequence, record_hash(newest[-1].value))
        return open_head

    def count(self, counted: Counted, digest: bytes) -> Applied[S] | None:
        """Fold a counted commit whose record has this hash. Returns what it did to a loaded session.

        A commit that doesn't continue its stream is corruption: the stream is broken from there on.
        """
        commit = counted.commit
        stream_id = commit.stream_id
        session = self.sessions.get(stream_id)
        before_it = self.head(stream_id) or (session.head if session else Head())
        if stream_id in self.broken or not continues(before_it, commit):
            self.broken.add(stream_id)
            self.sessions.pop(stream_id, None)
            return None
        head = Head(commit.sequence, digest)
        self._move(commit, head, ended=commit.HasField("ending"))
        self.tail.setdefault(stream_id, []).append(counted)
        self.tail_size += 1
        if session is None:
            return None
        before = session.state
        try:
            session.apply(self.aggregate, commit, head)
        except Exception:
            del self.sessions[stream_id]
            raise
        return Applied(before, session.state, head)

    def fold(self, stored: Stored) -> None:
        """Judge the next record of former tenures, and fold it if it counts. UnreadableRecord: nothing has changed."""
        seen = self.fence.see(stored)
        if not seen.counts or seen.record is None or stored.value is None:
            return
        try:
            self.count(Counted(stored.offset, seen.record.commit, stored.value), record_hash(stored.value))
        except Exception as error:  # noqa: BLE001 - no session then; whoever loads the stream says why
            commit = seen.record.commit
            about = {"match": commit.stream_id, "sequence": commit.sequence, "offset": stored.offset}
            log.warning("a counted commit can't be applied: %r", error, extra=about)

    def _move(self, commit: log_pb2.Commit, head: Head, *, ended: bool) -> None:
        stream_id = commit.stream_id
        if not ended:
            self.heads[stream_id] = head
            if commit.sequence == 1 and self.aggregate.attended(commit):
                self.attended.add(stream_id)
            return
        self.heads.pop(stream_id, None)
        self.attended.discard(stream_id)
        if self.keep_ended:
            self.ended[stream_id] = head

    def session(self, commits: Iterable[Counted], stream_id: str) -> Session[S]:
        """A session folded from a stream's first commit on. ValueError where they don't continue each other."""
        session = Session(stream_id, self.aggregate.blank(stream_id), receipts=Receipts(self.receipts))
        self.catch_up(session, commits)
        return session

    def catch_up(self, session: Session[S], commits: Iterable[Counted]) -> None:
        """Fold those of a stream's commits that come after a session's head. ValueError if they don't continue it."""
        for counted in commits:
            if counted.commit.sequence <= session.head.sequence:
                continue
            if not continues(session.head, counted.commit):
                raise ValueError(f"commit {counted.commit.sequence} doesn't continue {session.head.sequence}")
            head = Head(counted.commit.sequence, record_hash(counted.value))
            session.apply(self.aggregate, counted.commit, head)

    def trim(self, position: int) -> None:
        """Let go of the tail before a position."""
        kept = {}
        for stream_id, commits in self.tail.items():
            rest = [counted for counted in commits if counted.offset >= position]
            if rest:
                kept[stream_id] = rest
        self.tail = kept
        self.tail_size = sum(map(len, kept.values()))
        self.tail_from = max(self.tail_from, position)
