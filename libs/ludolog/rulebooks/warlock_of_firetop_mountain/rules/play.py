"""One commit in the making: the state so far, the events so far, and what is to happen next."""

from __future__ import annotations

import enum

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import BadInput, Chance, Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.evolve import evolve
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    MAGIC_SWORDS,
    RUCKSACK,
    Adventurer,
    Game,
    Stage,
    WindowKind,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables


class Next(enum.Enum):
    """What follows a command; the turn's skeleton (6, 7) stands in `turns`."""

    WAIT = enum.auto()
    BEGIN = enum.auto()
    MEET = enum.auto()
    CLAIM = enum.auto()
    ARRIVAL = enum.auto()
    FLIGHT = enum.auto()
    END = enum.auto()


class Play:
    """What a command has brought about so far. Chapters add events; `game` is always the state after them."""

    def __init__(self, tables: Tables, game: Game, chance: Chance) -> None:
        self.tables = tables
        self.game = game
        self.chance = chance
        self.events: list[Message] = []
        self.limit = 0
        """For Next.CLAIM: how many cards of the room's stack may be taken."""

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self.tables.boards[self.game.settings.data_set]

    @property
    def seat(self) -> int:
        """Who is on turn."""
        return self.game.turn.seat

    def happen(self, event: Message) -> None:
        """Add an event."""
        self.events.append(event)
        self.game = evolve(self.game, event)

    def open(self, kind: WindowKind, seat: int, limit: int = 0) -> Next:
        """Open a window, unless it is open already in this turn; then wait for an answer."""
        window = self.game.window
        if self._new_turn() or (window.kind, window.seat, window.limit) != (kind, seat, limit):
            self.happen(pb.WindowOpened(kind=pb.WindowKind.ValueType(kind), seat=seat, limit=limit))
        return Next.WAIT

    def _new_turn(self) -> bool:
        """A turn has started, and no window was opened in it."""
        told = (event for event in reversed(self.events) if isinstance(event, pb.TurnStarted | pb.WindowOpened))
        return isinstance(next(told, None), pb.TurnStarted)

    def claim(self, limit: int) -> Next:
        """Go on to what may be claimed: so many cards of the stack, and what lies about."""
        self.limit = limit
        return Next.CLAIM


def require_window(game: Game, seat: int, section: str, *kinds: WindowKind) -> None:
    """The seat's own decision, of one of these kinds, with nothing in between. Refuses: NOT_NOW."""
    window = game.window
    if window.seat != seat or window.kind not in kinds or game.offer or game.leaving:
        raise Refusal("NOT_NOW", section, window=window.kind.name, seat=window.seat)


def require_adventurer(game: Game, seat: int, section: str) -> Adventurer:
    """The seat's adventurer on the board. Refuses: NOT_NOW."""
    found = game.player(seat).ready
    if found is None:
        raise Refusal("NOT_NOW", section, window=game.window.kind.name)
    return found


def only(command: Message, *fields: str) -> None:
    """Nothing is set but these fields. BadInput names one that doesn't go with the rest."""
    for field, _ in command.ListFields():
        if field.name not in fields:
            raise BadInput(field.name, "doesn't go with this choice")


def excess(tables: Tables, game: Game, seat: int) -> tuple[int, int]:
    """Cards over the limit of the rucksack, and magic swords over theirs (2.10, ruling A15)."""
    rucksack = game.player(seat).rucksack
    if len(rucksack) <= MAGIC_SWORDS:
        return 0, 0
    swords = sum(tables.treasures[held.card].kind == "sword" for held in rucksack)
    return max(0, len(rucksack) - RUCKSACK), max(0, swords - MAGIC_SWORDS)


def active(game: Game) -> list[int]:
    """Seats that still play, ascending."""
    return [seat for seat, player in enumerate(game.players, 1) if player.stage is not Stage.PASSIVE]
