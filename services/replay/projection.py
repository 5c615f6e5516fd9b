"""What records mean to the archive. Pure: entries before × counted commits → rows to write and entries after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.takeovers import Counted
from ludolog.kernel import Rulebook, wire
from ludolog.record.commits import Head, continues, next_head
from ludolog.record.match import Match, apply_commit
from services.replay.tables import CORRUPT, FINISHED, LIVE

Row: TypeAlias = dict[str, Any]
CHANGING = ("status", "last_sequence", "last_hash", "awaiting", "outcome", "update_ms", "end_ms")
"""Columns of a match that its later commits change."""


@dataclass(frozen=True, slots=True)
class Place:
    """A partition of a topic."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A match as the archive has it."""

    match: Match[Any]
    head: Head = field(default_factory=Head)
    status: str = LIVE
    create_ms: int = 0


@dataclass(slots=True)
class Effects:
    """Rows to write in one transaction, and the entries that hold after it."""

    commits: list[Row] = field(default_factory=list)
    new_matches: list[Row] = field(default_factory=list)
    changed_matches: list[Row] = field(default_factory=list)
    new_seats: list[Row] = field(default_factory=list)
    turns: list[Row] = field(default_factory=list)
    seeds: list[Row] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    """Matches in which a counted commit doesn't continue the one before, or follows the end: corruption."""


def project(
    rulebook: Rulebook[Any], place: Place, counted: Iterable[Counted], entries: Mapping[str, Entry | None]
) -> Effects:
    """Work out what counted commits change. `entries` has every match among them; None: one that the archive is new to.

    UnknownEvent where this version doesn't know an event: nothing of the batch may be written.
    """
    effects = Effects()
    for item in counted:
        match_id = item.commit.stream_id
        entry = effects.entries.get(match_id) or entries[match_id] or Entry(Match(rulebook.blank))
        if entry.status == CORRUPT:
            continue
        if entry.status == FINISHED or not continues(entry.head, item.commit):
            effects.entries[match_id] = replace(entry, status=CORRUPT)
            effects.broken.append(match_id)
            continue
        effects.entries[match_id] = advance(rulebook, entry, item.value, item.commit)
        effects.commits.append(_commit_row(place, item))
    for match_id, entry in effects.entries.items():
        _match_rows(effects, rulebook, place, match_id, entry, known=entries[match_id] is not None)
    return effects


def advance(rulebook: Rulebook[Any], entry: Entry, record: bytes, commit: log_pb2.Commit) -> Entry:
    """An entry after one more commit that continues it."""
    match = apply_commit(rulebook, entry.match, commit)
    return Entry(
        match=match,
        head=next_head(record, commit),
        status=FINISHED if match.outcome else LIVE,
        create_ms=entry.create_ms or commit.commit_time.ToMilliseconds(),
    )


def reveals(place: Place, records: Iterable[log_pb2.Record]) -> Effects:
    """What the rng log's records change."""
    effects = Effects()
    seen: dict[str, Row] = {}
    for record in records:
        if record.HasField("seed_revealed"):
            reveal = record.seed_revealed
            row = {"match_id": reveal.match_id, "key_id": reveal.key_id, "seed": reveal.seed}
            seen.setdefault(reveal.match_id, {**row, "topic": place.topic, "partition": place.partition})
    effects.seeds.extend(seen.values())
    return effects


def awaiting(rulebook: Rulebook[Any], match: Match[Any]) -> list[match_pb2.Decision]:
    """Who is to decide what; nobody after the end, before the founding, or where the match's content isn't here."""
    if match.outcome is not None or match.founding is None or not rulebook.has_content(match.content_digest):
        return []
    return wire.decisions(rulebook.edition(match.content_digest).awaiting(match.game))


def _commit_row(place: Place, item: Counted) -> Row:
    return {
        "match_id": item.commit.stream_id,
        "sequence": item.commit.sequence,
        "topic": place.topic,
        "partition": place.partition,
        "log_offset": item.offset,
        "record": item.value,
        "commit_ms": item.commit.commit_time.ToMilliseconds(),
    }


def _match_rows(
    effects: Effects, rulebook: Rulebook[Any], place: Place, match_id: str, entry: Entry, *, known: bool
) -> None:
    decisions = awaiting(rulebook, entry.match) if entry.status == LIVE else []
    row = _match_row(match_id, entry, decisions)
    to_move = {decision.seat for decision in decisions}
    founding = entry.match.founding
    turns = [
        {"match_id": match_id, "seat": seat.seat, "player_id": seat.player_id, "to_move": int(seat.seat in to_move)}
        for seat in (founding.seats if founding else ())
    ]
    if known:
        effects.changed_matches.append(row)
        effects.turns.extend(turns)
    else:
        policy = founding.spectator_policy if founding else log_pb2.SPECTATOR_POLICY_UNSPECIFIED
        allowed = policy != log_pb2.SPECTATOR_POLICY_SEATS
        about = {"topic": place.topic, "partition": place.partition, "rulebook": rulebook.name}
        fixed = {"founded": founding is not None, "spectators_allowed": allowed, "create_ms": entry.create_ms}
        effects.new_matches.append({**row, **about, **fixed})
        effects.new_seats.extend(turns)


def _match_row(match_id: str, entry: Entry, decisions: list[match_pb2.Decision]) -> Row:
    outcome = entry.match.outcome
    return {
        "match_id": match_id,
        "status": entry.status,
        "last_sequence": entry.head.sequence,
        "last_hash": entry.head.hash,
        "awaiting": match_pb2.Update(awaiting=decisions).SerializeToString(),
        "outcome": None if outcome is None else outcome.SerializeToString(),
        "update_ms": entry.match.commit_time_ms,
        "end_ms": None if outcome is None else entry.match.commit_time_ms,
    }
