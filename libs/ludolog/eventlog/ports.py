"""What an owner stands on: its ports, its limits, its counters. Handed on to every part of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.aggregate import Aggregate
from ludolog.eventlog.archive import Archive
from ludolog.eventlog.port import EventLog
from ludolog.record.commits import Head
from ludolog.sessions.port import SessionCache

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class Clock(Protocol):
    """Time. Nothing that the protocol promises rests on it."""

    def now_ms(self) -> int:
        """Unix time in milliseconds."""

    def monotonic(self) -> float:
        """Seconds since some moment."""


class Hooks(Protocol[S_contra]):
    """Told of what counts, at once and in order. They return quickly and never wait; what they raise is logged."""

    def confirmed(self, stream_id: str, before: S_contra, commit: log_pb2.Commit, after: S_contra, head: Head) -> None:
        """A commit of this tenure counts, as `head` of its stream."""

    def began(self, partition: int, heads: Mapping[str, Head]) -> None:
        """A tenure begins; these are the partition's open streams that are attended. Forget what you knew of it."""

    def ended(self, partition: int) -> None:
        """The tenure is over: whatever is under way for its streams is somebody else's business."""


class Tally:
    """Counts what happened; read by whoever exposes metrics."""

    def __init__(self) -> None:
        """Begin at zero."""
        self.counts: Counter[str] = Counter()

    def add(self, name: str, amount: int = 1) -> None:
        """Count something."""
        self.counts[name] += amount

    def took(self, name: str, seconds: float) -> None:
        """Something took so long: "queue", a command's wait for its turn; "takeover". Not kept here."""


class Spans(Protocol):
    """Traces. What is given is current inside of the block, so that calls from there are a part of the trace."""

    def span(self, name: str, parent: str = "", **about: str | int) -> AbstractContextManager[str]:
        """A span under a trace context (traceparent); gives its own, "" where nothing is traced."""


class NoSpans:
    """Traces nothing."""

    def span(self, name: str, parent: str = "", **about: str | int) -> AbstractContextManager[str]:
        """Nothing."""
        return nullcontext("")


@dataclass(frozen=True, slots=True)
class Load:
    """What an owner has in its hands."""

    owned_partitions: int = 0
    open_streams: int = 0
    """Streams of these partitions that haven't ended."""
    loaded_streams: int = 0
    queued_commands: int = 0
    """Commands that wait for their turn."""


@dataclass(frozen=True, slots=True)
class OwnerLimits:
    """Bounds and periods of an owner; times in seconds.

    `receipts`: how many of a stream's newest receipts are kept; None: all, as matches need. It is part of the fold, so
    every owner of a topic must use the same number.
    """

    lane: int = 64
    """Commands that may wait for one stream."""
    sessions: int = 20_000
    """Streams kept in memory, all partitions together."""
    tail: int = 2_000
    """Commits after the checkpoint kept in memory, for each partition; more than that and the next one is due."""
    receipts: int | None = None
    read_batch: int = 1000
    """Records asked for at once."""
    idle_s: float = 300.0
    """A stream unused for so long is unloaded."""
    look_s: float = 1.0
    """How often an owner without traffic reads its partition."""
    append_s: float = 15.0
    """An append without any answer for so long is given up."""
    slow_s: float = 2.0
    """While one has been without an answer for so long, no further command is taken: the log is away."""
    publish_s: float = 5.0
    checkpoint_s: float = 10.0
    renew_s: float = 600.0
    """A checkpoint is written again after so long, though nothing has moved: the cache may have been flushed."""
    leave_s: float = 5.0
    """Longest wait for what is pending when a partition is given up in order; snapshots have as long again."""
    backoff_s: tuple[float, float] = (0.1, 3.0)
    """First and last bound of the random pause between two rounds of taking over."""
    settled_s: float = 10.0
    """A tenure that lasted so long makes the next pause short again."""


@dataclass(frozen=True, slots=True)
class Ports(Generic[S]):
    """Everything that an owner is given."""

    log: EventLog
    cache: SessionCache
    topic: str
    aggregate: Aggregate[S]
    clock: Clock
    hooks: Hooks[S]
    instance: str
    address: str
    archive: Archive | None = None
    limits: OwnerLimits = field(default_factory=OwnerLimits)
    tally: Tally = field(default_factory=Tally)
    random: random.Random = field(default_factory=random.SystemRandom)
    spans: Spans = field(default_factory=NoSpans)
