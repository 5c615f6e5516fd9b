"""While the log doesn't answer: that it doesn't, and what this instance still knows of the partitions that it had.

A state may be old, never wrong (docs/protocol.md), so what was folded before is shown until the log is back.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from ludolog.eventlog.answers import Confirmed
from ludolog.eventlog.book import Book

S = TypeVar("S")


class Outage(Generic[S]):
    """Of one owner. It begins with a takeover or a tenure that fails for want of the log, and ends with a takeover."""

    def __init__(self) -> None:
        """There is none."""
        self.on = False
        self._left: dict[int, Book[S]] = {}

    def begin(self) -> None:
        """The log doesn't answer."""
        self.on = True

    def end(self) -> None:
        """It does."""
        self.on = False
        self._left.clear()

    def leave(self, partition: int, book: Book[S] | None) -> None:
        """The group has given up on a partition of ours, or we on the group: keep the fold, if that is why."""
        if self.on and book is not None:
            self._left[partition] = book

    def back(self, partition: int) -> Book[S] | None:
        """The fold of a partition that is ours again; it goes on from there."""
        return self._left.pop(partition, None)

    def confirmed(self, partition: int, kept: Book[S] | None, stream_id: str, minimum: int) -> Confirmed[S] | None:
        """A stream as it was when the log went away; None where it isn't remembered, or not that far.

        `kept`: the fold of a partition that is still ours.
        """
        book = kept or self._left.get(partition)
        session = book.sessions.get(stream_id) if self.on and book is not None else None
        if session is None or session.head.sequence < minimum:
            return None
        return Confirmed(session.state, session.head)
