"""The record file of a finished match, and its verification on the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ludolog.api.gateway.v1 import replays_pb2
from ludolog.api.log.v1 import log_pb2
from ludolog.fairness import receipt_bytes
from ludolog.kernel import Rulebook
from ludolog.record.commits import parse_record
from ludolog.record.file import Receipt, overridden, write_record
from ludolog.record.verify import Report, Verdict, verify
from ludolog.rulebooks import catalogue

AT_ONCE = 2
"""Files that are made or verified at the same time; the others wait."""


class Proofs:
    """Makes and verifies record files in worker threads: the event loop goes on."""

    def __init__(self, key: Ed25519PrivateKey, trusted: Callable[[], Collection[bytes]]) -> None:
        """`key` is the archive's: it signs the head of each file. `trusted`: public keys whose signatures count."""
        self._key = key
        self._trusted = trusted
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def file(self, rulebook: Rulebook[Any], records: Sequence[bytes], seed: bytes) -> bytes:
        """The record file of a match from its stored records. ValueError for one that was never founded."""
        async with self._turns:
            return await asyncio.to_thread(self._file, rulebook, records, seed)

    async def verified(self, file: bytes) -> replays_pb2.VerifyReplayResponse:
        """What a verification of a file finds."""
        async with self._turns:
            return found(await asyncio.to_thread(verify, file, public_keys=self._trusted()))

    def _file(self, rulebook: Rulebook[Any], records: Sequence[bytes], seed: bytes) -> bytes:
        first = parse_record(records[0]).commit
        content = _content(rulebook, first.content_digest)
        receipt = self._receipt(first)
        return write_record(records, seed, content=content, receipt=receipt, key=self._key)

    def _receipt(self, first: log_pb2.Commit) -> Receipt:
        """The promise that the match was founded on, as the first commit repeats it."""
        founding = log_pb2.MatchCause.FromString(first.cause.body).create
        signature, public_key = founding.receipt_signature, founding.receipt_public_key
        if not signature:
            # Founded when the receipt wasn't in the log yet: the archive vouches for what the first commit says.
            signature = self._key.sign(receipt_bytes(first.stream_id, founding.commitment, founding.key_id))
            public_key = self._key.public_key().public_bytes_raw()
        return Receipt(
            match_id=first.stream_id,
            commitment=founding.commitment.hex(),
            key_id=founding.key_id,
            signature=signature,
            public_key=public_key.hex(),
        )


def _content(rulebook: Rulebook[Any], digest: bytes) -> dict[str, bytes]:
    """What a match was played with instead of the room's own files; nothing where it isn't here."""
    if not rulebook.has_content(digest):
        return {}
    return overridden(rulebook.edition(digest).content, catalogue.read_content(rulebook.name))


def found(report: Report) -> replays_pb2.VerifyReplayResponse:
    """A report as a message."""
    return replays_pb2.VerifyReplayResponse(
        holds=report.holds,
        checks=[
            replays_pb2.VerifyReplayResponse.Check(
                name=check.name, holds=check.verdict is Verdict.HOLDS, detail=check.detail
            )
            for check in report.checks
        ],
        broken_sequence=report.broken_sequence,
    )
