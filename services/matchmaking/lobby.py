"""Every table that isn't history, in memory: the halls of all partitions, and who is listed what of them."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.takeovers import Checkpoint
from services.matchmaking.hall import Hall, Listed
from services.matchmaking.tables import OVER, Phase, Table

Key: TypeAlias = tuple[int, str]
"""When a table was opened (Unix ms), and its id: the order of lists."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at tables. `house`: a program of the house, which sees where it is wanted."""

    player_id: str = ""
    house: bool = False

    def sees(self, table: Table) -> bool:
        """True where the table is listed for this viewer."""
        if table.phase in OVER or table.phase is Phase.NONE:
            return False
        if table.has(self.player_id):
            return True
        if self.house and (table.bots_wanted or any(chair.house_player for chair in table.seated)):
            return True
        return is_public(table)


def is_public(table: Table) -> bool:
    """True for an open table that everybody may find. A queue's tables are only for whoever queued."""
    return table.phase is Phase.OPEN and not table.private and not table.formed


class Lobby:
    """What is on in all halls. Belongs to one event loop; `listeners` are told of each table that changes."""

    def __init__(self, partitions: int) -> None:
        self.listeners: set[Callable[[Listed], None]] = set()
        self.halls = [Hall() for _ in range(partitions)]
        self._tables: dict[str, Listed] = {}
        self._public: list[Key] = []
        self._of_player: dict[str, set[str]] = {}
        self._of_house: set[str] = set()

    def __len__(self) -> int:
        return len(self._tables)

    def get(self, table_id: str) -> Listed | None:
        """A table; one that is history only if it became that lately."""
        return self._tables.get(table_id) or self.halls[partition_of(table_id, len(self.halls))].get(table_id)

    def on(self, table_id: str) -> bool:
        """True for a table that isn't history."""
        return table_id in self._tables

    def hosted_by(self, player_id: str) -> int:
        """How many tables that haven't started a player hosts."""
        mine = (self._tables[table_id].table for table_id in self._of_player.get(player_id, ()))
        return sum(table.host_id == player_id and table.phase is Phase.OPEN for table in mine)

    def source(self, topic: str, partition: int) -> Checkpoint:
        """Where the reader of endings goes on in a game log: after the newest end that is in the matchmaking log."""
        found = [hall.sources[topic, partition] for hall in self.halls if (topic, partition) in hall.sources]
        return max(found, key=lambda source: source.position, default=Checkpoint())

    @property
    def broken(self) -> set[str]:
        """Tables whose commits don't continue each other; must stay empty."""
        return set().union(*(hall.broken for hall in self.halls))

    def seen_by(self, viewer: Viewer, before: Key | None = None) -> Iterator[Listed]:
        """The tables that a viewer's list has, newest first; from below a key on."""
        end = len(self._public) if before is None else bisect.bisect_left(self._public, before)
        public = (self._public[place] for place in range(end - 1, -1, -1))
        own = set(self._of_player.get(viewer.player_id, ())) | (self._of_house if viewer.house else set())
        keys = (self._tables[table_id].key for table_id in own)
        others = sorted((key for key in keys if before is None or key < before), reverse=True)
        last: Key | None = None
        for key in heapq.merge(public, others, reverse=True):
            if key != last and viewer.sees(self._tables[key[1]].table):
                yield self._tables[key[1]]
            last = key

    def open(self, partition: int, hall: Hall) -> None:
        """Go on from what a partition came to before."""
        for listed in self.halls[partition].tables.values():
            self._forget(listed)
        self.halls[partition] = hall
        for listed in hall.tables.values():
            self._keep(listed)
            self._tell(listed)

    def apply(self, partition: int, commit: log_pb2.Commit) -> None:
        """Fold a partition's next counted commit. UnknownEvent where this version doesn't know one."""
        known = self._tables.get(commit.stream_id)
        listed = self.halls[partition].apply(commit)
        if listed is None:
            return
        if known is not None:
            self._forget(known)
        if listed.table.phase not in OVER:
            self._keep(listed)
        self._tell(listed)

    def _tell(self, listed: Listed) -> None:
        for listener in tuple(self.listeners):
            listener(listed)

    def _keep(self, listed: Listed) -> None:
        table = listed.table
        self._tables[listed.table_id] = listed
        if is_public(table):
            bisect.insort(self._public, listed.key)
        for player_id in _players(table):
            self._of_player.setdefault(player_id, set()).add(listed.table_id)
        if Viewer(house=True).sees(table) and not is_public(table):
            self._of_house.add(listed.table_id)

    def _forget(self, listed: Listed) -> None:
        del self._tables[listed.table_id]
        if is_public(listed.table):
            del self._public[bisect.bisect_left(self._public, listed.key)]
        for player_id in _players(listed.table):
            mine = self._of_player[player_id]
            mine.discard(listed.table_id)
            if not mine:
                del self._of_player[player_id]
        self._of_house.discard(listed.table_id)


def _players(table: Table) -> set[str]:
    return {chair.player_id for chair in table.seated} | ({table.host_id} if table.host_id else set())
