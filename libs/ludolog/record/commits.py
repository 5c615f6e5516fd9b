"""Records as stored: parsing, hashing, chaining. Hashes are over stored bytes, never over a message made again."""

from __future__ import annotations

import hashlib

import msgspec
from google.protobuf.message import DecodeError

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import Draw

FORMAT_VERSION = 1
_parse = log_pb2.Record.FromString


class UnreadableRecord(Exception):
    """A record that this version can't read: other bytes, a later format, an unknown kind. A reader stops here."""


class Head(msgspec.Struct, frozen=True):
    """Where a stream stands: sequence number and hash of its last record; (0, b"") before the first."""

    sequence: int = 0
    hash: bytes = b""


class Proposal(msgspec.Struct, frozen=True):
    """What a commit would hold, before it is known where it goes."""

    events: tuple[bytes, ...]
    draw_index: int = 0
    draws: tuple[Draw, ...] = ()
    rules_version: str = ""
    content_digest: bytes = b""
    ending: log_pb2.Ending | None = None


def parse_record(value: bytes) -> log_pb2.Record:
    """Parse a stored record. UnreadableRecord where this version can't."""
    try:
        record = _parse(value)
    except DecodeError as error:
        msg = f"not a record: {error}"
        raise UnreadableRecord(msg) from error
    if record.format_version != FORMAT_VERSION:
        msg = f"record format {record.format_version}, this version reads {FORMAT_VERSION}"
        raise UnreadableRecord(msg)
    if record.WhichOneof("kind") is None:
        msg = "a kind of record that this version doesn't know"
        raise UnreadableRecord(msg)
    return record


def record_hash(value: bytes) -> bytes:
    """SHA-256 of a record's bytes as stored."""
    return hashlib.sha256(value).digest()


def next_head(value: bytes, commit: log_pb2.Commit) -> Head:
    """The head after a commit whose stored record is `value`."""
    return Head(commit.sequence, record_hash(value))


def continues(head: Head, commit: log_pb2.Commit) -> bool:
    """True if the commit is the next one of the stream whose head is given."""
    return commit.sequence == head.sequence + 1 and commit.previous_hash == head.hash


def commit_record(
    *,
    takeover_offset: int,
    stream_id: str,
    head: Head,
    cause: log_pb2.Cause,
    proposal: Proposal,
    time_ms: int,
    traceparent: str = "",
) -> bytes:
    """Serialise the record of a commit that continues `head`; `time_ms` is Unix time, informative."""
    commit = log_pb2.Commit(
        takeover_offset=takeover_offset,
        stream_id=stream_id,
        sequence=head.sequence + 1,
        previous_hash=head.hash,
        cause=cause,
        events=proposal.events,
        draw_index=proposal.draw_index,
        draws=[log_pb2.Draw(purpose=d.purpose, size=d.size, values=d.values) for d in proposal.draws],
        rules_version=proposal.rules_version,
        content_digest=proposal.content_digest,
        traceparent=traceparent,
        ending=proposal.ending,
    )
    commit.commit_time.FromMilliseconds(time_ms)
    return log_pb2.Record(format_version=FORMAT_VERSION, commit=commit).SerializeToString(deterministic=True)


def takeover_record(nonce: bytes, instance: str) -> bytes:
    """Serialise the record of a takeover."""
    takeover = log_pb2.Takeover(nonce=nonce, instance=instance)
    return log_pb2.Record(format_version=FORMAT_VERSION, takeover=takeover).SerializeToString(deterministic=True)
