"""What the house player thinks things are worth, in points of the score: hit points, wounds, materials, doubt, days."""

from __future__ import annotations

from functools import cached_property

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.bot_fight import Fight, Foe, Stakes, fight
from ludolog.rulebooks.beast_hunter.names import Equipment, Grade, Item, Material
from ludolog.rulebooks.beast_hunter.tables import Tables

LIFE = 200.0
"""What is still to be won by a hunter who lives."""
FRAIL = 0.62
"""How much of it a hunter with one hit point more would lose less."""
POINT_OF_HEALTH = 3.5
LAST_DAY, LONG = 0.15, 6.0
"""Part of all that which counts on the last day, and nights before it from which on all of it does."""
CARELESS = 0.7
"""Part of the days that bring their full doubt: no beast is killed, no tower built."""
UNHEALED = 2
HOPE, PATIENCE = 0.6, 6.0
"""How likely a fight later is what it could be, and nights that it takes."""
KILL = 75.0
"""A dead Terrible Beast: its line of the score, an elder, a day without doubt, a step to the bonuses."""
WOUND = 0.55
"""Part of a kill that the wounds of a Terrible Beast are worth."""
DETERMINATION = 3.0
CHARM = 7.0
LAIR = 14.0
"""A lair that is found: the way to a fight, not the fight."""
CIRCLE = 4.0
BEASTS = {
    Material.FOUL_BLOOD: 2.5,
    Material.OILY_MEAT: 4.0,
    Material.BEAST_PELT: 2.5,
    Material.DRAGON_SMOKE: 9.0,
    Material.NIGHTMARE_CHITIN: 8.0,
    Material.TROLL_ASH: 9.0,
    Material.SACRED_FEATHERS: 3.0,
}
"""What beasts leave, by what is crafted from it."""
SPARE_BEAST = 0.5
COMMON, SPARE_COMMON = 4.0, 0.7
WANTED_COMMONS = 3
"""Common materials that a tower takes, most of the time."""
HUT = 9.0
"""A lost hut besides its doubt: the bonus of a win."""
DIRECTIONS = (7 / 18, 6 / 18, 5 / 18)
"""How often an attack comes from where each tower stands or doesn't."""
RAGE = 1 / 3
"""Attacks of an event day, while all beasts live."""


class Look:
    """A view, and what follows from it for the house player."""

    def __init__(self, tables: Tables, view: pb.View) -> None:
        self.tables = tables
        self.view = view
        self.hit_points = view.hit_points
        self.alive = [region for region in view.regions if not region.defeated]
        self.days_left = len(view.days) - 1 - view.days_crossed
        self.huts_lost = view.huts_total - view.huts

    def store(self, material: int) -> int:
        """How much of a material there is."""
        return self.view.stores[material - 1].count

    def ready(self, item: Item) -> int:
        """Uses left of an item."""
        return self.view.items[item - 1].uses_left

    def grade(self, equipment: Equipment) -> int:
        """How well a piece was forged; 0: not at all."""
        return self.view.equipment[equipment - 1].grade

    @cached_property
    def health(self) -> tuple[float, ...]:
        """Worth of each number of hit points."""
        part = min(1.0, LAST_DAY + self.nights / LONG)
        most = self.view.hit_point_squares
        return tuple(part * (LIFE * (1 - FRAIL**points) + POINT_OF_HEALTH * points) for points in range(most + 1))

    @cached_property
    def nights(self) -> float:
        """Nights that are about to be survived: until the last day, or until the villagers' patience runs out."""
        room, huts = self.view.doubt_spaces - 1.0 - self.view.doubt, float(self.huts_lost)
        open_sides = sum(part for part, tower in zip(DIRECTIONS, self.view.towers, strict=True) if not tower.standing)
        rage = RAGE * len(self.alive) / 3
        for night, symbol in enumerate(self.view.days[self.view.days_crossed : -1]):
            attacks = 1.0 if symbol == pb.DAY_SYMBOL_ATTACK else rage if symbol == pb.DAY_SYMBOL_EVENT else 0.0
            lost = attacks * open_sides
            cost = lost * 2 * (huts + 1) + CARELESS * (1 + huts + lost)
            if cost > room:
                return night + max(room, 0.0) / cost
            room, huts = room - cost, huts + lost
        return float(self.days_left)

    def later(self, region: pb.View.RegionView) -> float:
        """What a Terrible Beast that isn't fought now is worth: a fight of a healthy hunter, maybe better equipped."""
        rested = Look(self.tables, self.view)
        rested.hit_points = max(self.hit_points, self.view.max_hit_points - UNHEALED)
        lance, plate = not self.grade(Equipment.DISINTEGRATOR_LANCE), not self.grade(Equipment.SILVER_PLATE)
        best = rested.gain(region, 0, lance=lance, plate=plate)
        return HOPE * min(1.0, self.nights / PATIENCE) * max(best, 0.0)

    @cached_property
    def commons(self) -> int:
        """Common materials in all."""
        return sum(self.store(region.common) for region in self.view.regions)

    @property
    def blows(self) -> int:
        """Damage that Balance Blade and Firebox can deal."""
        return (1 if self.ready(Item.BALANCE_BLADE) else 0) + (2 if self.ready(Item.FIREBOX) else 0)

    def fight(
        self, region: pb.View.RegionView, level: int, *, ambush: bool = False, lance: int = 0, plate: int = 0
    ) -> Fight:
        """A fight with a beast; `lance` and `plate` are what one more of them would change in the ranges."""
        beast = region.beasts[level - 1]
        foe = Foe(
            attacks_to=max(beast.attacks_to - plate, 1),
            hit_from=beast.hit_from - ambush - lance,
            cowed=not level and region.nature == pb.NATURE_COWED,
            doubles=self.grade(Equipment.DISINTEGRATOR_LANCE) == Grade.MASTERCRAFT,
            capped=self.grade(Equipment.SILVER_PLATE) == Grade.MASTERCRAFT,
            ignored=2 if ambush else 0,
            untouched=2 if not level and region.nature == pb.NATURE_CUNNING and not ambush else 0,
        )
        return fight(foe, self.stakes(region, level))

    def current_fight(self) -> Fight:
        """The fight that is on, as it stands before the roll that isn't used yet."""
        combat = self.view.combat
        region = self.view.regions[combat.region - 1]
        foe = Foe(
            attacks_to=region.beasts[combat.level - 1].attacks_to,
            hit_from=combat.hit_from,
            cowed=not combat.level and combat.nature == pb.NATURE_COWED,
            doubles=self.grade(Equipment.DISINTEGRATOR_LANCE) == Grade.MASTERCRAFT,
            capped=self.grade(Equipment.SILVER_PLATE) == Grade.MASTERCRAFT,
            ignored=combat.damage_ignored_rolls,
            untouched=combat.no_damage_rolls,
        )
        return fight(foe, self.stakes(region, combat.level))

    def stakes(self, region: pb.View.RegionView, level: int) -> Stakes:
        """What is to be won from a beast."""
        if level:
            return Stakes(self.health, self.beast_material(region.beasts[level - 1].material))
        return Stakes(self.health, KILL, KILL * WOUND / region.beasts[-1].hit_points, self.blows)

    def gain(
        self, region: pb.View.RegionView, level: int, *, ambush: bool = False, lance: int = 0, plate: int = 0
    ) -> float:
        """What a fight is worth more than none, at the hit points that are left now."""
        found = self.fight(region, level, ambush=ambush, lance=lance, plate=plate)
        left = region.beasts[level - 1].hit_points_left
        none = self.health[self.hit_points] - (0 if level else found.stakes.wound * left)
        return found.worth(self.hit_points, left) - none

    def beast_material(self, material: int) -> float:
        """What a beast leaves: most while nothing like it is there."""
        item = next(item for item in self.view.items if item.beast == material)
        wanted = not self.store(material) and not item.uses_left
        again = Material(material) in (Material.DRAGON_SMOKE, Material.NIGHTMARE_CHITIN, Material.TROLL_ASH)
        fresh = 0.0 if item.crafted else 3.0 - SPARE_BEAST
        return BEASTS[Material(material)] * (1.0 if wanted or again else 0.3) + (fresh if wanted else 0.0)

    def equipment(self, equipment: Equipment) -> float:
        """What a piece that isn't there yet would be worth now: what it changes in the fights that are left."""
        if self.grade(equipment):
            return 0.0
        lance, plate = equipment is Equipment.DISINTEGRATOR_LANCE, equipment is Equipment.SILVER_PLATE
        if equipment is Equipment.DOWSING_ROD:
            return 5.0 + 1.0 * self.days_left
        whole = Look(self.tables, self.view)
        whole.hit_points = self.view.max_hit_points
        fights = sum(whole.gain(region, 0, lance=lance, plate=plate) - whole.gain(region, 0) for region in self.alive)
        return 5.0 + fights * min(1.0, self.nights / PATIENCE)

    def rare(self, material: int) -> float:
        """A rare material: the first one is half of its equipment, more of them refine it."""
        equipment = next(piece for piece in self.view.equipment if piece.material == material)
        if equipment.grade:
            return 0.3
        worth = self.equipment(Equipment(equipment.equipment))
        return worth * (0.45, 0.15, 0.06, 0.02)[min(self.store(material), 3)]

    def common(self, material: int) -> float:
        """A common material, for towers and crafts."""
        if self.store(material) >= self.tables.numbers["storage_circles"]:
            return 0.0
        towers = sum(not tower.standing for tower in self.view.towers)
        crafts = sum(item.common == material and self.store(item.beast) > 0 for item in self.view.items if item.beast)
        wanted = WANTED_COMMONS * towers + crafts
        return COMMON if self.commons < wanted else SPARE_COMMON

    @cached_property
    def doubt(self) -> float:
        """What a point of doubt costs: little while there is room, very much where it runs out."""
        room = self.view.doubt_spaces - 1 - self.view.doubt
        needed = self.days_left * (1 + self.huts_lost) + 2
        return 1.0 + 6.0 * max(0.0, min(1.5, (needed - room + 4) / 8))

    @cached_property
    def attacks(self) -> float:
        """Attacks that are still to be expected."""
        days = self.view.days[self.view.days_crossed :]
        rage = RAGE * len(self.alive) / 3
        return sum(1.0 if day == pb.DAY_SYMBOL_ATTACK else rage if day == pb.DAY_SYMBOL_EVENT else 0.0 for day in days)

    def hut(self) -> float:
        """What the loss of a hut costs."""
        doubt = 2 * (self.huts_lost + 1) + 0.7 * self.days_left
        return doubt * self.doubt + (0 if self.huts_lost else HUT)
