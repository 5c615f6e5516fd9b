"""pyeventsourcing (PyPI: eventsourcing) folding a match from its stored events. Runs in a venv of its own.

For each number on standard input folds so many matches; prints events and the processor's seconds for them.
"""

# It isn't installed where types are checked.
# mypy: disable-error-code="import-not-found, untyped-decorator, misc, unused-ignore"

import sys
import time
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

SEATS = 6
ROUNDS = 4


class Match(Aggregate):
    """As much of a Tempel match as its openings are, with every event written out for it."""

    @event("Founded")
    def __init__(self, seats: int, empty: int, gold: int, fire: int) -> None:
        self.seats = seats
        self.chambers = (empty, gold, fire)
        self.round = 1
        self.key = 1
        self.opened = (0, 0, 0)
        self.openings: tuple[tuple[int, ...], ...] = ()
        self.talks = (0,) * seats
        self.rows: tuple[tuple[int, ...], ...] = ()

    @event("ChambersDealt")
    def deal_chambers(self, number: int, rows: list[list[int]]) -> None:
        """A round begins."""
        self.round = number
        self.rows = tuple(tuple(row) for row in rows)

    @event("ChamberOpened")
    def open_chamber(self, by: int, owner: int, slot: int, chamber: int) -> None:
        """A chamber is opened; its owner has the key."""
        kinds = list(self.opened)
        kinds[chamber - 1] += 1
        self.opened = (kinds[0], kinds[1], kinds[2])
        self.openings = (*self.openings, (self.round, by, owner, slot, chamber))
        self.talks = (0,) * self.seats
        self.key = owner


def stored(application: Any) -> tuple[UUID, int]:
    """A whole match in the application's store: its id and the number of its events."""
    match = Match(SEATS, 20, 8, 2)
    key = 1
    for number in range(1, ROUNDS + 1):
        match.deal_chambers(number, [[1] * (6 - number)] * SEATS)
        for _ in range(SEATS):
            owner = key % SEATS + 1
            match.open_chamber(key, owner, 1, 1)
            key = owner
    events = len(match.pending_events)
    application.save(match)
    return match.id, events


def main() -> None:
    """Answer on standard output."""
    application: Any = Application()
    match_id, events = stored(application)
    for line in sys.stdin:
        began = time.process_time()
        for _ in range(int(line)):
            application.repository.get(match_id)
        print(int(line) * events, time.process_time() - began, flush=True)


main()
