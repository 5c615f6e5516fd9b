"""Taking a partition over: append a takeover, then fold the partition up to it. Protocol sections 3 and 6."""

from __future__ import annotations

import asyncio
import logging
from typing import TypeVar

from ludolog.eventlog.appenders import Appenders
from ludolog.eventlog.book import Book
from ludolog.eventlog.port import UNKNOWN_OFFSET, LogError, LogOverloaded
from ludolog.eventlog.ports import Ports
from ludolog.eventlog.sealing import unseal
from ludolog.eventlog.snapshots import PartitionCheckpoint, checkpoint_key, fill, load_checkpoint, usable
from ludolog.eventlog.takeovers import AnotherLog, Checkpoint, Fence, resume
from ludolog.record.commits import takeover_record
from ludolog.sessions.port import CacheUnavailable

S = TypeVar("S")
log = logging.getLogger(__name__)
NONCE_BYTES = 16


async def take_over(
    ports: Ports[S], appenders: Appenders, partition: int, kept: Book[S] | None, *, cached: bool = True
) -> Book[S]:
    """One round. Returns the fold of the partition up to a takeover of mine, which is in force there.

    `kept` is this process's own fold from an earlier tenure; `cached`: a checkpoint in the cache may be used.
    LogError (or UnreadableRecord) where it didn't work: the takeover may be in the log all the same, and displaces
    whoever was there.
    """
    offset = await _append_takeover(ports, appenders, partition)
    ports.tally.add("takeovers")
    book = await _kept(ports, partition, kept, offset)
    if book is None and cached:
        book = await _cached(ports, partition, offset)
    if book is None:
        book = _blank(ports)
    await _fold(ports, partition, book, offset)
    return book


async def _append_takeover(ports: Ports[S], appenders: Appenders, partition: int) -> int:
    appender = await appenders.get()
    record = takeover_record(ports.random.randbytes(NONCE_BYTES), ports.instance)
    try:
        async with asyncio.timeout(ports.limits.append_s):
            offset = await appender.append(ports.topic, partition, None, record)
    except LogOverloaded:
        raise
    except Exception as error:
        appenders.fail(appender)
        raise LogError(f"no takeover: {error!r}") from error
    if offset == UNKNOWN_OFFSET:
        raise LogError("a takeover was acknowledged without its offset")
    return offset


def _blank(ports: Ports[S]) -> Book[S]:
    keep_ended = ports.archive is None
    return Book(ports.aggregate, Fence(Checkpoint()), keep_ended=keep_ended, receipts=ports.limits.receipts)


async def _kept(ports: Ports[S], partition: int, kept: Book[S] | None, offset: int) -> Book[S] | None:
    if kept is None or kept.known >= offset:
        return None
    try:
        await resume(ports.log, ports.topic, partition, kept.fence.checkpoint())
    except AnotherLog:
        ports.tally.add("another_log")
        return None
    return kept


async def _cached(ports: Ports[S], partition: int, offset: int) -> Book[S] | None:
    """A book as far as the cached checkpoint goes; None where there is none to be used."""
    key = checkpoint_key(ports.topic, partition)
    try:
        data = await ports.cache.get(key)
    except CacheUnavailable:
        return None
    if data is None:
        return None
    body = unseal(key, data)
    cached = load_checkpoint(body) if body is not None else None
    if cached is None:
        ports.tally.add("checkpoints_rejected")
        return None
    book = _blank(ports)
    fence = await _proven(ports, partition, cached) if usable(book, cached) else None
    if fence is None or fence.position > offset:
        ports.tally.add("checkpoints_rejected")
        return None
    fill(book, cached, fence)
    ports.tally.add("checkpoints_used")
    return book


async def _proven(ports: Ports[S], partition: int, cached: PartitionCheckpoint) -> Fence | None:
    try:
        return await resume(ports.log, ports.topic, partition, cached.checkpoint)
    except AnotherLog:
        return None


async def _fold(ports: Ports[S], partition: int, book: Book[S], offset: int) -> None:
    """Read and judge everything up to my takeover."""
    voids = book.fence.void_commits
    while book.known < offset:
        batch = await ports.log.read(ports.topic, partition, book.fence.position, ports.limits.read_batch)
        if not batch:
            raise LogError(f"nothing at offset {book.fence.position}, but my takeover is at {offset}")
        for stored in batch:
            if stored.offset <= offset:
                book.fold(stored)
        if book.tail_size > 2 * ports.limits.tail:
            book.trim(book.fence.position - ports.limits.tail)
        if batch[-1].offset > offset:
            break
    ports.tally.add("void_commits", book.fence.void_commits - voids)
    if book.fence.in_force != offset:
        raise LogError(f"the record at {offset} isn't my takeover")
