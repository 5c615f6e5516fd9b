"""What an owner leaves in the cache for the next one: a checkpoint of the partition, and sessions.

Any of it may be missing, old, or written by a former owner after its time, so nothing is believed for its age or place.
A checkpoint is used only if its bookmark is in the log and its position isn't after the takeover. A session proves
itself: counted commits must lead to its head, and those after it must end at the head of the stream.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from ludolog.eventlog.book import Book, Session
from ludolog.eventlog.receipts import Receipts
from ludolog.eventlog.takeovers import Checkpoint, Fence
from ludolog.record.commits import Head, continues

S = TypeVar("S")

SESSION_TTL_MS = 7 * 24 * 3600 * 1000
CHECKPOINT_TTL_MS = 30 * 24 * 3600 * 1000
ADDRESS_TTL_MS = 30_000


def session_key(topic: str, stream_id: str) -> str:
    """Where a stream's snapshot is cached."""
    return f"session:{topic}:{stream_id}"


def checkpoint_key(topic: str, partition: int) -> str:
    """Where a partition's checkpoint is cached."""
    return f"heads:{topic}:{partition}"


def address_key(topic: str, partition: int) -> str:
    """Where the address of a partition's owner is cached, for routers."""
    return f"owner:{topic}:{partition}"


class SessionSnapshot(msgspec.Struct, frozen=True, array_like=True):
    """A session as cached."""

    code_digest: bytes
    stream_id: str
    sequence: int
    hash: bytes
    receipts: bytes
    state: bytes


class PartitionCheckpoint(msgspec.Struct, frozen=True, array_like=True):
    """A partition's fold as cached, without its sessions. `ended`: only where ended streams are remembered."""

    checkpoint: Checkpoint
    heads: dict[str, tuple[int, bytes]]
    ended: dict[str, tuple[int, bytes]] | None
    broken: list[str]
    attended: list[str] | None = None
    """None: written by a version that told of every open stream."""


_session_decoder = msgspec.msgpack.Decoder(SessionSnapshot)
_checkpoint_decoder = msgspec.msgpack.Decoder(PartitionCheckpoint)


def dump_session(book: Book[S], session: Session[S]) -> bytes:
    """Serialise a session."""
    return msgspec.msgpack.encode(
        SessionSnapshot(
            book.aggregate.code_digest,
            session.stream_id,
            session.head.sequence,
            session.head.hash,
            session.receipts.dump(),
            book.aggregate.dump(session.state),
        ),
    )


def prove_session(book: Book[S], stream_id: str, data: bytes) -> Session[S] | None:
    """A session from a snapshot and the tail, if they prove to reach the stream's head; else None."""
    try:
        snapshot = _session_decoder.decode(data)
    except msgspec.DecodeError:
        return None
    if snapshot.stream_id != stream_id or snapshot.code_digest != book.aggregate.code_digest:
        return None
    session = _restored(book, snapshot)
    if session is None or not _is_of_the_log(book, stream_id, session.head):
        return None
    try:
        book.catch_up(session, book.tail.get(stream_id, ()))
    except ValueError:
        return None
    return session if session.head == book.head(stream_id) else None


def _restored(book: Book[S], snapshot: SessionSnapshot) -> Session[S] | None:
    try:
        state = book.aggregate.load(snapshot.state)
        receipts = Receipts.load(snapshot.receipts, snapshot.sequence, book.receipts)
    except ValueError:
        return None
    head = Head(snapshot.sequence, snapshot.hash)
    return Session(snapshot.stream_id, state, head, receipts, saved=snapshot.sequence)


def _is_of_the_log(book: Book[Any], stream_id: str, head: Head) -> bool:
    """True if a head is the stream's head in the checkpoint, or one of its commits in the tail."""
    if head == book.head(stream_id):
        return True
    return any(continues(head, counted.commit) for counted in book.tail.get(stream_id, ()))


def dump_checkpoint(book: Book[Any]) -> bytes:
    """Serialise a partition's fold."""
    return msgspec.msgpack.encode(
        PartitionCheckpoint(
            book.fence.checkpoint(),
            _pairs(book.heads),
            _pairs(book.ended) if book.keep_ended else None,
            sorted(book.broken),
            sorted(book.attended),
        ),
    )


def _pairs(heads: dict[str, Head]) -> dict[str, tuple[int, bytes]]:
    return {stream_id: (head.sequence, head.hash) for stream_id, head in heads.items()}


def load_checkpoint(data: bytes) -> PartitionCheckpoint | None:
    """Read what `dump_checkpoint` wrote; None where it can't be read."""
    try:
        return _checkpoint_decoder.decode(data)
    except msgspec.DecodeError:
        return None


def usable(book: Book[Any], cached: PartitionCheckpoint) -> bool:
    """True if a checkpoint has everything that this book keeps."""
    return cached.ended is not None or not book.keep_ended


def fill(book: Book[Any], cached: PartitionCheckpoint, fence: Fence) -> None:
    """Fill an empty book from a checkpoint at whose end the fence stands."""
    book.from_cache = True
    book.fence = fence
    book.tail_from = fence.position
    book.heads = {stream_id: Head(*head) for stream_id, head in cached.heads.items()}
    book.ended = {stream_id: Head(*head) for stream_id, head in (cached.ended or {}).items()} if book.keep_ended else {}
    book.broken = set(cached.broken)
    book.attended = set(cached.heads if cached.attended is None else cached.attended)
