"""What clients write down while things are killed around them. Times are Unix seconds."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field

from ludolog.api.match.v1 import match_pb2

SPECTATOR = "spectator"
NO_LIMIT = float("inf")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client was told about a command: the number of its receipt, or why it was refused."""

    at_s: float
    sequence: int = 0
    refused: str = ""


@dataclass(slots=True)
class Command:
    """A command of a seat, with every answer that there was to its id."""

    submitted_s: float
    answers: list[Answer] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Seen:
    """An update as it came. `content`: digest of its events and its view."""

    sequence: int
    content: bytes
    commit_ms: int
    at_s: float = 0.0
    snapshot: bool = False
    ends: bool = False


@dataclass(slots=True)
class Journal:
    """What one seat or one spectator of a match did and saw."""

    match: str
    audience: str
    """"seats/3", or "spectator"."""
    commands: dict[str, Command] = field(default_factory=dict)
    stretches: list[list[Seen]] = field(default_factory=list)
    """Updates, connection by connection."""
    failed: str = ""
    """Why it ended before its match did."""

    def submitted(self, command_id: str) -> Command:
        """A command goes out."""
        return self.commands.setdefault(command_id, Command(time.time()))

    def opened(self) -> None:
        """A connection begins."""
        self.stretches.append([])

    def saw(self, update: match_pb2.Update) -> Seen:
        """An update has come."""
        digest = hashlib.sha256(update.view.SerializeToString(deterministic=True))
        for event in update.events:
            digest.update(event.SerializeToString(deterministic=True))
        seen = Seen(
            update.sequence,
            digest.digest(),
            update.commit_time.ToMilliseconds(),
            time.time(),
            update.snapshot,
            update.HasField("outcome"),
        )
        self.stretches[-1].append(seen)
        return seen

    @property
    def seen(self) -> list[Seen]:
        """Every update, in the order in which they came."""
        return [seen for stretch in self.stretches for seen in stretch]

    def first_receipt_s(self, after_s: float) -> float:
        """When the first receipt after a moment came; infinite where none did."""
        answers = (answer for command in self.commands.values() for answer in command.answers if answer.sequence)
        return min((answer.at_s for answer in answers if answer.at_s > after_s), default=NO_LIMIT)

    def first_news_s(self, after_s: float) -> float:
        """When the first update came whose commit was made after a moment; infinite where none did."""
        fresh = (seen.at_s for seen in self.seen if seen.commit_ms >= after_s * 1000 and not seen.snapshot)
        return min(fresh, default=NO_LIMIT)

    def over(self) -> bool:
        """Whether the end of the match was seen."""
        return any(seen.ends for stretch in self.stretches for seen in stretch[-1:])


@dataclass(slots=True)
class History:
    """Everything that was written down."""

    journals: list[Journal] = field(default_factory=list)
    promised: list[str] = field(default_factory=list)
    """Matches that a table named: they must exist."""
    commitments: dict[str, bytes] = field(default_factory=dict)
    """What was promised of each match's seed before it began."""
    troubles: list[str] = field(default_factory=list)
    """Answers that no client should ever get."""

    def journal(self, match: str, audience: str) -> Journal:
        """Begin a journal."""
        self.journals.append(Journal(match, audience))
        return self.journals[-1]
