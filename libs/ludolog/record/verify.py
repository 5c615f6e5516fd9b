"""Verification: a record holds if playing every command again gives the same match, byte for byte.

The blocks are computed anew from the seed; nothing that stands in the record is believed.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ludolog.fairness import commitment as commitment_of
from ludolog.kernel import Content, Rulebook
from ludolog.record.file import BrokenRecord, MatchRecord, Receipt, head_bytes, read_record
from ludolog.record.replay import CantCheck, Mismatch, chain, founding_of, replay
from ludolog.rulebooks import catalogue


class Verdict(enum.Enum):
    """What a check found."""

    HOLDS = "holds"
    BROKEN = "broken"
    CANNOT_CHECK = "cannot check"


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, what it found, and details for people; `sequence` is the commit that is broken, 0: none."""

    name: str
    verdict: Verdict
    detail: str
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What a verification found, in the order in which it looked. It stops at the first check that doesn't hold."""

    checks: tuple[Check, ...]
    rulebook: str = ""
    match_id: str = ""

    @property
    def holds(self) -> bool:
        """True only if every check was made and holds."""
        return all(check.verdict is Verdict.HOLDS for check in self.checks)

    @property
    def broken_sequence(self) -> int:
        """The first broken commit; 0 where none is."""
        return next((check.sequence for check in self.checks if check.verdict is Verdict.BROKEN), 0)


def verify(
    data: bytes,
    *,
    receipt: Receipt | None = None,
    commitment: bytes | None = None,
    public_keys: Collection[bytes] = (),
    content: Callable[[str], Content] = catalogue.read_content,
) -> Report:
    """Verify a record file.

    `receipt` and `commitment` are what a player kept from before the match; `public_keys` the platform's keys, 32 bytes
    each, one of which head and receipts must then be signed by (not always the same). `content` gives a rulebook's
    files (those in the record go first). NotARecord for other bytes than a record's.
    """
    checks: list[Check] = []
    try:
        record = read_record(data)
    except BrokenRecord as error:
        return Report((Check("file", Verdict.BROKEN, error.problem, error.sequence),))
    checks.append(Check("file", Verdict.HOLDS, f"{len(data)} bytes, {len(record.commits)} commits"))
    kept = _Kept(receipt, commitment, frozenset(public_keys))
    steps: tuple[tuple[str, Callable[[], str]], ...] = (
        ("chain", lambda: chain(record)),
        ("signature", lambda: _check_head(record, kept)),
        ("founding", lambda: _check_founding(record)),
        ("commitment", lambda: _check_commitment(record, kept)),
        ("replay", lambda: replay(record, rulebook_of(record, content))),
    )
    for name, step in steps:
        checks.append(_checked(name, step))
        if checks[-1].verdict is not Verdict.HOLDS:
            break
    return Report(tuple(checks), record.header.rulebook, record.header.match_id)


def _checked(name: str, step: Callable[[], str]) -> Check:
    try:
        return Check(name, Verdict.HOLDS, step())
    except Mismatch as error:
        return Check(name, Verdict.BROKEN, str(error), error.sequence)
    except CantCheck as error:
        return Check(name, Verdict.CANNOT_CHECK, str(error))


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a player kept: believed more than the record."""

    receipt: Receipt | None
    commitment: bytes | None
    public_keys: frozenset[bytes]


def _check_head(record: MatchRecord, kept: _Kept) -> str:
    """The head is signed by the platform."""
    end = record.end
    if end.signature is None or end.public_key is None:
        if kept.public_keys or (end.signature is None) != (end.public_key is None):
            raise Mismatch(0, "the head isn't signed")
        return "the head isn't signed"
    signed = head_bytes(record.header.match_id, bytes.fromhex(end.head))
    _check_signature(end.public_key, end.signature, signed, kept.public_keys, "head")
    return f"head {end.head[:16]}… is signed by {end.public_key[:16]}…"


def _check_signature(public_key: str, signature: bytes, signed: bytes, trusted: Collection[bytes], what: str) -> None:
    if trusted and public_key not in {key.hex() for key in trusted}:
        names = " or ".join(sorted(f"{key.hex()[:16]}…" for key in trusted))
        raise Mismatch(0, f"the {what} is signed by {public_key[:16]}…, not by {names}")
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(signature, signed)
    except (InvalidSignature, ValueError):
        raise Mismatch(0, f"the signature of the {what} doesn't hold") from None


def _check_founding(record: MatchRecord) -> str:
    """The header says what the first commit says."""
    header, first = record.header, record.commits[0]
    founding = founding_of(record)
    said = (header.rulebook, header.match_id, header.rules_version, header.content_digest)
    found = (founding.rulebook, first.stream_id, first.rules_version, first.content_digest.hex())
    if said != found:
        raise Mismatch(0, f"the header says {said}, the first commit {found}")
    try:
        named = catalogue.of_match(header.match_id)
    except catalogue.UnknownRulebook as error:
        raise CantCheck(str(error)) from None
    if named != founding.rulebook:
        raise Mismatch(1, f"the id {header.match_id} is of a match of {named}")
    return f"{founding.rulebook}, {len(founding.seats)} seats, rules {first.rules_version}"


def _check_commitment(record: MatchRecord, kept: _Kept) -> str:
    """The seed is the one that was promised before anybody sat down."""
    promised = founding_of(record).commitment
    if commitment_of(record.seed) != promised:
        raise Mismatch(1, "the seed isn't the one that was promised in the first commit")
    if kept.commitment is not None and kept.commitment != promised:
        raise Mismatch(1, f"the match was founded on {promised.hex()}, not on the commitment {kept.commitment.hex()}")
    for receipt in (record.header.receipt, kept.receipt):
        if receipt is not None:
            _check_receipt(record, receipt, kept)
    shown = kept.receipt or record.header.receipt
    by = f" and signed by {shown.public_key[:16]}…" if shown is not None else ""
    return f"SHA-256 of the seed is {promised.hex()[:16]}…, as promised{by}"


def _check_receipt(record: MatchRecord, receipt: Receipt, kept: _Kept) -> None:
    founding = founding_of(record)
    for what, promised, found in (
        ("match id", receipt.match_id, record.header.match_id),
        ("commitment", receipt.commitment, founding.commitment.hex()),
        ("key id", receipt.key_id, founding.key_id),
    ):
        if promised != found:
            raise Mismatch(1, f"the receipt's {what} is {promised}, the match's is {found}")
    _check_signature(receipt.public_key, receipt.signature, receipt.signed_bytes(), kept.public_keys, "receipt")


def rulebook_of(record: MatchRecord, content: Callable[[str], Content] = catalogue.read_content) -> Rulebook[Any]:
    """The rulebook with the content of the match. CantCheck where neither record, `content` nor the room has it."""
    header = record.header
    try:
        for base in (content, catalogue.read_content):
            files = {**base(header.rulebook), **header.content}
            if catalogue.digest(files).hex() == header.content_digest:
                return catalogue.build(header.rulebook, files)
        raise CantCheck(f"{header.rulebook} has other content here than in the match: give it with --content")
    except catalogue.UnknownRulebook as error:
        raise CantCheck(str(error)) from None
    except (ValueError, KeyError) as error:
        raise CantCheck(f"the content can't be read: {error}") from None
