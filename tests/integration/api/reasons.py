"""Reasons of errors, as the code raises them and as docs/api.md has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ludolog.hosting import errors

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("libs/ludolog/hosting", "libs/ludolog/kernel", "libs/ludolog/record", "services")
REASON = re.compile(r"[A-Z]+(_[A-Z]+)*")
RAISES = {"ApiError", "Refusal", "NotFound", "TooMuch", "refuse", "not_yet"}
"""Calls that have a reason among their first arguments; others name it: reason="…"."""
OUTCOMES = {"ABORTED"}
"""Reasons of a match's end, which are no errors."""


def raised() -> set[str]:
    """Reasons that stand in the code."""
    found: set[str] = set()
    for base in SOURCES:
        for path in (ROOT / base).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    found.update(_reasons(node))
                elif isinstance(node, ast.ClassDef) and RAISES.intersection(map(_called, node.bases)):
                    found.update(_own_reason(node))
    names = (errors.LOG_UNAVAILABLE, "BAD_SERVICE_TOKEN", "NOT_OWNER")
    defaults = ("NOT_FOUND", "UNAUTHENTICATED", "PERMISSION_DENIED", "UNAVAILABLE", "OUT_OF_RANGE")
    judged = ("ALREADY_CANCELLED", "ALREADY_MATCHED")  # one call chooses between them
    return found.union(names, defaults, judged) - OUTCOMES


def _reasons(node: ast.Call) -> Iterator[str]:
    values = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
    yield from _spelt(values + (node.args[:2] if _called(node.func) in RAISES else []))


def _own_reason(node: ast.ClassDef) -> Iterator[str]:
    """What a kind of error hands to the kind above it: super().__init__("REASON", …)."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and _called(call.func) == "__init__":
            yield from _spelt(call.args[:1])


def _called(expression: ast.expr) -> str:
    return getattr(expression, "id", getattr(expression, "attr", ""))


def _spelt(values: Iterable[ast.expr]) -> Iterator[str]:
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and REASON.fullmatch(value.value):
            yield value.value


def documented() -> dict[str, set[str]]:
    """Reason → codes, as the guide has them."""
    table = (ROOT / "docs" / "api.md").read_text().partition("### Reasons")[2].partition("\n## ")[0]
    found: dict[str, set[str]] = {}
    for line in table.splitlines():
        if line.startswith("| `"):
            reasons, codes = line.split("|")[1:3]
            for reason in re.findall("`([A-Z_]+)`", reasons):
                assert reason not in found, f"{reason} is there twice"
                found[reason] = set(re.findall("`([A-Z_]+)`", codes))
    return found
