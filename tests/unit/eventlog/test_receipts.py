"""Receipts are what a dictionary of all commands would be, in 16 bytes each."""

import tracemalloc
from random import Random

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.answers import CommandIdReused, Receipt
from ludolog.eventlog.receipts import HASH_BYTES, Receipts

NAMES = [("seats/1", "a"), ("seats/1", "aa"), ("seats/11", "a"), ("seats/1", ""), ("", "a"), ("sæt", "十\U0001f3b2")]


def cause(actor: str, command_id: str, body: bytes = b"body") -> log_pb2.Cause:
    return log_pb2.Cause(actor=actor, command_id=command_id, body=body)


def receipts_of(causes: list[log_pb2.Cause], keep: int | None = None) -> Receipts:
    receipts = Receipts(keep)
    for sequence, one in enumerate(causes, 1):
        receipts.add(log_pb2.Commit(sequence=sequence, cause=one))
    return receipts


def many(count: int) -> list[log_pb2.Cause]:
    return [cause(f"seats/{number % 6}", f"{number:032x}", b"%d" % number) for number in range(count)]


def restored(receipts: Receipts, last: int, keep: int | None = None) -> Receipts:
    return Receipts.load(receipts.dump(), last, keep)


def test_each_command_has_the_number_of_its_commit() -> None:
    causes = [cause(*name) for name in NAMES]
    for count in range(len(NAMES) + 1):
        receipts = receipts_of(causes[:count])
        expected = [Receipt(number) if number <= count else None for number in range(1, len(NAMES) + 1)]
        assert [receipts.find(one) for one in causes] == expected
        assert [restored(receipts, count).find(one) for one in causes] == expected


def test_another_body_is_refused_with_the_first_ones_number() -> None:
    receipts = receipts_of(many(3))
    with pytest.raises(CommandIdReused) as reused:
        receipts.find(cause("seats/1", f"{1:032x}", b"another"))
    assert reused.value.sequence == 2


def test_only_the_newest_are_kept() -> None:
    causes = many(10)
    for receipts in (receipts_of(causes, keep=3), restored(receipts_of(causes[:9], keep=3), 9, keep=3)):
        if receipts.find(causes[9]) is None:
            receipts.add(log_pb2.Commit(sequence=10, cause=causes[9]))
        assert len(receipts) == 3
        assert [receipts.find(one) for one in causes] == [None] * 7 + [Receipt(8), Receipt(9), Receipt(10)]


def test_what_lies_across_two_hashes_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Receipts, "_hash", lambda _self, data: data[-HASH_BYTES:].rjust(HASH_BYTES, b"\0"))
    receipts = receipts_of([cause("", "abcdefgh"), cause("", "ijklmnop"), cause("", "efghijkl")])
    assert receipts.find(cause("", "efghijkl")) == Receipt(3)
    assert receipts.find(cause("", "cdefghij")) is None


def test_two_sessions_hash_by_different_keys() -> None:
    """So nobody who plays can look for two commands that share a hash."""
    first, second = receipts_of(many(20)).dump(), receipts_of(many(20)).dump()
    assert not {first[i : i + HASH_BYTES] for i in range(0, len(first), HASH_BYTES)} & {
        second[i : i + HASH_BYTES] for i in range(0, len(second), HASH_BYTES)
    }


@pytest.mark.parametrize("size", [15, 79, 81, 96])
def test_what_cannot_be_read(size: int) -> None:
    data = receipts_of(many(4)).dump() + bytes(16)
    with pytest.raises(ValueError, match="aren't receipts of 4 commits"):
        Receipts.load(data[:size], 4, None)


def test_takes_less_than_20_bytes_for_each_command() -> None:
    causes = many(1000)
    Random(1).shuffle(causes)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    receipts = receipts_of(causes)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / len(receipts) < 20
