"""The tables of one partition, as the fold of its commits. Pure; kept for the next start, so all of it is bounded.

What it keeps is what is on, and the newest of what is history; in a game log the endings up to a place are noted.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ludolog.api.log.v1 import log_pb2
from ludolog.api.matchmaking.v1 import matchmaking_pb2 as pb
from ludolog.eventlog.takeovers import Checkpoint, checkpoint_of
from services.matchmaking.aggregate import EVENTS, QUEUES, fold
from services.matchmaking.tables import EMPTY, OVER, Table

FORMAT = 1
"""Of what is kept. It counts up with every change of this fold or of `tables.apply`: a test knows what comes out."""
HISTORY = 50
"""Tables that are history and can still be asked for, in each partition."""
Source = tuple[str, int]
"""A game log and a partition of it."""


class Listed(msgspec.Struct, frozen=True, array_like=True):
    """A table as it stands; `revision` is the sequence number of its last commit."""

    table_id: str
    table: Table
    revision: int

    @property
    def key(self) -> tuple[int, str]:
        """Its place in lists: when it was opened (Unix ms), and its id."""
        return self.table.open_time_ms, self.table_id


class Hall(msgspec.Struct):
    """The fold."""

    tables: dict[str, Listed] = {}
    """What isn't history."""
    history: dict[str, Listed] = {}
    """What became that lately, the oldest first."""
    sources: dict[Source, Checkpoint] = {}
    """After the newest end of a match that is noted here."""
    broken: set[str] = set()
    """Tables whose commits don't continue each other; must stay empty."""

    def get(self, table_id: str) -> Listed | None:
        """A table; one that is history only if it became that lately."""
        return self.tables.get(table_id) or self.history.get(table_id)

    def apply(self, commit: log_pb2.Commit) -> Listed | None:
        """Fold the next counted commit; return the table that has changed, if one has.

        UnknownEvent where this version doesn't know one; nothing has changed then.
        """
        table_id = commit.stream_id
        if table_id.startswith(QUEUES):
            return None
        known = self.get(table_id) or Listed(table_id, EMPTY, 0)
        if commit.sequence != known.revision + 1:
            self.broken.add(table_id)
            return None
        table = fold(known.table, commit)
        if not isinstance(table, Table):
            raise TypeError(f"{table_id} isn't a table")
        listed = Listed(table_id, table, commit.sequence)
        for place, source in _sources(commit):
            self.sources[place] = max(self.sources.get(place, source), source, key=lambda found: found.position)
        self._keep(listed)
        return listed

    def _keep(self, listed: Listed) -> None:
        if listed.table.phase not in OVER:
            self.tables[listed.table_id] = listed
            return
        self.tables.pop(listed.table_id, None)
        self.history[listed.table_id] = listed
        if len(self.history) > HISTORY:
            del self.history[next(iter(self.history))]


def _sources(commit: log_pb2.Commit) -> Iterator[tuple[Source, Checkpoint]]:
    for event in map(EVENTS.decode_event, commit.events):
        if isinstance(event, pb.MatchEnded) and event.source.topic:
            yield (event.source.topic, event.source.partition), checkpoint_of(event.source)
