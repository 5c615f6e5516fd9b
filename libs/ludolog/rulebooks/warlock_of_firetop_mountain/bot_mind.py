"""What a house player's choices are made from: its view, and what follows from it. Made anew for each decision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_keys import Ring, Triple, chest_triples, own_cards, ring
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_map import Ways, ways
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

HOPE = 3
"""Sets that may be right, at most, to go and try one."""


@dataclass(frozen=True, eq=False)
class Mind:
    """One seat's view of the game, and what can be worked out from it and from what is printed."""

    tables: Tables
    view: pb.View
    seat: int

    @property
    def me(self) -> pb.PlayerView:
        """The seat's player."""
        return self.view.players[self.seat - 1]

    @property
    def sheet(self) -> pb.Adventurer:
        """The seat's adventurer."""
        return self.me.adventurer

    @property
    def others(self) -> list[pb.PlayerView]:
        """The other players whose adventurers are on the board."""
        return [other for other in self.view.players if other.seat != self.seat and other.adventurer.place]

    @cached_property
    def board(self) -> Board:
        """The board that is played on."""
        return self.tables.boards[DataSet(self.view.data_set)]

    @cached_property
    def ways(self) -> Ways:
        """Where one gets from where."""
        return ways(self.board, self.view)

    @cached_property
    def triples(self) -> list[Triple]:
        """The sets of keys that may be right."""
        return chest_triples(self.view)

    @cached_property
    def cards(self) -> list[pb.Card]:
        """The Treasure Cards carried."""
        return own_cards(self.view)

    @cached_property
    def ring(self) -> Ring:
        """The keys carried."""
        return ring(self.cards)

    @cached_property
    def ready(self) -> bool:
        """Whether the keys cover a set that may be right, and few enough may."""
        return len(self.triples) <= HOPE and self.covered is not None

    @cached_property
    def covered(self) -> Triple | None:
        """A set that may be right and that the keys cover; None where there is none."""
        return next((triple for triple in self.triples if not self.ring.lacks(triple)), None)

    @cached_property
    def barred(self) -> frozenset[str]:
        """Rooms that can't be entered again yet (7.8)."""
        free = set() if self.view.strict_7_8 else {self.board.lair, self.board.study}
        return frozenset(
            room.id
            for room in self.view.rooms
            if room.last_leaver == self.seat and room.last_leaver_life == self.sheet.life and room.id not in free
        )

    @cached_property
    def guarded(self) -> frozenset[str]:
        """Rooms that the way to the chest leads through, and the Treasure Room."""
        return frozenset((self.board.lair, self.board.study, self.board.treasure_room))

    def holds(self, special: str) -> bool:
        """Whether it carries a card with this special rule."""
        return any(self.tables.treasures[card.id].special == special for card in self.cards)

    def room(self, place: str) -> pb.RoomView | None:
        """What is seen of a room; None for other spaces."""
        return next((room for room in self.view.rooms if room.id == place), None)
