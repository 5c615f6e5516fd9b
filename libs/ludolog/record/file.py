"""The match record: one portable file that proves a match (docs/fairness.md, "The record file").

JSON lines, each in one encoding only, so that every byte counts: a header, a line for each commit with its stored
bytes, the seed, and an end with the head of the chain, a signature, and the SHA-256 of everything before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.fairness.seeds import prefixed, receipt_bytes
from ludolog.kernel import Content
from ludolog.record.commits import UnreadableRecord, parse_record, record_hash

FORMAT: Final = "ludolog-match-record"
VERSION = 1
L = TypeVar("L", bound="Line")


class NotARecord(ValueError):
    """The bytes aren't a match record at all, or one of a later format."""


class BrokenRecord(ValueError):
    """A match record with a wrong byte: in commit `sequence` (from 1), or outside of the commits (0)."""

    def __init__(self, sequence: int, problem: str) -> None:
        super().__init__(f"commit {sequence}: {problem}" if sequence else problem)
        self.sequence = sequence
        self.problem = problem


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the file: its fields in this order, no spaces, bytes in base64, digests in lower-case hex."""


class Receipt(Line, frozen=True, forbid_unknown_fields=True):
    """The platform's signed promise of a seed, as given when the table opened."""

    match_id: str
    commitment: str
    key_id: str
    signature: bytes
    public_key: str

    @classmethod
    def from_message(cls, receipt: tables_pb2.CommitmentReceipt) -> Receipt:
        """The receipt that the API gives."""
        return cls(
            match_id=receipt.match_id,
            commitment=receipt.commitment.hex(),
            key_id=receipt.key_id,
            signature=receipt.signature,
            public_key=receipt.public_key.hex(),
        )

    def signed_bytes(self) -> bytes:
        """What the signature is over. ValueError where the commitment isn't hex."""
        return receipt_bytes(self.match_id, bytes.fromhex(self.commitment), self.key_id)


class Header(Line, frozen=True, forbid_unknown_fields=True):
    """What was played; `content` holds the files that stand in for the rulebook's own."""

    format: Literal["ludolog-match-record"]
    version: int
    rulebook: str
    match_id: str
    rules_version: str
    content_digest: str
    content: dict[str, bytes] = {}
    receipt: Receipt | None = None


class CommitLine(Line, frozen=True, forbid_unknown_fields=True):
    """A commit: its sequence number, the SHA-256 of its record, the record as stored in the log."""

    commit: int
    hash: str
    record: bytes


class SeedLine(Line, frozen=True, forbid_unknown_fields=True):
    """The match's seed, 32 bytes in hex."""

    seed: str


class End(Line, frozen=True, forbid_unknown_fields=True):
    """What closes the file; `signature` is over `head_bytes`, `sha256` over all bytes of the file before this line."""

    commits: int
    head: str
    signature: bytes | None
    public_key: str | None
    sha256: str


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A record file whose bytes are whole: encoding, hashes of lines, the file's digest. `verify` does the rest."""

    header: Header
    records: tuple[bytes, ...]
    commits: tuple[log_pb2.Commit, ...] = field(repr=False)
    seed: bytes = field(repr=False)
    end: End


def head_bytes(match_id: str, head: bytes) -> bytes:
    """What the platform signs (Ed25519, RFC 8032) to close a record."""
    return prefixed(b"ludolog/head/v1", match_id.encode(), head)


def write_record(
    records: Iterable[bytes],
    seed: bytes,
    *,
    content: Mapping[str, bytes] | None = None,
    receipt: Receipt | None = None,
    key: Ed25519PrivateKey | None = None,
) -> bytes:
    """Make the file of a finished match from its records as stored. See `record_lines`."""
    return b"".join(record_lines(records, seed, content=content, receipt=receipt, key=key))


def record_lines(
    records: Iterable[bytes],
    seed: bytes,
    *,
    content: Mapping[str, bytes] | None = None,
    receipt: Receipt | None = None,
    key: Ed25519PrivateKey | None = None,
) -> Iterator[bytes]:
    """Yield the file line by line. `content`: overridden files only; `key` signs the head.

    UnreadableRecord for a record of another format; ValueError where there is none or the first one founds no match.
    """
    sha = hashlib.sha256()
    match_id, head, count = "", b"", 0
    for count, record in enumerate(records, 1):
        commit = parse_record(record).commit
        if count == 1:
            match_id = commit.stream_id
            line = _encode(_header(commit, content or {}, receipt))
            sha.update(line)
            yield line
        head = record_hash(record)
        line = _encode(CommitLine(commit.sequence, head.hex(), record))
        sha.update(line)
        yield line
    if not count:
        raise ValueError("a match without commits has no record")
    line = _encode(SeedLine(seed.hex()))
    sha.update(line)
    yield line
    signature = key.sign(head_bytes(match_id, head)) if key else None
    public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex() if key else None
    yield _encode(End(count, head.hex(), signature, public, sha.hexdigest()))


def _header(first: log_pb2.Commit, content: Mapping[str, bytes], receipt: Receipt | None) -> Header:
    cause = log_pb2.MatchCause.FromString(first.cause.body)
    if cause.WhichOneof("kind") != "create":
        raise ValueError("the first commit founds no match")
    return Header(
        format=FORMAT,
        version=VERSION,
        rulebook=cause.create.rulebook,
        match_id=first.stream_id,
        rules_version=first.rules_version,
        content_digest=first.content_digest.hex(),
        content=dict(sorted(content.items())),
        receipt=receipt,
    )


def overridden(content: Content, printed: Content) -> dict[str, bytes]:
    """The files of `content` that aren't as in the rulebook's own room: they travel in the record."""
    return {name: data for name, data in sorted(content.items()) if printed.get(name) != data}


def read_record(data: bytes) -> MatchRecord:
    """Read a file strictly. NotARecord, or BrokenRecord that names the commit whose line is wrong."""
    lines = data.split(b"\n")
    if not _looks_like_one(lines):
        raise NotARecord("not a match record of this format")
    ended = lines[-1] == b""
    lines = lines[:-1] if ended else lines
    header = _header_line(lines[0])
    expected = _commits_claimed(lines[-1])
    records, commits, place = [], [], 1
    while place < len(lines) and not _is_seed(lines, place, expected):
        records.append(_commit_line(lines[place], place))
        commits.append(_parsed(records[-1], place))
        place += 1
    seed = _seed_line(lines, place)
    end = _end_line(lines, place + 1, ended=ended)
    before = b"".join(line + b"\n" for line in lines[: place + 1])
    if end.commits != len(records) or end.head != (record_hash(records[-1]).hex() if records else ""):
        raise BrokenRecord(0, "the end names another number of commits or another head")
    if hashlib.sha256(before).hexdigest() != end.sha256:
        raise BrokenRecord(0, "the SHA-256 of the file is another one")
    return MatchRecord(header, tuple(records), tuple(commits), seed, end)


def _looks_like_one(lines: list[bytes]) -> bool:
    """Even with a wrong byte somewhere: the first line, or the second, is ours."""
    return FORMAT.encode() in lines[0] or any(line.startswith(b'{"commit":') for line in lines[1:3])


def _encode(line: Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"


def _decode(line: bytes, kind: type[L], sequence: int, what: str) -> L:
    try:
        found = msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BrokenRecord(sequence, f"{what} can't be read: {error}") from None
    if msgspec.json.encode(found) != line:
        raise BrokenRecord(sequence, f"{what} isn't in the record's encoding")
    return found


def _header_line(line: bytes) -> Header:
    header = _decode(line, Header, 0, "the header")
    if header.version != VERSION:
        raise BrokenRecord(0, f"the header names version {header.version}; this one reads {VERSION}")
    return header


def _commit_line(line: bytes, sequence: int) -> bytes:
    found = _decode(line, CommitLine, sequence, "the line")
    if found.commit != sequence:
        raise BrokenRecord(sequence, f"the line is numbered {found.commit}")
    if record_hash(found.record).hex() != found.hash:
        raise BrokenRecord(sequence, "the record has another hash than the line says")
    return found.record


def _parsed(record: bytes, sequence: int) -> log_pb2.Commit:
    try:
        parsed = parse_record(record)
    except UnreadableRecord as error:
        raise BrokenRecord(sequence, str(error)) from None
    if not parsed.HasField("commit"):
        raise BrokenRecord(sequence, "the record isn't a commit")
    return parsed.commit


def _commits_claimed(last_line: bytes) -> int | None:
    """The number of commits that an intact end names."""
    try:
        return _decode(last_line, End, 0, "").commits
    except BrokenRecord:
        return None


def _is_seed(lines: list[bytes], place: int, expected: int | None) -> bool:
    """Is this the seed's line, maybe a broken one? The end says how many commits are before it, if it is intact."""
    if lines[place].startswith((b'{"seed', b'{"commit')):
        return lines[place].startswith(b'{"seed')
    return place > expected if expected is not None else place == len(lines) - 2


def _seed_line(lines: list[bytes], place: int) -> bytes:
    if place >= len(lines):
        raise BrokenRecord(0, "the seed is missing")
    return _from_hex(_decode(lines[place], SeedLine, 0, "the seed").seed, "the seed")


def _end_line(lines: list[bytes], place: int, *, ended: bool) -> End:
    if place != len(lines) - 1 or not ended:
        raise BrokenRecord(0, "the file doesn't stop with its end")
    end = _decode(lines[place], End, 0, "the end")
    if end.public_key is not None:
        _from_hex(end.public_key, "the public key")
    return end


def _from_hex(text: str, what: str) -> bytes:
    """Lower case only and nothing between: two texts for the same bytes would let one be changed unseen."""
    try:
        found = bytes.fromhex(text)
    except ValueError:
        raise BrokenRecord(0, f"{what} isn't hex") from None
    if found.hex() != text:
        raise BrokenRecord(0, f"{what} isn't in the record's encoding")
    return found
