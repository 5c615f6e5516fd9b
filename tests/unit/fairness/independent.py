"""A verifier that shares no code with ours: written from docs/fairness.md with the standard library alone.

It checks a record file's hashes, chain and commitment, and draws every draw again. It knows no rules.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from itertools import count


def lp(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def hkdf_sha256(key: bytes, info: bytes) -> bytes:
    """RFC 5869 with an empty salt, one block of output."""
    extracted = hmac.new(bytes(32), key, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


def seed_of(master_key: bytes, match_id: str) -> bytes:
    return hkdf_sha256(master_key, lp(b"ludolog/seed/v1") + lp(match_id.encode()))


def commitment_of(seed: bytes) -> bytes:
    return hashlib.sha256(lp(b"ludolog/commitment/v1") + seed).digest()


def entropy_of(contributions: list[bytes]) -> bytes:
    return hashlib.sha256(lp(b"ludolog/entropy/v1") + b"".join(map(lp, contributions))).digest()


def block_of(seed: bytes, match_id: str, index: int, entropy: bytes) -> bytes:
    parts = (b"ludolog/block/v1", match_id.encode(), index.to_bytes(8, "big"), entropy)
    return hmac.new(seed, b"".join(map(lp, parts)), hashlib.sha256).digest()


def words_of(block: bytes) -> Iterator[int]:
    for number in count():
        chunk = hmac.new(block, lp(b"ludolog/draw/v1") + number.to_bytes(4, "big"), hashlib.sha256).hexdigest()
        yield from (int(chunk[place : place + 8], 16) for place in range(0, 64, 8))


def below(words: Iterator[int], size: int) -> int:
    if size == 1:
        return 0
    most = (1 << 32) // size * size
    return next(word for word in words if word < most) % size


def draw_again(block: bytes, draws: list[tuple[int, int]]) -> list[list[int]]:
    """(size, number of values) of each draw of a commit → the values."""
    words = words_of(block)
    drawn = []
    for size, values in draws:
        if values == 1:
            drawn.append([below(words, size) + 1])
            continue
        places = list(range(1, size + 1))
        for last in reversed(range(1, size)):
            other = below(words, last + 1)
            places[last], places[other] = places[other], places[last]
        drawn.append(places)
    return drawn


def fields(data: bytes) -> dict[int, list[int | bytes]]:
    """A protobuf message's varint and length-delimited fields."""
    found: dict[int, list[int | bytes]] = {}
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(data):
        tag = varint()
        value: int | bytes = varint()
        if tag & 7 == 2:
            length = int(value)
            value, place = data[place : place + length], place + length
        found.setdefault(tag >> 3, []).append(value)
    return found


def packed(data: bytes) -> list[int]:
    """A packed repeated varint."""
    wrapped = b"".join(b"\x08" + part for part in split_varints(data))
    return [int(value) for value in fields(wrapped).get(1, [])]


def split_varints(data: bytes) -> Iterator[bytes]:
    start = 0
    for place, byte in enumerate(data, 1):
        if byte < 0x80:
            yield data[start:place]
            start = place


def check(file: bytes) -> int:
    """Check a record file. Returns how many draws were drawn again; AssertionError for whatever doesn't hold."""
    header, *commits, seed_line, end = map(json.loads, file.splitlines())
    seed, before, entropy, drawn = bytes.fromhex(seed_line["seed"]), b"", b"", 0
    for number, line in enumerate(commits, 1):
        record = base64.b64decode(line["record"])
        assert (line["commit"], line["hash"]) == (number, hashlib.sha256(record).hexdigest())
        commit = fields(fields(record)[3][0])  # type: ignore[arg-type]  # a message, not a number
        assert commit.get(4, [b""]) == [before]
        before = hashlib.sha256(record).digest()
        if number == 1:
            founding = fields(fields(fields(commit[5][0])[3][0])[1][0])  # type: ignore[arg-type]
            entropy = entropy_of([fields(seat)[3][0] for seat in founding[3]])  # type: ignore[arg-type, misc]
            assert founding[4] == [commitment_of(seed)]
        recorded = [fields(draw) for draw in commit.get(8, [])]  # type: ignore[arg-type]
        values = [packed(draw[3][0]) for draw in recorded]  # type: ignore[arg-type]
        asked = [(int(draw[2][0]), len(found)) for draw, found in zip(recorded, values, strict=True)]
        if asked:
            block = block_of(seed, header["match_id"], int(commit[7][0]), entropy)
            assert draw_again(block, asked) == values
            drawn += len(asked)
    assert end["head"] == before.hex()
    assert end["sha256"] == hashlib.sha256(b"".join(file.splitlines(keepends=True)[:-1])).hexdigest()
    return drawn
