"""What is on the table, secrets included. Seats and slots are counted from 1, kinds of cards are Python enums."""

from __future__ import annotations

import enum

import msgspec

from ludolog.kernel import Seat

SEATS = range(3, 11)
"""Numbers of players that the book has tables for (Set Up 1)."""
ROUNDS = 4
"""More Gameplay 2: first to fourth round."""
FIRST_HAND = 5
"""Set Up 2: chambers dealt to each player in the first round; one less in each later one."""
TALKS = 3
"""RULINGS L1: how often a seat may claim or point between two openings."""


# gc=False: values made of values can't be part of a cycle, so the collector needn't look through a match's history.


class Role(enum.IntEnum):
    """A role card."""

    ADVENTURER = 1
    GUARDIAN = 2


class Team(enum.IntEnum):
    """Who wins, and what players say they belong to. A role's team has the role's number."""

    ADVENTURERS = 1
    GUARDIANS = 2


class Chamber(enum.IntEnum):
    """A chamber card."""

    EMPTY = 1
    GOLD = 2
    FIRE = 3


class EndReason(enum.IntEnum):
    """Game End 1, 2 and 3."""

    ALL_GOLD = 1
    ALL_FIRE = 2
    TIME_UP = 3

    @property
    def winner(self) -> Team:
        """The team that wins for this reason."""
        return Team.ADVENTURERS if self is EndReason.ALL_GOLD else Team.GUARDIANS


class Counts(msgspec.Struct, frozen=True, gc=False):
    """How many chambers of each kind."""

    empty: int = 0
    gold: int = 0
    fire: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.empty + self.gold + self.fire

    def plus(self, chamber: Chamber) -> Counts:
        """One more of a kind."""
        if chamber is Chamber.EMPTY:
            return Counts(self.empty + 1, self.gold, self.fire)
        if chamber is Chamber.GOLD:
            return Counts(self.empty, self.gold + 1, self.fire)
        return Counts(self.empty, self.gold, self.fire + 1)

    def minus(self, other: Counts) -> Counts:
        """What is left without the others; negative where they weren't there."""
        return Counts(self.empty - other.empty, self.gold - other.gold, self.fire - other.fire)

    def cards(self) -> tuple[Chamber, ...]:
        """The cards: empty ones first, then gold, then fire."""
        return (Chamber.EMPTY,) * self.empty + (Chamber.GOLD,) * self.gold + (Chamber.FIRE,) * self.fire


class RolePack(msgspec.Struct, frozen=True, gc=False):
    """Role cards that are shuffled."""

    adventurers: int = 0
    guardians: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.adventurers + self.guardians

    def cards(self) -> tuple[Role, ...]:
        """The cards: adventurers first."""
        return (Role.ADVENTURER,) * self.adventurers + (Role.GUARDIAN,) * self.guardians


class Row(msgspec.Struct, frozen=True, gc=False):
    """The chambers in front of a player: all faces by slot, and which slots are open."""

    chambers: tuple[Chamber, ...]
    opened: tuple[int, ...] = ()

    @property
    def closed(self) -> int:
        """How many are face down."""
        return len(self.chambers) - len(self.opened)

    def closed_slots(self) -> list[int]:
        """Slots that are face down, ascending."""
        return [slot for slot in range(1, len(self.chambers) + 1) if slot not in self.opened]

    def dealt(self) -> Counts:
        """All of the row."""
        return tally(self.chambers)

    def face_down(self) -> Counts:
        """What is still face down."""
        return tally(tuple(self.chambers[slot - 1] for slot in self.closed_slots()))


class Opening(msgspec.Struct, frozen=True, gc=False):
    """A chamber that was opened."""

    round: int
    by: Seat
    owner: Seat
    slot: int
    chamber: Chamber
    at_random: bool = False


class Claim(msgspec.Struct, frozen=True, gc=False):
    """The last that a seat said about itself in a round; None: nothing said."""

    round: int
    seat: Seat
    team: Team | None = None
    empty: int | None = None
    gold: int | None = None
    fire: int | None = None
    openings_before: int = 0


class Point(msgspec.Struct, frozen=True, gc=False):
    """What a seat last pointed at since the last opening; slot 0: the row as a whole."""

    seat: Seat
    owner: Seat
    slot: int = 0


class Game(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """The whole state. Tuples by seat have seat 1 first."""

    memory_mode: bool = False
    role_pack: RolePack = RolePack()
    chambers: Counts = Counts()
    roles: tuple[Role, ...] = ()
    leftover: Role | None = None
    round: int = 0
    key_player: Seat = Seat(0)
    rows: tuple[Row, ...] = ()
    opened: Counts = Counts()
    openings: tuple[Opening, ...] = ()
    claims: tuple[Claim, ...] = ()
    points: tuple[Point, ...] = ()
    talks: tuple[int, ...] = ()
    resigned: tuple[Seat, ...] = ()
    ending: EndReason | None = None

    @property
    def seats(self) -> int:
        """Number of players."""
        return len(self.talks)

    @property
    def opened_this_round(self) -> int:
        """Chambers opened since the last deal."""
        return self.opened.total - self.seats * (self.round - 1)

    def row(self, seat: int) -> Row:
        """The row of a seat."""
        return self.rows[seat - 1]

    def openings_this_round(self) -> tuple[Opening, ...]:
        """Openings since the last deal, in order."""
        return self.openings[len(self.openings) - self.opened_this_round :]

    def stacks(self) -> Counts:
        """What was opened in earlier rounds (More Gameplay 2)."""
        return self.opened.minus(tally(tuple(opening.chamber for opening in self.openings_this_round())))


BLANK = Game()


def tally(chambers: tuple[Chamber, ...]) -> Counts:
    """Count cards by kind."""
    return Counts(chambers.count(Chamber.EMPTY), chambers.count(Chamber.GOLD), chambers.count(Chamber.FIRE))


def hand_size(round_number: int) -> int:
    """Chambers dealt to each player: 5, 4, 3, 2 in rounds 1 to 4 (More Gameplay 2)."""
    return FIRST_HAND + 1 - round_number
