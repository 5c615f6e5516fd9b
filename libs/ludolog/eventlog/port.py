"""What a log is. Two implementations stand beside this file and pass one suite."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


class LogError(Exception):
    """Something about a log went wrong."""


class AppendFailed(LogError):
    """Nobody knows whether the record is in the log, or will be: the appender is finished."""


class LogOverloaded(LogError):
    """More bytes in flight than allowed; nothing was sent."""


class RecordTooLarge(LogError):
    """The record is larger than the log takes; nothing was sent."""


class OutOfRange(LogError):
    """No record at that offset: the log is another one, or was truncated."""


class UnsafeLog(LogError):
    """The log is set up so that acknowledged records could be lost: says which setting is wrong."""


class NoSuchTopic(LogError):
    """No such topic, or no such partition of it; nothing was sent."""


class LogUnavailable(LogError):
    """The log doesn't answer, or was closed: nothing has changed, and a later try may succeed."""


class FolderInUse(LogError):
    """Another process holds the data folder."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as stored. `value` is None for what isn't ours at an offset (control records, holes)."""

    offset: int
    key: bytes | None
    value: bytes | None


UNKNOWN_OFFSET = -1


class Appender(Protocol):
    """One producer. After AppendFailed it is finished: close it and make another."""

    async def append(self, topic: str, partition: int, key: bytes | None, value: bytes) -> int:
        """Append durably; return the offset, or UNKNOWN_OFFSET where the log acknowledged without one.

        LogOverloaded and RecordTooLarge before anything is sent; AppendFailed after that. Cancelling the caller
        doesn't take the record back.
        """

    async def close(self) -> None:
        """Let go at once, without waiting for what is under way."""


class Reader(Protocol):
    """A position in one partition."""

    async def batch(self) -> Sequence[Stored]:
        """Wait for the next records, at least one, in order. OutOfRange where the position is gone."""

    async def close(self) -> None:
        """Let go."""


@dataclass(frozen=True, slots=True)
class Listener:
    """What a member of a group wants to know. Callbacks of one member never overlap."""

    assigned: Callable[[frozenset[int]], Awaitable[None]]
    """These partitions are now mine (only the new ones)."""
    revoked: Callable[[frozenset[int]], Awaitable[None]]
    """These are to be given up in order: the group waits for the callback."""
    lost: Callable[[frozenset[int]], Awaitable[None]]
    """These are already somebody else's, perhaps for long."""


class Membership(Protocol):
    """A membership of a consumer group."""

    def assigned(self) -> frozenset[int]:
        """The partitions that the group says are mine, now."""

    def share(self) -> frozenset[int] | None:
        """My whole share: what is mine, and what others have yet to give up for me. Empty: there is nothing for me.

        None while the group hasn't given out its partitions with me among its members.
        """

    async def leave(self) -> None:
        """Give everything up in order (revoked is called) and leave."""


class EventLog(Protocol):
    """Topics of partitions of records. Every acknowledged record is durable, at its offset, for ever.

    Every call may raise LogUnavailable, and NoSuchTopic where it names one. A log belongs to one event loop.
    """

    async def ensure_topic(self, topic: str, partitions: int) -> None:
        """Make the topic if it isn't there. UnsafeLog where it has other partitions or dangerous settings."""

    async def partitions(self, topic: str) -> int:
        """Number of partitions."""

    async def appender(self) -> Appender:
        """Make a producer."""

    async def read(self, topic: str, partition: int, offset: int, limit: int) -> Sequence[Stored]:
        """Up to `limit` records from `offset` on; empty at the end. OutOfRange beyond the end or where it is gone."""

    async def end_offset(self, topic: str, partition: int) -> int:
        """Offset of the next record, asked of the log after this call began."""

    async def reader(self, topic: str, partition: int, offset: int) -> Reader:
        """Open a reader at an offset."""

    async def join(self, topic: str, group: str, instance: str, listener: Listener) -> Membership:
        """Become a member of a group on a topic."""

    async def close(self) -> None:
        """Let go of everything."""


async def records(log: EventLog, topic: str, partition: int, offset: int) -> AsyncIterator[Stored]:
    """Every record from an offset on, waiting for more for ever. Close the generator to let go."""
    reader = await log.reader(topic, partition, offset)
    try:
        while True:
            for record in await reader.batch():
                yield record
    finally:
        await reader.close()
