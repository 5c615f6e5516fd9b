"""The stores: what is found, spent and discarded. Digest Q8, B1; rulings A26."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import Equipment, Find, Grade, Material, Region, RollPurpose
from ludolog.rulebooks.beast_hunter.rules.course import Course
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import Tables


def gain(course: Course, material: Material, amount: int) -> None:
    """Add to the stores; what finds no empty circle is discarded (Q8)."""
    value = pb.Material.ValueType(material)
    kept = min(amount, course.tables.numbers["storage_circles"] - course.game.store(material))
    if kept > 0:
        course.tell(pb.MaterialGained(material=value, amount=kept))
    if amount > kept:
        course.tell(pb.MaterialDiscarded(material=value, amount=amount - max(kept, 0)))


def spend(course: Course, material: Material, amount: int = 1) -> None:
    """Erase from the stores."""
    course.tell(pb.MaterialSpent(material=pb.Material.ValueType(material), amount=amount))


def require_material(game: Game, section: str, material: Material, amount: int = 1) -> None:
    """Refuses MATERIAL_LACKING."""
    if game.store(material) < amount:
        raise Refusal("MATERIAL_LACKING", section, material=material.name, needed=amount, stored=game.store(material))


def common_materials(tables: Tables) -> tuple[Material, ...]:
    """Stone, cord and tar."""
    return tuple(region.common for region in tables.regions.values())


def require_common(tables: Tables, section: str, material: Material) -> None:
    """Refuses NOT_COMMON."""
    if material not in common_materials(tables):
        raise Refusal("NOT_COMMON", section, material=material.name)


def found(game: Game, region: Region, find: Find, amount: int) -> tuple[int, int]:
    """What a search result of rare or common materials brings: (rare, common).

    Ruling A26: first the Dowsing Rod (a common find becomes one rare material, it isn't a choice), then Abundance (one
    more of that kind), then its mastercraft (one rare material more).
    """
    rare, common = (amount, 0) if find is Find.RARE else (0, amount)
    rod = game.grade(Equipment.DOWSING_ROD)
    if rod and common:
        rare, common = 1, 0
    if game.affects(RollPurpose.ABUNDANCE, region):
        rare, common = (rare + 1, common) if rare else (rare, common + 1)
    if rod is Grade.MASTERCRAFT:
        rare += 1
    return rare, common


def take_find(course: Course, region: Region, find: Find, amount: int) -> None:
    """Store what a search result brings."""
    printed = course.tables.regions[region]
    rare, common = found(course.game, region, find, amount)
    if rare:
        gain(course, printed.rare, rare)
    if common:
        gain(course, printed.common, common)
