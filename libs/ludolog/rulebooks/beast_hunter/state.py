"""What stands on the adventure sheets, and what is to be decided. Everything is counted from 1; nothing is secret.

Enums have the numbers of the proto. Tuples by region, tower, material, item and so on hold the first one first.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from ludolog.rulebooks.beast_hunter.names import (
    Action,
    EndReason,
    Equipment,
    Grade,
    Item,
    Material,
    Nature,
    Region,
    RollPurpose,
    Tower,
    Window,
)

SEATS = range(1, 2)
"""A game for one."""
SQUARES = 6
"""Squares of a search box: the first three are the top number, the others the bottom number."""
BOXES = 3
"""Boxes of the refining field."""
LEVELS = 4
"""Common beasts of a region."""
FAULT = 7
"""Stands in a square of a construction grid for an X."""
BLANK_BOX = (0,) * SQUARES
BLANK_FIELD = (0,) * 2 * BOXES
PLACED_ONE_BY_ONE = frozenset({RollPurpose.SEARCH, RollPurpose.BUILD, RollPurpose.FORGE})
"""Rolls whose dice are placed; all others are accepted."""

T = TypeVar("T")


def put(items: tuple[T, ...], number: int, item: T) -> tuple[T, ...]:
    """The items with another one at this place, counted from 1."""
    return (*items[: number - 1], item, *items[number:])


class RegionSheet(msgspec.Struct, frozen=True):
    """A region: search boxes, tracking circles, its Terrible Beast, wounds of beasts that were left alive."""

    boxes: tuple[tuple[int, ...], ...] = ()
    tracked: int = 0
    lair_found: bool = False
    nature: Nature | None = None
    defeated: bool = False
    wounds: tuple[int, ...] = (0,) * LEVELS
    terrible_wounds: int = 0

    def wounds_of(self, level: int) -> int:
        """Damage on the beast of this level; 0: the Terrible Beast."""
        return self.wounds[level - 1] if level else self.terrible_wounds


class TowerSheet(msgspec.Struct, frozen=True):
    """A tower: what stands in its squares (0: nothing, FAULT: an X), whether it stands, and its totem."""

    grid: str = ""
    cells: tuple[int, ...] = ()
    standing: bool = False
    totem: bool = False

    @property
    def faults(self) -> int:
        """How many Xs."""
        return self.cells.count(FAULT)


class Today(msgspec.Struct, frozen=True):
    """How the day was spent so far."""

    action: Action | None = None
    region: Region | None = None
    searches_used: int = 0
    travelled: bool = False
    box: int = 0
    tower: Tower | None = None
    equipment: Equipment | None = None
    terrible_beast_killed: bool = False
    tower_completed: bool = False


class Roll(msgspec.Struct, frozen=True):
    """Dice that aren't used yet."""

    purpose: RollPurpose
    dice: tuple[int, ...]
    placed: tuple[bool, ...]
    rerolls_left: int = 0
    determination_spent: int = 0

    @property
    def in_use(self) -> bool:
        """A die of it is placed."""
        return any(self.placed)

    @property
    def unplaced(self) -> tuple[int, ...]:
        """Numbers of the dice that aren't placed."""
        return tuple(number for number, placed in enumerate(self.placed, 1) if not placed)


class Combat(msgspec.Struct, frozen=True):
    """A combat; level 0: the region's Terrible Beast."""

    region: Region
    level: int
    hit_points: int
    ambush: bool = False
    rolls: int = 0
    struck: bool = False
    dice: tuple[int, ...] = ()
    escaping: bool = False
    threat: int = 0


class Night(msgspec.Struct, frozen=True):
    """The end of the day, between crossing it out and the new day."""

    event_dice: tuple[int, ...] = ()
    attacker: Region | None = None
    rage: bool = False
    direction: Tower | None = None
    tower_damage: int = 0


class Game(msgspec.Struct, frozen=True):
    """The whole state."""

    show_odds: bool = False
    days_crossed: int = 0
    hit_points: int = 0
    max_hit_points: int = 0
    determination: int = 0
    doubt: int = 0
    huts_destroyed: int = 0
    stores: tuple[int, ...] = (0,) * len(Material)
    grades: tuple[Grade | None, ...] = (None,) * len(Equipment)
    uses: tuple[int, ...] = (0,) * len(Item)
    crafted: tuple[bool, ...] = (False,) * len(Item)
    regions: tuple[RegionSheet, ...] = ()
    towers: tuple[TowerSheet, ...] = ()
    elders: tuple[bool, ...] = (False,) * 3
    towers_approved: bool = False
    events: tuple[Region | None, ...] = (None,) * 4
    today: Today = Today()
    field: tuple[int, ...] = BLANK_FIELD
    settled: tuple[int, ...] = ()
    roll: Roll | None = None
    combat: Combat | None = None
    find_due: bool = False
    fight_offered: bool = False
    ambush_offered: bool = False
    elder_due: bool = False
    night: Night | None = None
    ending: EndReason | None = None
    moment: int = 0
    undone: int = 0
    undo: tuple[Game, ...] = ()

    def store(self, material: Material) -> int:
        """How much of a material there is."""
        return self.stores[material - 1]

    def grade(self, equipment: Equipment) -> Grade | None:
        """How well a piece was forged; None: not at all."""
        return self.grades[equipment - 1]

    def uses_left(self, item: Item) -> int:
        """Uses left of an item; 0: it isn't there."""
        return self.uses[item - 1]

    def region(self, region: Region) -> RegionSheet:
        """A region's part of the sheet."""
        return self.regions[region - 1]

    def tower(self, tower: Tower) -> TowerSheet:
        """A tower's part of the sheet."""
        return self.towers[tower - 1]

    def affects(self, event: RollPurpose, region: Region) -> bool:
        """Is the region affected by this event? Events are named by the roll for them."""
        return self.events[event - RollPurpose.ABUNDANCE] is region

    @property
    def here(self) -> Region:
        """The region that is searched today. ValueError on other days."""
        if self.today.region is None:
            raise ValueError("nothing is searched today")
        return self.today.region

    @property
    def field_full(self) -> bool:
        """All three results of the refining field are settled."""
        return len(self.settled) == BOXES


BLANK = Game()


def window(game: Game) -> Window | None:
    """What is to be decided; None: nothing, the game isn't on. Each cascade stops where one of these opens."""
    if game.ending or not game.regions:
        return None
    if game.elder_due:
        return Window.ELDER
    if game.roll:
        return Window.PLACE_DICE if game.roll.purpose in PLACED_ONE_BY_ONE else Window.AFTER_ROLL
    if game.combat:
        return Window.DAMAGE if game.combat.threat else Window.COMBAT
    if game.night and game.night.tower_damage:
        return Window.TOWER_DAMAGE
    if game.find_due:
        return Window.FIND
    if game.fight_offered:
        return Window.FIGHT_OFFER
    return _by_day(game)


def _by_day(game: Game) -> Window:
    match game.today.action:
        case Action.SEARCH:
            return Window.NEXT_ROLL if game.today.box else Window.SEARCH
        case Action.FORGE:
            return Window.REFINE if game.field_full else Window.NEXT_ROLL
        case Action.BUILD:
            return Window.NEXT_ROLL
        case _:
            return Window.DAY
