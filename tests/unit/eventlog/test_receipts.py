"""Packed receipts are what a dictionary would be, in a fifth of its memory."""

import hashlib
import tracemalloc
from random import Random

import pytest

from ludolog.eventlog.receipts import PackedReceipts

KEYS = [
    ("seats/1", "a"),
    ("seats/1", "aa"),
    ("seats/11", "a"),
    ("engine", "timeout:3:day-1"),
    ("seats/1", ""),
    ("", "a"),
]


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def test_like_a_dictionary() -> None:
    chance, packed, plain = Random(1), PackedReceipts(), dict[tuple[str, str], tuple[int, bytes]]()
    for step in range(400):
        key = chance.choice(KEYS)
        if chance.random() < 0.4 and key in plain:
            del packed[key]
            del plain[key]
        else:
            packed[key] = plain[key] = (step << chance.choice((0, 40)), digest(str(step)))
        assert list(packed.items()) == list(plain.items())
        assert len(packed) == len(plain)
        assert [packed.get(other) for other in KEYS] == [plain.get(other) for other in KEYS]
    packed.clear()
    assert not packed
    assert list(packed) == []


def test_a_key_is_never_found_in_a_digest_or_in_parts_of_others() -> None:
    packed = PackedReceipts()
    packed["seats/1", "one"] = (1, b"\xffseats/2\xfetwo\xff".ljust(32, b"\0"))
    packed["seats/1", "three"] = (2, bytes(32))
    for key in (("seats/2", "two"), ("seats/1", "thre"), ("eats/1", "one"), ("seats/1", "onesomething")):
        assert key not in packed
        with pytest.raises(KeyError):
            del packed[key]
    assert packed["seats/1", "three"] == (2, bytes(32))


def test_names_of_any_alphabet() -> None:
    packed = PackedReceipts()
    packed["sæt", "十\U0001f3b2"] = (7, digest("7"))
    assert list(packed) == [("sæt", "十\U0001f3b2")]


def test_a_digest_of_another_length() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        PackedReceipts()["seats/1", "one"] = (1, b"short")


def test_takes_less_than_120_bytes_for_a_command_id_of_36() -> None:
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    packed = PackedReceipts()
    for number in range(200):
        packed["seats/1", f"{number:036x}"] = (number, digest(str(number)))
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / len(packed) < 120
