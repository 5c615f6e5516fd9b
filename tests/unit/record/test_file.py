"""The record file: one encoding, and every byte of it counts."""

from __future__ import annotations

import random

import pytest

from ludolog.record.commits import UnreadableRecord
from ludolog.record.file import BrokenRecord, NotARecord, overridden, read_record, write_record
from ludolog.record.verify import verify
from tests.unit.record.matches import file_of, finished


def test_what_is_written_is_read() -> None:
    table = finished()
    record = read_record(file_of())
    assert list(record.records) == table.records
    assert record.seed == table.seed
    assert record.header.match_id == table.setting.match_id
    assert record.header.content == {}
    assert record.end.head == table.head.hash.hex()
    assert [commit.sequence for commit in record.commits] == list(range(1, len(table.records) + 1))


def test_the_same_match_gives_the_same_file() -> None:
    table = finished()
    assert write_record(iter(table.records), table.seed) == file_of(signed=False)


def expected_sequence(data: bytes, place: int) -> int:
    """The commit whose line holds a byte (its line feed included); 0 for header, seed and end."""
    line = data[:place].count(b"\n")
    commits = data.count(b"\n") - 3
    return line if 1 <= line <= commits else 0


@pytest.mark.parametrize("signed", [True, False])
def test_every_flipped_byte_is_found_and_its_commit_named(signed: bool) -> None:
    data = file_of(signed=signed)
    luck = random.Random(1)
    for place in range(len(data)):
        others = {data[place] ^ 1, data[place] ^ 0x20, luck.randrange(256), ord("\n"), ord('"')} - {data[place]}
        for other in sorted(others):
            flipped = data[:place] + bytes([other]) + data[place + 1 :]
            report = verify(flipped)
            assert not report.holds, (place, other)
            assert report.broken_sequence == expected_sequence(data, place), (place, other, report)


@pytest.mark.parametrize("cut", ["byte", "line", "all commits", "end", "nothing but the header"])
def test_a_file_that_is_cut_short_is_found(cut: str) -> None:
    lines = file_of().splitlines(keepends=True)
    short = {
        "byte": file_of()[:-1],
        "line": b"".join([*lines[:4], *lines[5:]]),
        "all commits": b"".join([lines[0], *lines[-2:]]),
        "end": b"".join(lines[:-1]),
        "nothing but the header": lines[0],
    }[cut]
    with pytest.raises(BrokenRecord):
        read_record(short)


def test_a_line_that_stands_twice_is_found() -> None:
    lines = file_of().splitlines(keepends=True)
    with pytest.raises(BrokenRecord) as found:
        read_record(b"".join([*lines[:4], lines[3], *lines[4:]]))
    assert found.value.sequence == 4


def test_more_bytes_after_the_end_are_found() -> None:
    for more in (b"\n", b" ", b"{}\n"):
        with pytest.raises(BrokenRecord):
            read_record(file_of() + more)


@pytest.mark.parametrize("data", [b"", b"\n", b"hello\n", b"{}\n", b"\xff" * 100, b'{"format":"another"}\n'])
def test_other_files_are_no_records(data: bytes) -> None:
    with pytest.raises(NotARecord):
        read_record(data)


def test_what_cannot_be_written_is_refused() -> None:
    table = finished()
    with pytest.raises(ValueError, match="without commits"):
        write_record([], table.seed)
    with pytest.raises(ValueError, match="founds no match"):
        write_record(table.records[1:], table.seed)
    with pytest.raises(UnreadableRecord):
        write_record([b"\xff\xff"], table.seed)


def test_overridden_files_are_those_that_differ() -> None:
    assert overridden({"a": b"1", "b": b"2", "c": b"3"}, {"a": b"1", "b": b"0"}) == {"b": b"2", "c": b"3"}
