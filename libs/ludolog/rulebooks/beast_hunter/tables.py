"""The printed charts and sheets, read from content files and checked: counts, ranges, references, connected grids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ludolog.kernel import Component, Content
from ludolog.kernel.reading import Entry, component, entries, key_of, number, one_each, text
from ludolog.rulebooks.beast_hunter.names import (
    DaySymbol,
    Elder,
    Equipment,
    Grade,
    Item,
    Material,
    Region,
    SearchKind,
    Tower,
)
from ludolog.rulebooks.beast_hunter.state import LEVELS

FACES = 6
LARGEST_RESULT = 555
GRID_SQUARES = 20
NUMBERS = (
    "hit_points",
    "determination",
    "doubt",
    "huts",
    "search_boxes",
    "tracking_circles",
    "storage_circles",
    "searches",
    "foul_weather_searches",
    "madness_hit_points",
    "rest",
)
SCORE_LINES = (
    "terrible_beasts",
    "towers",
    "mastercraft",
    "standard",
    "items",
    "no_hut_lost",
    "days",
    "hit_points",
    "doubt",
)
COMMON = (Material.STONE, Material.CORD, Material.TAR)
OF_BEASTS = range(Material.FOUL_BLOOD, len(Material) + 1)
SYMBOLS: Mapping[str, DaySymbol | None] = {
    "": None,
    "E": DaySymbol.EVENT,
    "!": DaySymbol.ATTACK,
    "skull": DaySymbol.SKULL,
}


@dataclass(frozen=True, slots=True)
class Beast:
    """A beast on a chart: attacks on 1 to `attacks_to`, is hit on `hit_from` to 6."""

    region: Region
    level: int
    title: str
    hit_points: int
    attacks_to: int
    hit_from: int
    material: Material | None


@dataclass(frozen=True, slots=True)
class Result:
    """What search results from `low` to `high` mean; level 0 of an encounter: one die decides."""

    low: int
    high: int
    kind: SearchKind
    level: int


@dataclass(frozen=True, slots=True)
class RegionTable:
    """A region as printed."""

    title: str
    common: Material
    rare: Material
    die: tuple[int, ...]
    approach: tuple[Tower, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A construction grid: squares in reading order, and which of them are orthogonal neighbours (by number)."""

    title: str
    direction: str
    rows: tuple[str, ...]
    squares: tuple[tuple[int, int], ...]
    neighbours: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class ItemTable:
    """An item as printed; materials are None for the toolbelt."""

    title: str
    common: Material | None
    beast: Material | None
    uses: int
    effect: str


@dataclass(frozen=True, slots=True)
class EquipmentTable:
    """A piece of equipment as printed."""

    title: str
    material: Material
    standard: str
    mastercraft: str


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A line of the scoring chart."""

    key: str
    title: str
    points: int
    only_won: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that is printed."""

    numbers: Mapping[str, int]
    track: tuple[DaySymbol | None, ...]
    regions: Mapping[Region, RegionTable]
    beasts: Mapping[tuple[Region, int], Beast]
    results: tuple[Result, ...]
    level_die: tuple[int, ...]
    grids: Mapping[Tower, Grid]
    damage: tuple[tuple[int, int], ...]
    items: Mapping[Item, ItemTable]
    equipment: Mapping[Equipment, EquipmentTable]
    grades: tuple[tuple[int, Grade], ...]
    elders: Mapping[Elder, tuple[str, str]]
    scoring: tuple[ScoreTable, ...]
    components: tuple[Component, ...]
    reconstructed: bool

    def region_on(self, face: int) -> Region:
        """The region that a die names."""
        return next(region for region, printed in self.regions.items() if face in printed.die)

    def result(self, value: int) -> Result:
        """What a search result means."""
        return next(result for result in self.results if result.low <= value <= result.high)

    def grade(self, refined: int) -> Grade | None:
        """What a refined value makes; None: nothing."""
        return next((grade for most, grade in self.grades if refined <= most), None)

    def boxes_damaged(self, value: int) -> int:
        """Boxes that get an X for die plus Xs; -1: the tower is destroyed."""
        return next(boxes for most, boxes in self.damage if value <= most)


def read_tables(content: Content) -> Tables:
    """Read and check the content. ValueError names the file and what doesn't add up."""
    sheet = entries(content, "sheet.toml", "number")
    grades = [(number(e, "to", 0), key_of(Grade, e)) for e in entries(content, "equipment.toml", "grade")]
    one_each("equipment.toml", [grade for _, grade in grades], Grade)
    return Tables(
        numbers=_numbers(sheet),
        track=_track(content),
        regions=_regions(content),
        beasts=_beasts(content),
        results=_results(content),
        level_die=_level_die(content),
        grids=_grids(content),
        damage=_damage(content),
        items=_items(content),
        equipment=_equipment(content),
        grades=tuple(sorted(grades)),
        elders=_elders(content),
        scoring=_scoring(content),
        components=tuple(map(component, entries(content, "box.toml", "component"))),
        reconstructed=any(entry["source"] == "reconstruction" for entry in sheet),
    )


def _numbers(sheet: Sequence[Entry]) -> Mapping[str, int]:
    numbers = {text(entry, "key"): number(entry, "value", 1) for entry in sheet}
    if sorted(numbers) != sorted(NUMBERS):
        raise ValueError(f"sheet.toml: must have one number each for {', '.join(NUMBERS)}")
    return numbers


def _track(content: Content) -> tuple[DaySymbol | None, ...]:
    (entry, *more) = entries(content, "sheet.toml", "track")
    days = entry.get("days", [])
    if more or not isinstance(days, list) or not days or any(day not in SYMBOLS for day in days):
        raise ValueError('sheet.toml: one track of days "", "E", "!" and "skull"')
    if days[-1] != "skull" or days.count("skull") != 1:
        raise ValueError("sheet.toml: the last day, and no other, is the skull")
    return tuple(SYMBOLS[day] for day in days)


def _regions(content: Content) -> Mapping[Region, RegionTable]:
    rows = entries(content, "regions.toml", "region")
    regions = {
        key_of(Region, row): RegionTable(
            title=text(row, "title"),
            common=key_of(Material, row, "common"),
            rare=key_of(Material, row, "rare"),
            die=tuple(row.get("die", ())),
            approach=tuple(key_of(Tower, {"key": name}) for name in row.get("approach", ())),
        )
        for row in rows
    }
    one_each("regions.toml", [key_of(Region, row) for row in rows], Region)
    faces = sorted(face for region in regions.values() for face in region.die)
    if faces != list(range(1, FACES + 1)) or any(len(region.approach) != FACES for region in regions.values()):
        raise ValueError("regions.toml: each face names one region, and one direction in each region")
    materials = [material for region in regions.values() for material in (region.common, region.rare)]
    if len(set(materials)) != len(materials):
        raise ValueError("regions.toml: a material stands twice")
    return dict(sorted(regions.items()))


def _beasts(content: Content) -> Mapping[tuple[Region, int], Beast]:
    beasts = {}
    for row in entries(content, "beasts.toml", "beast"):
        beast = Beast(
            region=key_of(Region, row, "region"),
            level=number(row, "level", 0, LEVELS),
            title=text(row, "title"),
            hit_points=number(row, "hit_points", 1),
            attacks_to=number(row, "attacks_to", 1, FACES),
            hit_from=number(row, "hit_from", 1, FACES),
            material=key_of(Material, row, "material") if row.get("material") else None,
        )
        if (beast.material is None) == bool(beast.level) or (beast.region, beast.level) in beasts:
            raise ValueError(f"beasts.toml: common beasts leave a material, each stands once: {beast}")
        beasts[beast.region, beast.level] = beast
    if len(beasts) != len(Region) * (LEVELS + 1):
        raise ValueError(f"beasts.toml: each region has levels 0 to {LEVELS}")
    return beasts


def _results(content: Content) -> tuple[Result, ...]:
    results = sorted(
        (
            Result(
                low=number(row, "from", -LARGEST_RESULT),
                high=number(row, "to", -LARGEST_RESULT),
                kind=key_of(SearchKind, row, "kind"),
                level=number(row, "level", 0, LEVELS),
            )
            for row in entries(content, "results.toml", "result")
        ),
        key=lambda result: result.low,
    )
    ends = [-LARGEST_RESULT - 1, *(result.high for result in results)]
    if any(result.low != end + 1 for result, end in zip(results, ends, strict=False)) or ends[-1] != LARGEST_RESULT:
        raise ValueError(f"results.toml: every result from {-LARGEST_RESULT} to {LARGEST_RESULT} once")
    return tuple(results)


def _level_die(content: Content) -> tuple[int, ...]:
    (entry,) = entries(content, "results.toml", "level_die")
    levels = entry.get("levels", [])
    if len(levels) != FACES or any(level not in range(1, LEVELS + 1) for level in levels):
        raise ValueError(f"results.toml: level_die needs a level, 1 to {LEVELS}, for each face")
    return tuple(levels)


def _grids(content: Content) -> Mapping[Tower, Grid]:
    rows = entries(content, "towers.toml", "tower")
    one_each("towers.toml", [key_of(Tower, row) for row in rows], Tower)
    return {key_of(Tower, row): _grid(row) for row in sorted(rows, key=lambda row: key_of(Tower, row))}


def _grid(entry: Entry) -> Grid:
    rows = tuple(str(row) for row in entry.get("grid", ()))
    squares = tuple((r, c) for r, row in enumerate(rows, 1) for c, sign in enumerate(row, 1) if sign == "#")
    if len({len(row) for row in rows}) != 1 or set("".join(rows)) - {"#", "."} or len(squares) != GRID_SQUARES:
        raise ValueError(f"towers.toml: a grid has rows of one length and {GRID_SQUARES} squares: {entry.get('key')}")
    neighbours = tuple(tuple(n for n, other in enumerate(squares, 1) if _adjacent(square, other)) for square in squares)
    reached, new = {1}, {1}
    while new:
        new = {n for square in new for n in neighbours[square - 1]} - reached
        reached |= new
    if len(reached) != GRID_SQUARES:
        raise ValueError(f"towers.toml: the squares of a grid hang together: {entry.get('key')}")
    return Grid(text(entry, "title"), text(entry, "direction"), rows, squares, neighbours)


def _adjacent(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Orthogonal neighbours; diagonal ones don't count."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def _damage(content: Content) -> tuple[tuple[int, int], ...]:
    damage = [(number(e, "to", 1), number(e, "boxes", -1)) for e in entries(content, "towers.toml", "damage")]
    if damage != sorted(damage) or not damage or damage[-1][1] != -1 or damage[-1][0] < FACES + GRID_SQUARES:
        raise ValueError("towers.toml: damage goes up, and the last row destroys")
    return tuple(damage)


def _items(content: Content) -> Mapping[Item, ItemTable]:
    rows = entries(content, "items.toml", "item")
    one_each("items.toml", [key_of(Item, row) for row in rows], Item)
    items = {}
    for row in sorted(rows, key=lambda row: key_of(Item, row)):
        item = key_of(Item, row)
        cost = [key_of(Material, row, field) for field in ("common", "beast") if row.get(field)]
        if len(cost) != (0 if item.toolbelt else 2) or (cost and not (cost[0] in COMMON and cost[1] in OF_BEASTS)):
            raise ValueError(f"items.toml: crafted items take a common and a beast material, no other does: {item!r}")
        common, beast = cost or (None, None)
        items[item] = ItemTable(text(row, "title"), common, beast, number(row, "uses", 1), text(row, "effect"))
    return items


def _equipment(content: Content) -> Mapping[Equipment, EquipmentTable]:
    rows = entries(content, "equipment.toml", "equipment")
    one_each("equipment.toml", [key_of(Equipment, row) for row in rows], Equipment)
    return {
        key_of(Equipment, row): EquipmentTable(
            text(row, "title"), key_of(Material, row, "material"), text(row, "standard"), text(row, "mastercraft")
        )
        for row in sorted(rows, key=lambda row: key_of(Equipment, row))
    }


def _elders(content: Content) -> Mapping[Elder, tuple[str, str]]:
    rows = entries(content, "elders.toml", "elder")
    one_each("elders.toml", [key_of(Elder, row) for row in rows], Elder)
    return {
        key_of(Elder, row): (text(row, "title"), text(row, "reward"))
        for row in sorted(rows, key=lambda row: key_of(Elder, row))
    }


def _scoring(content: Content) -> tuple[ScoreTable, ...]:
    lines = tuple(
        ScoreTable(text(row, "key"), text(row, "title"), number(row, "points", 0), row.get("when") == "win")
        for row in entries(content, "scoring.toml", "line")
    )
    if tuple(line.key for line in lines) != SCORE_LINES:
        raise ValueError(f"scoring.toml: the lines are {', '.join(SCORE_LINES)}, in this order")
    return lines
