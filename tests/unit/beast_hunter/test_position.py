"""Positions for scenarios: filled in as the proto says, refused where they can't come about."""

from typing import Any

import pytest
from google.protobuf import json_format

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import open_match
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.beast_hunter.names import Item, Material, Region, Tower
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.testkit.chance import SeededChance

RULEBOOK = catalogue.load("beast_hunter")
SCAR = "REGION_THE_SCAR"
CAVERNS = "REGION_COASTAL_CAVERNS"
SEARCH = {"action": "ACTION_SEARCH", "region": SCAR, "searches_used": 1}

REGIONS = ("halebeard_peak", "coastal_caverns", "the_scar")
BUILD = {"action": "ACTION_BUILD", "tower": "TOWER_EASTERN"}
FORGE = {"action": "ACTION_FORGE", "equipment": "EQUIPMENT_SILVER_PLATE"}
COMBAT = {"purpose": "ROLL_PURPOSE_COMBAT", "dice": [3, 4]}
NIGHT = {
    "days_crossed": 3,
    "today": {"action": "ACTION_SEARCH", "region": "REGION_COASTAL_CAVERNS"},
    "roll": {"purpose": "ROLL_PURPOSE_ATTACK_DIRECTION", "dice": [1]},
}
FULL = {"top": "123", "bottom": "456"}
FULL_GRID = ["..1.", ".11.", "111.", "111.", "1111", "1111", "1.11"]


def position(**fields: Any) -> Game:
    game = RULEBOOK.from_position(json_format.ParseDict(fields, pb.Position()), 1, pb.Options())
    assert isinstance(game, Game)
    return game


def test_an_empty_position_is_the_start() -> None:
    (started,) = open_match(RULEBOOK, pb.Options(), 1, SeededChance("start"))
    assert RULEBOOK.evolve(RULEBOOK.blank, started) == RULEBOOK.evolve(RULEBOOK.blank, started)
    after = RULEBOOK.evolve(RULEBOOK.blank, started)
    assert RULEBOOK.from_position(RULEBOOK.position(after), 1, pb.Options()) == after
    empty = position()
    assert (empty.hit_points, empty.uses[: len(Item) - 7], empty.regions) == (10, (1, 1, 1), after.regions)


def test_what_is_filled_in() -> None:
    game = position(
        combat={"region": SCAR, "level": 4},
        regions={"the_scar": {"wounds": [0, 0, 0, 3], "boxes": [{"top": "123", "bottom": "456"}]}},
        towers={"southern": {"standing": True}},
        inventory={"crab_plate": {"uses_left": 1}, "firebox": {"crafted": True}},
        max_hit_points=8,
    )
    assert game.combat is not None
    assert (game.combat.hit_points, game.today.region, game.today.searches_used) == (1, Region.THE_SCAR, 1)
    assert game.tower(Tower.SOUTHERN).cells == (1,) * 20
    assert game.region(Region.THE_SCAR).boxes[0] == (1, 2, 3, 4, 5, 6)
    assert (game.uses_left(Item.CRAB_PLATE), game.uses_left(Item.FIREBOX), game.hit_points) == (1, 0, 8)
    assert game.crafted[Item.FIREBOX - 1]
    assert game.store(Material.TAR) == 0


def test_what_follows_from_something_else() -> None:
    towers = {"eastern": {"standing": True, "totem": True}, "southern": {"standing": True}}
    game = position(towers={**towers, "south_western": {"standing": True}})
    assert game.towers_approved
    assert (game.crafted[Item.HAWK_TOTEM - 1], game.uses_left(Item.HAWK_TOTEM)) == (True, 0)
    assert not position(towers=towers).towers_approved
    game = position(combat={"region": SCAR, "level": 1}, today={"searches_used": 3, "terrible_beast_killed": False})
    assert (game.today.region, game.today.searches_used) == (Region.THE_SCAR, 3)
    roll = {"purpose": "ROLL_PURPOSE_FORGE", "dice": [1, 2]}
    assert position(today=FORGE, field={"top": "3__", "bottom": "1__"}, roll=roll).settled == (1,)


@pytest.mark.parametrize(
    ("dice", "waits", "given", "rolls"),
    [([], False, 0, 0), ([], True, 0, 1), ([1, 2], False, 0, 1), ([1, 2], True, 0, 2), ([1, 2], True, 5, 5)],
)
def test_rolls_follow_from_the_dice_that_can_be_seen(dice: list[int], waits: bool, given: int, rolls: int) -> None:
    roll = {"roll": {"purpose": "ROLL_PURPOSE_COMBAT", "dice": [3, 4]}} if waits else {}
    game = position(combat={"region": SCAR, "level": 1, "dice": dice, "rolls": given}, **roll)
    assert game.combat is not None
    assert game.combat.rolls == rolls


@pytest.mark.parametrize(
    ("level", "hit_points", "given", "events", "left", "wounds"),
    [
        (4, 2, {}, {}, 2, 1),
        (4, 2, {"wounds": [0, 0, 0, 1]}, {}, 2, 1),
        (0, 3, {"nature": "NATURE_CRUEL"}, {}, 3, 3),
        (0, 3, {"nature": "NATURE_CRUEL"}, {"madness": CAVERNS}, 3, 5),
        (4, 1, {"wounds": [0, 0, 0, 4]}, {}, 1, 4),
        (4, 0, {"wounds": [0, 0, 0, 1]}, {}, 2, 1),
    ],
)
def test_hit_points_and_wounds_say_the_same(
    level: int, hit_points: int, given: dict[str, Any], events: dict[str, Any], left: int, wounds: int
) -> None:
    """Crab 3 hit points, Dweller 6, 2 more under Madness; A28: more wounds than hit points leave 1."""
    combat = {"region": CAVERNS, "level": level, "hit_points": hit_points}
    game = position(combat=combat, regions={"coastal_caverns": given}, events=events)
    assert game.combat is not None
    assert game.combat.hit_points == left
    assert game.region(Region.COASTAL_CAVERNS).wounds_of(level) == wounds
    assert RULEBOOK.from_position(RULEBOOK.position(game), 1, pb.Options()) == game


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"days_crossed": 14}, "would be over"),
        ({"days_crossed": 15}, "days_crossed"),
        ({"hit_points": 11}, "hit_points"),
        ({"hit_points": 0}, "would be over"),
        ({"max_hit_points": 5, "hit_points": 6}, "hit_points"),
        ({"determination": 7}, "determination"),
        ({"doubt": 18}, "would be over"),
        ({"huts_destroyed": 10}, "huts"),
        ({"stores": {"tar": 5}}, "stores"),
        ({"inventory": {"crab_plate": {"uses_left": 3}}}, "crab_plate"),
        ({"inventory": {"heavy_coat": {"crafted": True}}}, "heavy_coat"),
        ({"regions": {"the_scar": {"boxes": [{"top": "12_", "bottom": "456"}]}}}, "half full"),
        ({"regions": {"the_scar": {"boxes": [{"top": "127", "bottom": "456"}]}}}, "a row is three"),
        ({"regions": {"the_scar": {"boxes": [{}] * 7}}}, "6 boxes"),
        ({"regions": {"the_scar": {"tracked": 4}}}, "tracked"),
        ({"regions": {"the_scar": {"tracked": 3}}}, "lair_found"),
        ({"regions": {"the_scar": {"wounds": [-1]}}}, "wounds"),
        ({"towers": {"eastern": {"rows": ["1"]}}}, "outside"),
        ({"towers": {"southern": {"totem": True}}}, "totem"),
        (
            {"towers": {"southern": {"rows": [".1_.", ".__.", ".__.", ".___", ".___", "____", "____"]}}},
            "only the one that is built",
        ),
        ({"today": {"action": "ACTION_SEARCH"}}, "today.region"),
        ({"today": {"action": "ACTION_REST", "region": SCAR}}, "today.region"),
        ({"today": {**SEARCH, "searches_used": 4}}, "searches_used"),
        ({"today": {**SEARCH, "box": 7}}, "today.box"),
        ({"find_due": True}, "find_due"),
        ({"today": SEARCH, "ambush_offered": True}, "ambush"),
        ({"elder_due": True, "elders": {"epiphoros": True, "sipporos": True, "nikandros": True}}, "elder_due"),
        ({"today": SEARCH, "roll": {"purpose": "ROLL_PURPOSE_SEARCH", "dice": [1, 2]}}, "not what is going on"),
        ({"today": {**SEARCH, "box": 1}, "roll": {"purpose": "ROLL_PURPOSE_SEARCH", "dice": [1]}}, "roll.dice"),
        ({"today": {**SEARCH, "box": 1}, "roll": {"purpose": "ROLL_PURPOSE_SEARCH", "dice": [1, 7]}}, "faces"),
        ({"roll": {"purpose": "ROLL_PURPOSE_COMBAT", "dice": [1, 2]}}, "in combat"),
        ({"roll": {"purpose": "ROLL_PURPOSE_ABUNDANCE", "dice": [1]}}, "at night"),
        ({"combat": {"region": SCAR}}, "nature"),
        ({"combat": {"region": SCAR, "level": 5}}, "5"),
        ({"combat": {"region": SCAR, "level": -1}}, "-1"),
        ({"combat": {"region": CAVERNS, "level": 1, "hit_points": 9}}, "2 by the wounds, not 9"),
        ({"combat": {"region": CAVERNS, "level": 1, "hit_points": -1}}, "not -1"),
        (
            {
                "combat": {"region": CAVERNS, "level": 4, "hit_points": 3},
                "regions": {"coastal_caverns": {"wounds": [0, 0, 0, 1]}},
            },
            "2 by the wounds, not 3",
        ),
        ({"combat": {"region": SCAR, "level": 1, "threat": 1}}, "threat"),
        ({"combat": {"region": SCAR}, "regions": {"the_scar": {"defeated": True, "nature": "NATURE_COWED"}}}, "dead"),
        ({"today": SEARCH, "night": {}}, "waited for"),
        ({"ending": "END_REASON_DEATH"}, "not what the sheet says"),
        ({"hit_points": 0, "ending": "END_REASON_TIME_UP"}, "not what the sheet says|would be over"),
        ({"regions": {one: {"defeated": True} for one in REGIONS}}, "would be over"),
        ({"regions": {"the_scar": {"wounds": [4]}}}, "regions.wounds"),
        ({"regions": {"the_scar": {"terrible_wounds": 8, "nature": "NATURE_CRUEL"}}}, "regions.wounds"),
        ({"regions": {"the_scar": {"terrible_wounds": 1}}}, "nature is known"),
        ({"today": {**SEARCH, "box": 2}, "regions": {"the_scar": {"boxes": [{"top": "12_"}]}}}, "isn't today.box"),
        ({"today": {**SEARCH, "box": 1}, "regions": {"the_scar": {"boxes": [FULL]}}}, "two squares"),
        ({"today": {**SEARCH, "box": 1}, "regions": {"the_scar": {"boxes": [{"top": "123"}]}}}, "two squares"),
        ({"today": {**SEARCH, "box": 1, "searches_used": 0}}, "counts the search"),
        ({"today": {**SEARCH, "searches_used": 0}, "find_due": True}, "counts the search"),
        ({"today": {**SEARCH, "travelled": True}}, "travelled"),
        ({"today": {"searches_used": 1}}, "searches_used"),
        ({"today": {"action": "ACTION_REST"}}, "night"),
        ({"today": {**SEARCH, "tower_completed": True}}, "tower_completed"),
        ({"today": {**SEARCH, "terrible_beast_killed": True}}, "none is defeated"),
        ({"today": BUILD, "towers": {"eastern": {"standing": True}}}, "stands already"),
        ({"today": BUILD, "towers": {"eastern": {"rows": FULL_GRID}}}, "a full grid"),
        ({"today": BUILD, "towers": {"eastern": {"rows": [*FULL_GRID[:-1], "1.1_"]}}}, "no room"),
        ({"today": FORGE, "forged": {"silver_plate": "GRADE_STANDARD"}}, "forged already"),
        ({"today": FORGE, "field": {"top": "1__", "bottom": "2__"}}, "of 0 or more"),
        ({"today": FORGE, "field": {"top": "21_", "bottom": "11_", "settled": [1]}}, "settled or cleared"),
        ({"today": FORGE, "field": {"top": "2__", "bottom": "1__", "settled": [1, 1]}}, "each box once"),
        ({"today": FORGE, "field": {"top": "221", "bottom": "11_"}}, "no room"),
        ({"today": SEARCH, "fight_offered": True, "regions": {"the_scar": {"defeated": True}}}, "it is dead"),
        (
            {"today": SEARCH, "find_due": True, "roll": {"purpose": "ROLL_PURPOSE_ENCOUNTER_LEVEL", "dice": [1]}},
            "not during",
        ),
        ({"combat": {"region": SCAR, "level": 1}, "elder_due": True}, "not during"),
        ({"combat": {"region": SCAR, "level": 1}, "today": {**SEARCH, "box": 1}}, "mid-search"),
        ({"combat": {"region": SCAR, "level": 1, "rolls": 1, "dice": [1, 2]}, "roll": COMBAT}, "combat.rolls"),
        ({"combat": {"region": SCAR, "level": 1, "rolls": -1}}, "combat.rolls"),
        ({"combat": {"region": SCAR, "level": 1, "dice": [7, 1]}}, "combat.dice"),
        ({"combat": {"region": SCAR, "level": 1, "dice": [1]}}, "combat.dice"),
        ({"combat": {"region": SCAR, "level": 1, "dice": [5, 1], "escaping": True}}, "had escaped"),
        ({"combat": {"region": SCAR, "level": 1, "dice": [6, 1], "threat": 2}}, "threat"),
        ({"combat": {"region": SCAR, "level": 1}, "roll": {**COMBAT, "placed": [True, False]}}, "roll.placed"),
        ({"combat": {"region": SCAR, "level": 1}, "roll": {**COMBAT, "rerolls_left": 1}}, "Luck Charm"),
        ({"combat": {"region": SCAR, "level": 1}, "roll": {**COMBAT, "determination_spent": -1}}, "spent"),
        ({**NIGHT, "days_crossed": 0, "night": {}}, "a day that was spent"),
        ({**NIGHT, "night": {"attacker": SCAR}, "regions": {"the_scar": {"defeated": True}}}, "it is dead"),
        ({**NIGHT, "night": {"direction": "TOWER_EASTERN"}}, "of an attacker"),
        ({**NIGHT, "night": {}}, "not what is rolled for"),
        ({**NIGHT, "night": {"attacker": SCAR, "event_dice": [1]}}, "event_dice"),
        ({**NIGHT, "night": {"attacker": SCAR, "tower_damage": 1}}, "tower_damage"),
        ({"field": {"top": "1__", "bottom": "1__"}}, "field"),
    ],
)
def test_impossible_positions_are_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises((ValueError, KeyError), match=problem):
        position(**fields)


def test_there_is_no_game_for_two() -> None:
    with pytest.raises(ValueError, match="for one"):
        RULEBOOK.from_position(pb.Position(), 2, pb.Options())
