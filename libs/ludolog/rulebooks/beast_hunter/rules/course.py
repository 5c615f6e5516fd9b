"""How a cause unfolds: events told one after the other, the game after them, and rolls that wait to be used.

"Before a roll is used" is a window of its own (Determination, Luck Charm): a roll that nothing can change is used at
once; any other one waits for `AcceptRoll`, or for its dice to be placed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Chance, Refusal
from ludolog.rulebooks.beast_hunter.evolve import evolve
from ludolog.rulebooks.beast_hunter.names import EVENTS, Item, RollPurpose, Window
from ludolog.rulebooks.beast_hunter.state import PLACED_ONE_BY_ONE, Combat, Game, Roll, window
from ludolog.rulebooks.beast_hunter.tables import Tables

BARRED = frozenset({RollPurpose.NATURE, RollPurpose.ATTACK_DIRECTION, *EVENTS})
"""Rolls that determination can't change (The Terrible Beasts, Events, Terrible Beast Attacks; digest D2, ruling A5)."""


class Course:
    """What a cause brings about so far."""

    def __init__(self, tables: Tables, game: Game, chance: Chance, uses: Uses) -> None:
        self.tables = tables
        self.game = game
        self.chance = chance
        self.events: list[Message] = []
        self._uses = uses

    def tell(self, *events: Message) -> None:
        """Something happened."""
        for event in events:
            self.events.append(event)
            self.game = evolve(self.game, event)

    def roll(self, purpose: RollPurpose, dice: int) -> None:
        """Roll; what nothing can change is used at once."""
        values = [self.chance.d6(purpose.draw) for _ in range(dice)]
        self.tell(pb.DiceRolled(purpose=pb.RollPurpose.ValueType(purpose), values=values))
        if purpose not in PLACED_ONE_BY_ONE and not alterable(self.game):
            self.accept()

    def accept(self) -> None:
        """Use the roll as it is."""
        roll = roll_of(self.game)
        self.tell(pb.RollAccepted(purpose=pb.RollPurpose.ValueType(roll.purpose), values=roll.dice))
        self._uses[roll.purpose](self, roll)


Uses: TypeAlias = Mapping[RollPurpose, Callable[[Course, Roll], None]]
"""What becomes of a roll of each purpose once it is accepted."""


def charm_ready(game: Game, roll: Roll) -> bool:
    """A Luck Charm can reroll it: none of its dice is in use (ruling A38), and a charm or a reroll is left."""
    return not roll.in_use and (roll.rerolls_left > 0 or game.uses_left(Item.LUCK_CHARM) > 0)


def alterable(game: Game) -> bool:
    """The roll can still be changed: by determination where D2 allows it, by a Luck Charm anywhere (ruling A6)."""
    roll = roll_of(game)
    return charm_ready(game, roll) or (game.determination > 0 and roll.purpose not in BARRED)


def require(game: Game, section: str, *windows: Window) -> None:
    """Refuses NOT_NOW unless one of these windows is open."""
    now = window(game)
    if now not in windows:
        raise Refusal("NOT_NOW", section, window=now.name if now else "OVER")


def roll_of(game: Game) -> Roll:
    """The roll that isn't used yet. ValueError where there is none."""
    if game.roll is None:
        raise ValueError("no dice are rolled")
    return game.roll


def combat_of(game: Game) -> Combat:
    """The combat. ValueError where there is none."""
    if game.combat is None:
        raise ValueError("there is no combat")
    return game.combat


def require_placing(game: Game, section: str, purpose: RollPurpose, die: int) -> Roll:
    """A die of this roll that can be placed now. Refuses NOT_NOW, NO_SUCH_DIE, DIE_PLACED."""
    require(game, section, Window.PLACE_DICE)
    roll = roll_of(game)
    if roll.purpose is not purpose:
        raise Refusal("NOT_NOW", section, window=Window.PLACE_DICE.name, roll=roll.purpose.name)
    require_free_die(roll, section, die)
    return roll


def require_free_die(roll: Roll, section: str, die: int) -> None:
    """Refuses NO_SUCH_DIE, DIE_PLACED."""
    if not 1 <= die <= len(roll.dice):
        raise Refusal("NO_SUCH_DIE", section, die=die, dice=len(roll.dice))
    if roll.placed[die - 1]:
        raise Refusal("DIE_PLACED", section, die=die)
