"""What the owner of a partition answers, besides the rules' refusals and the log's own errors."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from ludolog.record.commits import Head

S = TypeVar("S")
LOG_RETRY_MS = 1000
"""After so long somebody may ask again whether the log is back."""
BROKEN_RETRY_MS = 1000


class NotOwner(Exception):
    """The stream's partition isn't owned here. Says nothing about the command: ask the owner, with the same id."""


class Unavailable(Exception):
    """Nobody can say now whether the command counts, or will. Repeat it with the same id after `retry_after_ms`."""

    def __init__(self, why: str, retry_after_ms: int = 100) -> None:
        super().__init__(why)
        self.retry_after_ms = retry_after_ms


class LogAway(Unavailable):
    """The log itself doesn't answer: repeating at once helps nobody. Nothing more is known than with Unavailable."""

    def __init__(self, why: str = "the log doesn't answer") -> None:
        super().__init__(why, LOG_RETRY_MS)


class BrokenStream(Unavailable):
    """A stream's counted commits don't continue each other, or can't be read by this version: it isn't served."""

    def __init__(self, why: str) -> None:
        super().__init__(why, BROKEN_RETRY_MS)


class CommandIdReused(Exception):
    """The id stands in the stream's log with another body. A fact of the log, so it needs no barrier."""

    def __init__(self, command_id: str, sequence: int) -> None:
        super().__init__(f"command id {command_id} was used for another command (commit {sequence})")
        self.command_id = command_id
        self.sequence = sequence


class Stale(Exception):
    """A timer's stream has moved on. Nobody is to be told, so it needs no barrier."""


class Receipt(msgspec.Struct, frozen=True):
    """Proof that a command counts: the number of its commit in the stream, from 1. The same for every repeat."""

    sequence: int


class Confirmed(msgspec.Struct, Generic[S], frozen=True):
    """A state that is known to be the fold of counted commits, and where it stands. Sequence 0: nothing is there."""

    state: S
    head: Head
