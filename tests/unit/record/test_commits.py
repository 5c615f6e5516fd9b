"""Records of other versions: unknown fields survive, unknown formats and kinds stop the reader."""

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.port import Stored
from ludolog.eventlog.takeovers import Checkpoint, Fence
from ludolog.record.commits import (
    FORMAT_VERSION,
    Head,
    Proposal,
    UnreadableRecord,
    commit_record,
    continues,
    next_head,
    parse_record,
    record_hash,
    takeover_record,
)

LATER_FIELD = b"\xba\x3e\x05later"
"""Field 999, five bytes long: what a later version may have added to a commit."""


def record(head: Head) -> bytes:
    """A commit that continues a stream, written by a later version."""
    ours = commit_record(
        takeover_offset=0, stream_id="s", head=head, cause=log_pb2.Cause(actor="a"), proposal=Proposal(()), time_ms=1
    )
    commit = parse_record(ours).commit.SerializeToString() + LATER_FIELD
    later = log_pb2.Record(format_version=FORMAT_VERSION, commit=log_pb2.Commit.FromString(commit))
    return later.SerializeToString()


def test_fields_of_a_later_version_survive() -> None:
    value = record(Head())
    assert LATER_FIELD in value
    assert LATER_FIELD in parse_record(value).SerializeToString()


def test_a_chain_is_over_the_bytes_of_a_later_version_too() -> None:
    first = record(Head())
    head = next_head(first, parse_record(first).commit)
    assert head.hash == record_hash(first)
    assert continues(head, parse_record(record(head)).commit)
    fence = Fence(Checkpoint())
    counted = fence.count([Stored(0, None, takeover_record(b"n", "i")), Stored(1, b"s", first)])
    assert [one.value for one in counted] == [first]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (log_pb2.Record(format_version=2, takeover=log_pb2.Takeover()).SerializeToString(), "record format 2"),
        (log_pb2.Record(format_version=1).SerializeToString(), "a kind of record that this version doesn't know"),
        (b"\xff", "not a record"),
    ],
)
def test_a_reader_stops_at_what_it_cannot_read(value: bytes, said: str) -> None:
    fence = Fence(Checkpoint())
    with pytest.raises(UnreadableRecord, match=said):
        fence.see(Stored(0, None, value))
    assert fence.position == 0
