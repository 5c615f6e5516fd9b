"""Golden matches: stored records of whole matches, and what an omniscient reader saw after each commit.

`tests/golden/<rulebook>/<match>.jsonl` is a match record; `<match>.views.json` beside it holds, for each sequence
number, the SHA-256 of the omniscient view, and the last view in full. Only `make golden` writes them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import OMNISCIENT, Rulebook
from ludolog.record.match import Match, apply_commit
from ludolog.testkit.matching import as_json

HERE = Path(__file__).parent


def records(rulebook: str) -> list[Path]:
    """The stored matches of a rulebook."""
    return sorted((HERE / rulebook).glob("*.jsonl"))


def views_file(record: Path) -> Path:
    """Where the views of a stored match are kept."""
    return record.with_suffix(".views.json")


def views(rulebook: Rulebook[Any], commits: tuple[log_pb2.Commit, ...]) -> dict[str, Any]:
    """Fold stored commits with today's `evolve`; look with today's view.

    Where a room's content has changed since, today's stands in for it: what was drawn and decided stands in the events.
    """
    if not rulebook.has_content(commits[0].content_digest):
        rulebook = replace(rulebook, content_digest=commits[0].content_digest)
    match: Match[Any] = Match(game=rulebook.blank)
    digests, last = [], rulebook.view(match.game, OMNISCIENT)
    for commit in commits:
        match = apply_commit(rulebook, match, commit)
        last = rulebook.view(match.game, OMNISCIENT)
        digests.append(digest(last))
    return {"views": digests, "last_view": as_json(last)}


def digest(view: Message) -> str:
    """SHA-256 of a view as proto-JSON: fields that are added later and stay at their defaults change nothing."""
    text = json.dumps(as_json(view), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
