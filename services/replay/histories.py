"""Matches as lists of steps, folded from the archive and kept while they are looked at: a frame costs one view."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ludolog.api.log.v1 import log_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.kernel import Rulebook, Viewer
from ludolog.record.commits import Head, continues, next_head, parse_record
from ludolog.record.match import Match, apply_commit
from ludolog.record.updates import update
from services.replay.projection import Place
from services.replay.queries import Queries

PAGE = 500
STEPS = 20_000
"""Most steps kept in memory, over all matches."""


@dataclass(frozen=True, slots=True)
class Step:
    """One commit between two states of its match."""

    commit: log_pb2.Commit
    before: Match[Any] | None
    after: Match[Any]


@dataclass(slots=True)
class History:
    """A match from its first commit on."""

    rulebook: Rulebook[Any]
    steps: list[Step] = field(default_factory=list)
    head: Head = field(default_factory=Head)

    @property
    def last(self) -> Match[Any]:
        """The match after its last step."""
        return self.steps[-1].after if self.steps else Match(self.rulebook.blank)

    def frame(self, sequence: int, viewer: Viewer) -> match_pb2.Update:
        """The update of a commit for a viewer: byte for byte what was streamed while the match was on."""
        step = self.steps[sequence - 1]
        return update(self.rulebook, step.before, step.after, step.commit, viewer)


class Histories:
    """The histories that are kept, the least recently used ones given up first."""

    def __init__(self, queries: Queries, rulebook: Callable[[str], Rulebook[Any]], most_steps: int = STEPS) -> None:
        """`rulebook` gives the rulebook of a match id."""
        self._queries = queries
        self._rulebook = rulebook
        self._most = most_steps
        self._kept: OrderedDict[str, History] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def history(self, match_id: str, place: Place, sequence: int) -> History:
        """A match up to at least a commit, or up to what the archive has where that is less."""
        lock = self._locks.setdefault(match_id, asyncio.Lock())
        try:
            async with lock:
                return await self._extended(match_id, place, sequence)
        finally:
            if not lock.locked():
                self._locks.pop(match_id, None)

    async def _extended(self, match_id: str, place: Place, sequence: int) -> History:
        history = self._kept.pop(match_id, None) or History(self._rulebook(match_id))
        more = history.head.sequence < sequence
        while more:
            stretch = await self._queries.stretch(place, match_id, history.head.sequence + 1, PAGE)
            more = stretch.more
            for stored in stretch.commits:
                commit = parse_record(stored.record).commit
                if not continues(history.head, commit):
                    # The archive was rebuilt from another log meanwhile: what was folded before isn't this match.
                    more = bool(history.steps)
                    history = History(history.rulebook)
                    break
                _extend(history, stored.record, commit)
            await asyncio.sleep(0)
        self._keep(match_id, history)
        return history

    def _keep(self, match_id: str, history: History) -> None:
        self._kept[match_id] = history
        total = sum(len(kept.steps) for kept in self._kept.values())
        while total > self._most and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            total -= len(gone.steps)


def _extend(history: History, record: bytes, commit: log_pb2.Commit) -> None:
    before = history.last if history.steps else None
    after = apply_commit(history.rulebook, history.last, commit)
    history.steps.append(Step(commit, before, after))
    history.head = next_head(record, commit)


def place_of(topic: str, match_id: str, partitions: int) -> Place:
    """Where a match's commits stand."""
    return Place(topic, partition_of(match_id, partitions))
