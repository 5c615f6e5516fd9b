"""A stream's session: from its snapshot, else from the archive and the tail, else from the log."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TypeVar

from ludolog.eventlog.answers import BrokenStream
from ludolog.eventlog.book import Book, Session
from ludolog.eventlog.port import LogError
from ludolog.eventlog.ports import Ports
from ludolog.eventlog.sealing import unseal
from ludolog.eventlog.snapshots import prove_session, session_key
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Counted, Fence, resume
from ludolog.record.commits import parse_record
from ludolog.sessions.port import CacheUnavailable

S = TypeVar("S")
log = logging.getLogger(__name__)


async def load_session(ports: Ports[S], partition: int, book: Book[S], stream_id: str) -> Session[S]:
    """The session of a stream at its head in the book. No commit of that stream may be confirmed meanwhile.

    BrokenStream; LogError where the log doesn't answer.
    """
    if stream_id in book.broken:
        raise BrokenStream(f"{stream_id}: its commits don't continue each other")
    session = await _from_snapshot(ports, book, stream_id)
    if session is None:
        session = await _from_commits(ports, partition, book, stream_id)
    return session


async def _from_snapshot(ports: Ports[S], book: Book[S], stream_id: str) -> Session[S] | None:
    if book.head(stream_id) is None:
        return None  # nothing in the book that a snapshot could be measured by
    key = session_key(ports.topic, stream_id)
    try:
        data = await ports.cache.get(key)
    except CacheUnavailable:
        return None
    if data is None:
        return None
    body = unseal(key, data)
    session = prove_session(book, stream_id, body) if body is not None else None
    ports.tally.add("snapshots_used" if session else "snapshots_rejected")
    return session


async def _from_commits(ports: Ports[S], partition: int, book: Book[S], stream_id: str) -> Session[S]:
    if book.head(stream_id) is None and book.knows_all:
        return book.session((), stream_id)
    session = _folded(book, stream_id, book.tail.get(stream_id, ())) if stream_id in book.tail else None
    if session is None and (archived := await _archived(ports, partition, book, stream_id)) is not None:
        session = _folded(book, stream_id, archived)
    if session is None:
        session = _folded(book, stream_id, await _scanned(ports, partition, book, stream_id, Checkpoint()))
    if session is None:
        raise BrokenStream(f"{stream_id}: the log doesn't lead to its head")
    return session


def _folded(book: Book[S], stream_id: str, commits: Sequence[Counted]) -> Session[S] | None:
    """The session, if the commits lead from the first one to the stream's head (where that is unknown: to an end)."""
    try:
        session = book.session(commits, stream_id)
    except ValueError:
        return None
    head = book.head(stream_id)
    if head is not None:
        return session if session.head == head else None
    return session if not commits or commits[-1].commit.HasField("ending") else None


async def _archived(ports: Ports[S], partition: int, book: Book[S], stream_id: str) -> list[Counted] | None:
    """The stream's commits up to `known` by the archive, and by the tail or the log where the archive is behind."""
    if ports.archive is None:
        return None
    try:
        found = await ports.archive.commits(stream_id, 1)
        fence = await resume(ports.log, ports.topic, partition, found.checkpoint)
    except AnotherLog:
        ports.tally.add("archive_of_another_log")
        return None
    except Exception as error:  # noqa: BLE001 - the archive is a convenience: whatever it has, the log is there
        log.warning("archive doesn't answer: %s", error)
        return None
    known = book.known
    commits = [Counted(offset, parse_record(value).commit, value) for offset, value in found.commits if offset <= known]
    if fence.position >= book.tail_from:
        newer = list(book.tail.get(stream_id, ()))
    else:
        ports.tally.add("archive_behind")
        newer = await _scanned(ports, partition, book, stream_id, found.checkpoint)
    last = commits[-1].offset if commits else -1
    return commits + [counted for counted in newer if counted.offset > last]


async def _scanned(
    ports: Ports[S],
    partition: int,
    book: Book[S],
    stream_id: str,
    checkpoint: Checkpoint,
) -> list[Counted]:
    """The stream's counted commits from a checkpoint to `known`, read from the log."""
    ports.tally.add("log_scans")
    fence, end = Fence(checkpoint), book.known
    commits: list[Counted] = []
    while fence.position <= end:
        batch = await ports.log.read(ports.topic, partition, fence.position, ports.limits.read_batch)
        if not batch:
            raise LogError(f"{ports.topic}/{partition}: nothing at offset {fence.position}, though it was read before")
        counted = fence.count([stored for stored in batch if stored.offset <= end])
        commits += [one for one in counted if one.commit.stream_id == stream_id]
        if batch[-1].offset > end:
            break
    return commits
