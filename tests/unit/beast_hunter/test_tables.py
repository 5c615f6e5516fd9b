"""Printed charts check themselves: content that doesn't add up, or has no source, doesn't load."""

import pytest

from ludolog.rulebooks import catalogue
from ludolog.rulebooks.beast_hunter.names import DaySymbol, Grade, Material, Region, SearchKind, Tower
from ludolog.rulebooks.beast_hunter.tables import read_tables
from tests.contract.test_content import refused

CONTENT = catalogue.read_content("beast_hunter")
TABLES = read_tables(CONTENT)


def test_the_sheet() -> None:
    assert dict(TABLES.numbers) == {
        "hit_points": 10,
        "determination": 6,
        "doubt": 18,
        "huts": 9,
        "search_boxes": 6,
        "tracking_circles": 3,
        "storage_circles": 4,
        "searches": 3,
        "foul_weather_searches": 2,
        "madness_hit_points": 2,
        "rest": 2,
    }


def test_the_time_track() -> None:
    days = {symbol: [n for n, found in enumerate(TABLES.track, 1) if found is symbol] for symbol in (*DaySymbol, None)}
    assert days == {
        DaySymbol.EVENT: [1, 4, 7, 10, 13],
        DaySymbol.ATTACK: [3, 6, 9, 12],
        DaySymbol.SKULL: [14],
        None: [2, 5, 8, 11],
    }


@pytest.mark.parametrize(
    ("region", "level", "figures"),
    [
        (Region.HALEBEARD_PEAK, 1, (2, 1, 5, Material.FOUL_BLOOD)),
        (Region.HALEBEARD_PEAK, 2, (2, 2, 5, Material.BEAST_PELT)),
        (Region.HALEBEARD_PEAK, 3, (3, 2, 5, Material.BEAST_PELT)),
        (Region.HALEBEARD_PEAK, 4, (4, 2, 6, Material.SACRED_FEATHERS)),
        (Region.COASTAL_CAVERNS, 1, (2, 1, 5, Material.FOUL_BLOOD)),
        (Region.COASTAL_CAVERNS, 2, (2, 2, 5, Material.OILY_MEAT)),
        (Region.COASTAL_CAVERNS, 3, (3, 2, 5, Material.OILY_MEAT)),
        (Region.COASTAL_CAVERNS, 4, (3, 3, 6, Material.NIGHTMARE_CHITIN)),
        (Region.THE_SCAR, 1, (2, 1, 4, Material.FOUL_BLOOD)),
        (Region.THE_SCAR, 2, (3, 2, 4, Material.DRAGON_SMOKE)),
        (Region.THE_SCAR, 3, (3, 2, 5, Material.DRAGON_SMOKE)),
        (Region.THE_SCAR, 4, (4, 2, 6, Material.TROLL_ASH)),
        *((region, 0, (6, 3, 6, None)) for region in Region),
    ],
)
def test_beasts(region: Region, level: int, figures: tuple[int, int, int, Material | None]) -> None:
    beast = TABLES.beasts[region, level]
    assert (beast.hit_points, beast.attacks_to, beast.hit_from, beast.material) == figures


def test_directions_with_all_terrible_beasts_alive() -> None:
    """Digest 2.1: 7, 6 and 5 of 18."""
    towers = [tower for region in TABLES.regions.values() for tower in region.approach]
    assert [towers.count(tower) for tower in Tower] == [7, 6, 5]
    assert [TABLES.region_on(face) for face in range(1, 7)] == [region for region in Region for _ in range(2)]


@pytest.mark.parametrize(
    ("value", "kind", "level"),
    [
        (-555, SearchKind.ENCOUNTER, 4),
        (-401, SearchKind.ENCOUNTER, 4),
        (-400, SearchKind.ENCOUNTER, 3),
        (-1, SearchKind.ENCOUNTER, 0),
        (0, SearchKind.AMBUSH, 0),
        (1, SearchKind.LAIR, 0),
        (10, SearchKind.LAIR, 0),
        (11, SearchKind.TRACK, 0),
        (99, SearchKind.TRACK, 0),
        (100, SearchKind.ENCOUNTER, 0),
        (555, SearchKind.ENCOUNTER, 4),
    ],
)
def test_results(value: int, kind: SearchKind, level: int) -> None:
    result = TABLES.result(value)
    assert (result.kind, result.level) == (kind, level)


def test_grids_and_grades_and_damage() -> None:
    assert [len(grid.squares) for grid in TABLES.grids.values()] == [20, 20, 20]
    assert TABLES.grids[Tower.EASTERN].neighbours[:3] == ((3,), (3, 5), (1, 2, 6))
    assert [TABLES.grade(value) for value in range(6)] == [
        Grade.MASTERCRAFT,
        *[Grade.STANDARD] * 3,
        None,
        None,
    ]
    assert [TABLES.boxes_damaged(value) for value in range(1, 9)] == [0, 1, 2, 2, 2, -1, -1, -1]


def test_what_is_a_reconstruction() -> None:
    assert TABLES.reconstructed
    files = {name: data.decode().count('source = "reconstruction"') for name, data in CONTENT.items()}
    assert {name for name, count in files.items() if count} == {"sheet.toml"}
    assert files["sheet.toml"] == 1


def test_an_owner_replaces_a_file() -> None:
    sheet = CONTENT["sheet.toml"].replace(b"value = 4\n", b"value = 6\n").replace(b'"reconstruction"', b'"rulebook"')
    tables = read_tables({**CONTENT, "sheet.toml": sheet})
    assert tables.numbers["storage_circles"] == 6
    assert not tables.reconstructed


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("sheet.toml", 'key = "huts"', 'key = "hats"', "one number each"),
        ("sheet.toml", "value = 18", "value = true", "value must be"),
        ("sheet.toml", ', "skull"]', ', "E"]', "skull"),
        ("sheet.toml", '"", "!", "E"', '"", "?", "E"', "one track"),
        ("regions.toml", "die = [1, 2]", "die = [1, 3]", "each face names one region"),
        ("regions.toml", 'approach = ["eastern", ', "approach = [", "one direction"),
        ("regions.toml", '"southern"', '"northern"', "northern"),
        ("regions.toml", 'common = "cord"', 'common = "stone"', "stands twice"),
        ("beasts.toml", "level = 4", "level = 3", "each stands once"),
        ("beasts.toml", 'material = "oily_meat"', 'material = ""', "leave a material"),
        ("beasts.toml", "hit_from = 6", "hit_from = 7", "hit_from must be"),
        ("results.toml", "from = 11\n", "from = 12\n", "once"),
        ("results.toml", "levels = [1, 1, 2", "levels = [1, 2", "level_die"),
        ("towers.toml", '"..#."', '"...."', "20 squares"),
        ("towers.toml", '"..#."', '"#..."', "hang together"),
        ("towers.toml", "to = 99", "to = 20", "last row destroys"),
        ("items.toml", 'common = "stone"', 'common = "silver"', "a common and a beast material"),
        ("items.toml", 'key = "firebox"', 'key = "icebox"', "icebox"),
        ("equipment.toml", 'key = "standard"', 'key = "mastercraft"', "one entry each"),
        ("elders.toml", 'title = "Sipporos"', 'title = ""', "title must be"),
        ("scoring.toml", 'key = "days"', 'key = "nights"', "in this order"),
        ("box.toml", "count = 2", "count = 0", "count must be"),
    ],
)  # fmt: skip
def test_content_that_does_not_add_up_is_refused(name: str, old: str, new: str, problem: str) -> None:
    refused("beast_hunter", name, old, new, problem)
