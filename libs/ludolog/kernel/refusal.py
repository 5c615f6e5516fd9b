"""How the rules say no."""

from __future__ import annotations

from typing import TypeAlias

Fact: TypeAlias = str | int | bool


class Refusal(Exception):
    """A cause that the rules don't allow. Nothing has changed.

    `reason` is UPPER_SNAKE; `section` names the rulebook's section (or, for the platform's own rules, "Platform");
    `facts` are public details. A fact must never depend on what the refused seat may not know.
    """

    def __init__(self, reason: str, section: str, **facts: Fact) -> None:
        super().__init__(reason)
        self.reason = reason
        self.section = section
        self.facts = facts

    def __str__(self) -> str:
        facts = ", ".join(f"{name}={value}" for name, value in self.facts.items())
        return f"{self.reason} ({self.section})" + (f": {facts}" if facts else "")


class BadInput(Refusal):
    """A message that can't be a command at all: a field is missing, unknown, out of range or of the wrong type."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__("INVALID_FIELD", "Platform", field=field, problem=problem)
        self.field = field
        self.problem = problem


class StaleDecision(Refusal):
    """An answer to a decision that isn't open: what people meet who are a moment late."""

    def __init__(self, decision_id: str) -> None:
        super().__init__("STALE_DECISION", "Platform", decision_id=decision_id)

    def __str__(self) -> str:
        return "that decision isn't open any more"


class OtherContent(Refusal):
    """A match was begun with content that isn't here: it can neither go on nor be shown."""

    def __init__(self, digest: bytes) -> None:
        super().__init__("OTHER_CONTENT", "Platform", content=digest.hex())

    def __str__(self) -> str:
        return f"OTHER_CONTENT: the game's content of this match isn't here any more: {self.facts['content']}"
