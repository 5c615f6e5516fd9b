"""The book's closed sets of names, with the numbers of the proto."""

from __future__ import annotations

import enum


class Region(enum.IntEnum):
    """A region around the village."""

    HALEBEARD_PEAK = 1
    COASTAL_CAVERNS = 2
    THE_SCAR = 3


class Tower(enum.IntEnum):
    """A tower, and the direction from which a beast approaches it."""

    EASTERN = 1
    SOUTHERN = 2
    SOUTH_WESTERN = 3


class Material(enum.IntEnum):
    """A material in the stores."""

    STONE = 1
    SILVER = 2
    CORD = 3
    LODESTONE = 4
    TAR = 5
    PYRITE = 6
    FOUL_BLOOD = 7
    OILY_MEAT = 8
    BEAST_PELT = 9
    DRAGON_SMOKE = 10
    NIGHTMARE_CHITIN = 11
    TROLL_ASH = 12
    SACRED_FEATHERS = 13


class Equipment(enum.IntEnum):
    """A piece of equipment."""

    SILVER_PLATE = 1
    DOWSING_ROD = 2
    DISINTEGRATOR_LANCE = 3


class Grade(enum.IntEnum):
    """How well equipment was forged."""

    STANDARD = 1
    MASTERCRAFT = 2


class Item(enum.IntEnum):
    """A toolbelt item (the first three) or a crafted item."""

    LUCK_CHARM = 1
    BALANCE_BLADE = 2
    OPTIC_DISRUPTOR = 3
    BLOOD_LURE = 4
    POTENT_BAIT = 5
    HEAVY_COAT = 6
    FIREBOX = 7
    CRAB_PLATE = 8
    REVIVING_DOSE = 9
    HAWK_TOTEM = 10

    @property
    def toolbelt(self) -> bool:
        """It is in the toolbelt from the start, and can't be crafted."""
        return self <= Item.OPTIC_DISRUPTOR


class Elder(enum.IntEnum):
    """A village elder."""

    EPIPHOROS = 1
    SIPPOROS = 2
    NIKANDROS = 3


class Nature(enum.IntEnum):
    """A Terrible Beast's nature."""

    COWED = 1
    CRUEL = 2
    CUNNING = 3


class Action(enum.IntEnum):
    """What a day is spent on."""

    SEARCH = 1
    BUILD = 2
    FORGE = 3
    REST = 4


class RollPurpose(enum.IntEnum):
    """What dice are rolled for."""

    SEARCH = 1
    ENCOUNTER_LEVEL = 2
    COMBAT = 3
    ESCAPE = 4
    NATURE = 5
    BUILD = 6
    FORGE = 7
    ABUNDANCE = 8
    SUDDEN_CLARITY = 9
    FOUL_WEATHER = 10
    MADNESS = 11
    ATTACK_REGION = 12
    ATTACK_DIRECTION = 13
    TOWER_DAMAGE = 14

    @property
    def draw(self) -> str:
        """The purpose of the draw: lower case, with spaces."""
        return self.name.lower().replace("_", " ")


EVENTS = (RollPurpose.ABUNDANCE, RollPurpose.SUDDEN_CLARITY, RollPurpose.FOUL_WEATHER, RollPurpose.MADNESS)
"""The four events, in the order in which they are rolled for."""


class Row(enum.IntEnum):
    """A row of a search box or of the refining field."""

    TOP = 1
    BOTTOM = 2


class Find(enum.IntEnum):
    """What to take for a search result of 1 to 10."""

    RARE = 1
    COMMON = 2


class SearchKind(enum.IntEnum):
    """What a search result means."""

    ENCOUNTER = 1
    TRACK = 2
    LAIR = 3
    AMBUSH = 4


class CombatSource(enum.IntEnum):
    """Why a combat begins."""

    ENCOUNTER = 1
    OFFER = 2
    LAIR = 3
    LURE = 4
    BAIT = 5


class DaySymbol(enum.IntEnum):
    """What is printed on a day of the time track; 0 in a table: nothing."""

    EVENT = 1
    ATTACK = 2
    SKULL = 3


class DeterminationReason(enum.IntEnum):
    """Why determination points are gained."""

    LAIR_FOUND = 1
    CRITICAL_HIT = 2
    FLAWLESS_TOWER = 3
    MASTERCRAFT = 4
    ONE_HIT_POINT = 5
    SIPPOROS = 6


class DoubtReason(enum.IntEnum):
    """Why doubt is gained."""

    DAY = 1
    RESTED = 2
    HUT = 3
    TOWER_BUILT = 4
    BEAST_KILLED = 5


class RecoveryReason(enum.IntEnum):
    """Why hit points are recovered."""

    REST = 1
    EPIPHOROS = 2
    REVIVING_DOSE = 3


class DamageSource(enum.IntEnum):
    """Where damage to the hunter comes from."""

    BEAST = 1
    FORGE = 2


class StrikeSource(enum.IntEnum):
    """What damages a beast."""

    DICE = 1
    BALANCE_BLADE = 2
    FIREBOX = 3


class EscapeMeans(enum.IntEnum):
    """How a combat is escaped."""

    DICE = 1
    OPTIC_DISRUPTOR = 2


class EndReason(enum.IntEnum):
    """Why the game ended."""

    DEATH = 1
    TRUST_LOST = 2
    TIME_UP = 3
    VICTORY = 4
    RESIGNED = 5


class Window(enum.IntEnum):
    """What is to be decided."""

    DAY = 1
    SEARCH = 2
    NEXT_ROLL = 3
    PLACE_DICE = 4
    AFTER_ROLL = 5
    COMBAT = 6
    DAMAGE = 7
    FIND = 8
    FIGHT_OFFER = 9
    REFINE = 10
    ELDER = 11
    TOWER_DAMAGE = 12
