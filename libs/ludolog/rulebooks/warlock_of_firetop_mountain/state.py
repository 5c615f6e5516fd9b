"""What is on the table, secrets included. Fields are called as in the proto's Position; seats count from 1.

An engine holds thousands of matches, so what is equal in many of them is one object (`held_of`, `fact_of`), and nothing
is left to the garbage collector: values that hold earlier ones only make no cycles.

Spaces are `c{x}_{y}` (passage squares), `R_…` (rooms), `S1`…`N6` (Secret Passage entrances), `X1`… (maze boxes).
"""

from __future__ import annotations

import enum
from functools import cache

import msgspec

from ludolog.rulebooks.warlock_of_firetop_mountain.notebook import Notebook

SEATS = range(2, 7)
"""Numbers of players (Components: six pieces; the box says 2 to 6)."""
RUCKSACK = 6
"""Treasure Cards that an adventurer carries (2.10)."""
MAGIC_SWORDS = 1
"""Magic swords besides the sword of the kit (2.10, ruling A15)."""
TALKS = 3
"""RULINGS W2: offers, shows and claims of a seat in one turn."""
EVERYBODY = 0
"""Bit of `Held.known` that stands for everybody, spectators included."""
PUBLIC = (1 << (SEATS[-1] + 1)) - 1


class DataSet(enum.IntEnum):
    """Which board and tables."""

    TWO_HOUR = 1
    WIDE = 2


class Piece(enum.IntEnum):
    """A playing piece."""

    RED = 1
    BLUE = 2
    GREEN = 3
    YELLOW = 4
    WHITE = 5
    BLACK = 6


class Stage(enum.IntEnum):
    """What a player still has to do before the adventurer can set out."""

    PIECE = 1
    CHARACTER = 2
    EXTRAS = 3
    READY = 4
    PASSIVE = 5


class WindowKind(enum.IntEnum):
    """What is to be decided now."""

    SET_UP = 1
    REBIRTH = 2
    START = 3
    CAGE = 4
    CHALLENGE = 5
    MOVE = 6
    ENCOUNTER = 7
    FIGHT = 8
    CLAIM = 9
    ARRIVAL = 10
    CHEST = 11
    SPOILS = 12
    FLIGHT = 13
    OVER = 14


class MazeCard(enum.IntEnum):
    """A Maze Card; the value 0 stands for one that isn't known."""

    UNKNOWN = 0
    THROUGH = 1
    DEAD_END = 2


class EndReason(enum.IntEnum):
    """Why the game is over."""

    CHEST_OPENED = 1
    OPPONENTS_LEFT = 2
    ROUND_LIMIT = 3


class Held(msgspec.Struct, frozen=True, gc=False):
    """A Treasure Card somewhere. `known`: bit s for each seat s that knows it is there, bit EVERYBODY for all."""

    card: str
    known: int = 0
    fresh: bool = False

    @property
    def shown(self) -> bool:
        """Everybody knows it."""
        return bool(self.known & 1)

    def knows(self, seat: int) -> bool:
        """Whether a seat knows it; seat 0: whether everybody does."""
        return bool(self.known >> seat & 1)


@cache
def held_of(card: str, known: int = 0, *, fresh: bool = False) -> Held:
    """A Treasure Card somewhere: the same object for all matches."""
    return Held(card, known, fresh)


class Adventurer(msgspec.Struct, frozen=True, gc=False):
    """An adventurer's sheet (2); `life` is 1 for the player's first one."""

    life: int = 1
    name: str = ""
    sex: int = 0
    initial_skill: int = 10
    skill: int = 10
    initial_stamina: int = 20
    stamina: int = 20
    initial_luck: int = 9
    luck: int = 9
    gold: int = 0
    provisions: int = 3
    lanterns: int = 1
    place: str = ""
    entered_by: str = ""
    misses_turns: int = 0
    ate_last_turn: bool = False
    must_leave: str = ""
    pending_encounter: bool = False
    cursed: bool = False
    caged: bool = False
    in_passage: bool = False
    investigating: str = ""
    left_a_room: bool = False
    met_fool: bool = False


class Player(msgspec.Struct, frozen=True, gc=False):
    """A player; `extras` are units of Provisions and Gold still to be shared out (2.11)."""

    piece: int = 0
    stage: Stage = Stage.PIECE
    lives: int = 0
    extras: int = 0
    adventurer: Adventurer | None = None
    rucksack: tuple[Held, ...] = ()
    key_cards: tuple[int, ...] = ()
    notebook: Notebook = Notebook()

    @property
    def ready(self) -> Adventurer | None:
        """The adventurer, if it is on the board."""
        return self.adventurer if self.stage is Stage.READY else None


class Room(msgspec.Struct, frozen=True, gc=False):
    """A room: encounter slot, treasure stack, and who left last, which 7.8 asks for in rooms of fixed encounters."""

    id: str
    encounter: str = ""
    face_up: bool = False
    revealed: bool = False
    stack: tuple[Held, ...] = ()
    last_leaver: int = 0
    last_leaver_life: int = 0


class Maze(msgspec.Struct, frozen=True, gc=False):
    """A maze box: its card, and whether everybody has seen it."""

    id: str
    card: MazeCard
    seen: bool = False


class Turn(msgspec.Struct, frozen=True, gc=False):
    """The turn that is on; number 0: the game hasn't begun."""

    number: int = 0
    round: int = 0
    seat: int = 0
    die: int = 0
    pips_left: int = 0
    started_at: str = ""
    acted: bool = False
    ate: bool = False
    fought: bool = False
    chest_tried: bool = False
    open_box: str = ""
    bought: int = 0
    must_leave: str = ""
    freed: bool = False
    came_out: bool = False
    unbegun: bool = False
    stayed: bool = False


class Window(msgspec.Struct, frozen=True, gc=False):
    """What is to be decided, by whom (0: several at once), and how many cards of a stack may be taken (CLAIM)."""

    kind: WindowKind = WindowKind.SET_UP
    seat: int = 0
    limit: int = 0


class Fight(msgspec.Struct, frozen=True, gc=False):
    """A battle; opponent 0: a creature."""

    seat: int
    opponent: int = 0
    encounter: str = ""
    place: str = ""
    skill: int = 0
    stamina: int = 0
    rounds: int = 0
    wounds: int = 0
    agreed: bool = False
    escaped: int = 0
    spoils: int = 0

    def other(self, seat: int) -> int:
        """Who fights against a seat."""
        return self.opponent if seat == self.seat else self.seat


class Goods(msgspec.Struct, frozen=True, gc=False):
    """One side of a trade; `look`: all Key Cards are shown; `key_cards`: these; `shows`: so many, the other chooses."""

    cards: tuple[str, ...] = ()
    gold: int = 0
    provisions: int = 0
    look: bool = False
    key_cards: tuple[int, ...] = ()
    shows: int = 0


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A trade that isn't answered."""

    seat: int
    to: int
    give: Goods = Goods()
    take: Goods = Goods()


class Leaving(msgspec.Struct, frozen=True, gc=False):
    """Who has to leave cards behind, or may."""

    seat: int
    optional: bool = False


class NamedKey(msgspec.Struct, frozen=True, gc=False):
    """A key named at the chest, and the card that shows it."""

    number: int
    card: str


class Item(msgspec.Struct, frozen=True, gc=False):
    """A Treasure Card that lies face down outside a stack; owner 0: for anybody, else that player's grave."""

    item: int
    place: str
    held: Held
    owner: int = 0
    left_by: int = 0
    left_turn: int = 0


class Challenge(msgspec.Struct, frozen=True, order=True, gc=False):
    """That a seat has challenged a number, and in which turn last."""

    seat: int
    number: int
    turn: int = 0


class ChestTry(msgspec.Struct, frozen=True, gc=False):
    """A try at the chest that failed."""

    seat: int
    numbers: tuple[int, ...] = ()
    wrong: int = 0


class Settings(msgspec.Struct, frozen=True, gc=False):
    """What the table chose. `meal_ruling`: W16 says what keeps one from eating; False: events of rules before 1.2.0."""

    double_six_rule: bool = False
    strict_7_8: bool = False
    dead_end_extra: bool = False
    data_set: DataSet = DataSet.TWO_HOUR
    most_rounds: int = 100
    more_looks: bool = False
    lesser_warlock: bool = False
    meal_ruling: bool = False


class Game(msgspec.Struct, frozen=True, gc=False):
    """The whole state. `players` has seat 1 first; rooms and boxes are in the order of the content."""

    settings: Settings = Settings()
    players: tuple[Player, ...] = ()
    rooms: tuple[Room, ...] = ()
    maze: tuple[Maze, ...] = ()
    chest: tuple[int, ...] = ()
    undealt: tuple[int, ...] = ()
    turn: Turn = Turn()
    window: Window = Window()
    fight: Fight | None = None
    offer: Offer | None = None
    leaving: Leaving | None = None
    named: tuple[NamedKey, ...] = ()
    items: tuple[Item, ...] = ()
    last_item: int = 0
    handed_in: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    pvp_unlocked: bool = False
    challenges: tuple[Challenge, ...] = ()
    chest_tries: tuple[ChestTry, ...] = ()
    talks: tuple[int, ...] = ()
    winner: int = 0
    ending: EndReason | None = None

    @property
    def seats(self) -> int:
        """Number of players."""
        return len(self.players)

    def player(self, seat: int) -> Player:
        """The player of a seat."""
        return self.players[seat - 1]

    def adventurer(self, seat: int) -> Adventurer:
        """The adventurer of a seat. LookupError where there is none."""
        found = self.players[seat - 1].adventurer
        if found is None:
            raise LookupError(f"seat {seat} has no adventurer")
        return found

    def room(self, room_id: str) -> Room:
        """A room by its id. LookupError where there is none."""
        return next(room for room in self.rooms if room.id == room_id)

    def present(self, place: str, but: int = 0) -> tuple[int, ...]:
        """Seats whose adventurers stand at a place, ascending."""
        return tuple(
            seat
            for seat, player in enumerate(self.players, 1)
            if seat != but and player.ready and player.ready.place == place
        )

    def held(self, seat: int, card: str) -> Held | None:
        """A card in a seat's rucksack."""
        return next((held for held in self.player(seat).rucksack if held.card == card), None)

    def open_boxes(self) -> frozenset[str]:
        """Maze boxes whose card is turned up: the one looked into in this turn, those with somebody on them (A26)."""
        on_boxes = {player.ready.place for player in self.players if player.ready and is_box(player.ready.place)}
        return frozenset({*on_boxes, self.turn.open_box} - {""})

    def here(self, seat: int) -> tuple[Item, ...]:
        """What a seat may pick up where its adventurer stands (17.1, ruling A34)."""
        place = self.adventurer(seat).place
        return tuple(
            item
            for item in self.items
            if item.place == place
            and item.owner in {0, seat}
            and not (item.left_by == seat and item.left_turn == self.turn.number)
        )


BLANK = Game()


def is_room(place: str) -> bool:
    """A room, by its id."""
    return place.startswith("R_")


def is_entrance(place: str) -> bool:
    """A Secret Passage entrance, by its id."""
    return place[0] in "SN"


def is_box(place: str) -> bool:
    """A maze box, by its id."""
    return place.startswith("X")
