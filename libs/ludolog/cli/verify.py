"""`ludolog verify FILE...`: play match records again, and say whether they hold."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from google.protobuf import json_format
from rich.console import Console
from rich.progress import track

from ludolog.api.gateway.v1 import tables_pb2
from ludolog.cli import content
from ludolog.cli.program import FAILED, OK, USAGE, UsageError
from ludolog.record.file import NotARecord, Receipt
from ludolog.record.publickeys import read_public_keys
from ludolog.record.verify import Report, verify

COMMITMENT_BYTES = 32
PUBLIC_KEY = "a key of the platform, a .pub file or in hex: head and receipt must be signed by those given"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="match records")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--commitment", metavar="HEX", help="the commitment that you kept from before the match")
    kept.add_argument("--receipt", metavar="FILE", type=Path, help="the receipt that you kept, as JSON")
    parser.add_argument("--public-key", action="append", default=[], metavar="KEY", help=PUBLIC_KEY)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    content.add_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Verify. 0 if every record holds, 1 if one doesn't or can't be checked, 2 for files that aren't records."""
    check = partial(
        verify,
        receipt=_receipt(options.receipt) if options.receipt else None,
        commitment=_hex(options.commitment, "--commitment") if options.commitment else None,
        public_keys=[key for given in options.public_key for key in _public_keys(given)],
        content=partial(content.files, folder=options.content),
    )
    quiet = options.json or len(options.files) == 1
    console = Console(stderr=True)
    paths = track(options.files, "verifying", console=console, transient=True, disable=quiet)
    reports = [(path, _verified(path, check)) for path in paths]
    holds = all(isinstance(report, Report) and report.holds for _, report in reports)
    if options.json:
        print(json.dumps({"holds": holds, "records": [_as_json(path, report) for path, report in reports]}))
    else:
        for path, report in reports:
            _print(path, report)
    if any(isinstance(report, str) for _, report in reports):
        return USAGE
    return OK if holds else FAILED


def _verified(path: Path, check: Callable[[bytes], Report]) -> Report | str:
    """The report, or why there can be none."""
    try:
        return check(path.read_bytes())
    except OSError as error:
        return error.strerror or str(error)
    except NotARecord as error:
        return str(error)


def _print(path: Path, report: Report | str) -> None:
    if isinstance(report, str):
        print(f"{path}: unreadable: {report}")
        return
    verdict = "holds" if report.holds else "DOES NOT HOLD"
    print(f"{path}: {verdict}")
    for check in report.checks:
        where = f" at commit {check.sequence}" if check.sequence else ""
        print(f"  {check.name:<11}{check.verdict.value}{where}: {check.detail}")


def _as_json(path: Path, report: Report | str) -> dict[str, Any]:
    if isinstance(report, str):
        return {"file": str(path), "holds": False, "unreadable": report}
    checks = [{"name": check.name, "verdict": check.verdict.value, "detail": check.detail} for check in report.checks]
    return {
        "file": str(path),
        "holds": report.holds,
        "rulebook": report.rulebook,
        "match_id": report.match_id,
        "broken_commit": report.broken_sequence,
        "checks": checks,
    }


def _receipt(path: Path) -> Receipt:
    """A receipt as the API gives it (proto-JSON: bytes in base64) or as a record's header has it (in hex)."""
    try:
        text = path.read_text(encoding="utf-8")
        message = json_format.Parse(text, tables_pb2.CommitmentReceipt())
        # 64 hex digits are base64 too, of something longer than a commitment.
        in_base64 = len(message.commitment) == COMMITMENT_BYTES
        receipt = Receipt.from_message(message) if in_base64 else msgspec.json.decode(text, type=Receipt)
        if len(bytes.fromhex(receipt.commitment)) != COMMITMENT_BYTES:
            raise ValueError("commitment must be 32 bytes, in base64 as the API gives it or in hex as a record has it")
    except (OSError, ValueError, json_format.ParseError) as error:
        raise UsageError(f"{path} isn't a receipt: {error}") from error
    return receipt


def _public_keys(given: str) -> list[bytes]:
    if not Path(given).is_file():
        return [_hex(given, "--public-key")]
    try:
        return [key.public_bytes_raw() for key in read_public_keys(Path(given).read_bytes())]
    except (OSError, ValueError) as error:
        raise UsageError(f"--public-key {given}: {error}") from error


def _hex(text: str, option: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError(f"{option}: {text!r} isn't hex") from None
