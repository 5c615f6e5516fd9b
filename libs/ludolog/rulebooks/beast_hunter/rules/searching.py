"""Searching. Digest Q1 to Q13, rulings A1 to A3, A16 to A18, A32, A34, A35, A37, A45, A49."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import (
    Action,
    CombatSource,
    Find,
    Item,
    Region,
    RollPurpose,
    Row,
    SearchKind,
    Window,
)
from ludolog.rulebooks.beast_hunter.rules.combat import start_combat
from ludolog.rulebooks.beast_hunter.rules.course import Course, require, require_placing
from ludolog.rulebooks.beast_hunter.rules.items import require_ready, use_item
from ludolog.rulebooks.beast_hunter.rules.materials import take_find
from ludolog.rulebooks.beast_hunter.rules.time_track import cross_day
from ludolog.rulebooks.beast_hunter.rules.tracking import fill_circle, find_lair
from ludolog.rulebooks.beast_hunter.state import BLANK_BOX, LEVELS, Game, Roll
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Searching"
COLUMNS = 3
TRACK_FIND, LAIR_RARE, LAIR_COMMON = 1, 1, 2
"""Materials of a track result, and of a lair result either way."""


def weatherproof(game: Game) -> bool:
    """The Heavy Coat lifts Foul Weather, from the moment in which it is crafted (ruling A49)."""
    return game.uses_left(Item.HEAVY_COAT) > 0


def foul(game: Game, region: Region) -> bool:
    """Foul Weather binds the hunter there."""
    return game.affects(RollPurpose.FOUL_WEATHER, region) and not weatherproof(game)


def searches_left(tables: Tables, game: Game) -> int:
    """Searches left today: three a day, two in Foul Weather (Q1, Q12)."""
    if game.today.action is not Action.SEARCH:
        return 0
    limit = "foul_weather_searches" if foul(game, game.here) else "searches"
    return max(tables.numbers[limit] - game.today.searches_used, 0)


def lair_open(game: Game, region: Region) -> bool:
    """The Terrible Beast can be met at its lair (Q11)."""
    sheet = game.region(region)
    return sheet.lair_found and not sheet.defeated


def worth_searching(game: Game, region: Region) -> bool:
    """An empty box is left, or a beast can be met without one (ruling A17)."""
    bait = game.uses_left(Item.POTENT_BAIT) > 0 and not game.region(region).defeated
    lure = game.uses_left(Item.BLOOD_LURE) > 0
    return BLANK_BOX in game.region(region).boxes or lair_open(game, region) or lure or bait


def check_choose_search_region(tables: Tables, game: Game, command: pb.ChooseSearchRegion) -> None:
    """A day is spent searching (Q1)."""
    require(game, SECTION, Window.DAY)
    if not worth_searching(game, Region(command.region)):
        raise Refusal("NOTHING_TO_SEARCH", SECTION, region=Region(command.region).name, ruling="A17")


def choose_search_region(course: Course, command: pb.ChooseSearchRegion) -> None:
    """Go there."""
    course.tell(pb.DayActionChosen(action=pb.ACTION_SEARCH, region=command.region))


def _require_search(tables: Tables, game: Game) -> None:
    require(game, SECTION, Window.SEARCH)
    if searches_left(tables, game) < 1:
        raise Refusal("NO_SEARCH_LEFT", SECTION, searches_used=game.today.searches_used)


def check_start_search(tables: Tables, game: Game, command: pb.StartSearch) -> None:
    """An empty search box of the region (Q2, Q3)."""
    _require_search(tables, game)
    boxes = game.region(game.here).boxes
    if not 1 <= command.box <= len(boxes):
        raise Refusal("NO_SUCH_BOX", SECTION, box=command.box, boxes=len(boxes))
    if boxes[command.box - 1] != BLANK_BOX:
        raise Refusal("BOX_USED", SECTION, box=command.box)


def start_search(course: Course, command: pb.StartSearch) -> None:
    """Begin; it must be seen through to the end."""
    course.tell(pb.SearchStarted(region=pb.Region.ValueType(course.game.here), box=command.box))


def check_place_die(tables: Tables, game: Game, command: pb.PlaceDie) -> None:
    """Any die of the roll, any empty square (Q2)."""
    require_placing(game, SECTION, RollPurpose.SEARCH, command.die)
    if not 1 <= command.column <= COLUMNS:
        raise Refusal("NO_SUCH_SQUARE", SECTION, column=command.column)
    box = game.region(game.here).boxes[game.today.box - 1]
    if box[_square(command) - 1]:
        raise Refusal("SQUARE_FILLED", SECTION, row=Row(command.row).name, column=command.column)


def _square(command: pb.PlaceDie) -> int:
    return command.column + (COLUMNS if Row(command.row) is Row.BOTTOM else 0)


def place_die(course: Course, command: pb.PlaceDie) -> None:
    """Write a die down; a full box has its result."""
    value = course.game.roll.dice[command.die - 1] if course.game.roll else 0
    course.tell(pb.DiePlaced(die=command.die, value=value, row=command.row, column=command.column))
    box = course.game.region(course.game.here).boxes[course.game.today.box - 1]
    if all(box):
        _resolve(course, box)


def _resolve(course: Course, box: tuple[int, ...]) -> None:
    """Subtract the bottom number from the top number, and look the result up (Q4)."""
    region = course.game.here
    top, bottom = (100 * a + 10 * b + c for a, b, c in (box[:COLUMNS], box[COLUMNS:]))
    result = course.tables.result(top - bottom)
    resolved = pb.SearchResolved(
        region=pb.Region.ValueType(region),
        box=course.game.today.box,
        top=top,
        bottom=bottom,
        result=top - bottom,
        kind=pb.SearchKind.ValueType(result.kind),
    )
    course.tell(resolved)
    match result.kind:
        case SearchKind.ENCOUNTER if result.level:
            start_combat(course, region, result.level, CombatSource.ENCOUNTER)
        case SearchKind.ENCOUNTER:
            course.roll(RollPurpose.ENCOUNTER_LEVEL, 1)
        case SearchKind.TRACK:
            _track(course, region)
        case SearchKind.LAIR:
            _lair(course, region)
        case SearchKind.AMBUSH:
            _ambush(course, region)


def use_encounter_level(course: Course, roll: Roll) -> None:
    """A random encounter's level (Q9)."""
    level = course.tables.level_die[roll.dice[0] - 1]
    course.tell(pb.EncounterLevelSet(level=level))
    start_combat(course, course.game.here, level, CombatSource.ENCOUNTER)


def _track(course: Course, region: Region) -> None:
    """A circle and a common material; the third circle offers the fight (Q5, rulings A2, A3)."""
    third = fill_circle(course, region)
    take_find(course, region, Find.COMMON, TRACK_FIND)
    if third:
        _offer_fight(course, region, ambush=False)


def _lair(course: Course, region: Region) -> None:
    """The lair, the fight, and one rare or two common materials (Q6, rulings A2, A3)."""
    find_lair(course, region)
    course.tell(pb.FindOffered(region=pb.Region.ValueType(region)))
    _offer_fight(course, region, ambush=False)


def _ambush(course: Course, region: Region) -> None:
    """The lair, and the fight with Ambush; no material (Q7, rulings A2, A3)."""
    find_lair(course, region)
    _offer_fight(course, region, ambush=True)


def _offer_fight(course: Course, region: Region, *, ambush: bool) -> None:
    if not course.game.region(region).defeated:
        course.tell(pb.FightOffered(region=pb.Region.ValueType(region), ambush=ambush))


def check_choose_find(tables: Tables, game: Game, command: pb.ChooseFind) -> None:
    """One rare or two common materials (Q6)."""
    require(game, SECTION, Window.FIND)


def choose_find(course: Course, command: pb.ChooseFind) -> None:
    """Take it."""
    find = Find(command.find)
    course.tell(pb.FindChosen(find=command.find))
    take_find(course, course.game.here, find, LAIR_RARE if find is Find.RARE else LAIR_COMMON)


def check_enter_tb_combat(tables: Tables, game: Game, command: pb.EnterTbCombat) -> None:
    """A fight is offered."""
    require(game, SECTION, Window.FIGHT_OFFER)


def enter_tb_combat(course: Course, command: pb.EnterTbCombat) -> None:
    """Fight the Terrible Beast now."""
    region, ambush = course.game.here, course.game.ambush_offered
    course.tell(pb.FightAnswered(region=pb.Region.ValueType(region), accepted=True))
    start_combat(course, region, 0, CombatSource.OFFER, ambush=ambush)


def check_decline_tb_combat(tables: Tables, game: Game, command: pb.DeclineTbCombat) -> None:
    """A fight is offered."""
    require(game, SECTION, Window.FIGHT_OFFER)


def decline_tb_combat(course: Course, command: pb.DeclineTbCombat) -> None:
    """Not now; an offered Ambush is lost (Q7)."""
    course.tell(pb.FightAnswered(region=pb.Region.ValueType(course.game.here)))


def check_quick_travel(tables: Tables, game: Game, command: pb.QuickTravel) -> None:
    """Quick Search: after exactly one search, in no Foul Weather (Q10, rulings A34, A37)."""
    require(game, SECTION, Window.SEARCH)
    target = Region(command.region)
    if game.today.searches_used != 1:
        raise Refusal("NOT_AFTER_ONE_SEARCH", SECTION, searches_used=game.today.searches_used)
    if target is game.here:
        raise Refusal("SAME_REGION", SECTION, region=target.name)
    for region in (game.here, target):
        if foul(game, region):
            raise Refusal("FOUL_WEATHER", SECTION, region=region.name)
    if not worth_searching(game, target):
        raise Refusal("NOTHING_TO_SEARCH", SECTION, region=target.name, ruling="A17")


def quick_travel(course: Course, command: pb.QuickTravel) -> None:
    """Spend the second search to travel."""
    course.tell(pb.QuickTravelled(region=command.region))


def check_spend_search_on_lair(tables: Tables, game: Game, command: pb.SpendSearchOnLair) -> None:
    """A search for a fight at a known lair (Q11, ruling A3)."""
    _require_search(tables, game)
    _require_alive(game)
    if not game.region(game.here).lair_found:
        raise Refusal("LAIR_UNKNOWN", SECTION, region=game.here.name)


def _require_alive(game: Game) -> None:
    if game.region(game.here).defeated:
        raise Refusal("BEAST_DEFEATED", SECTION, region=game.here.name, ruling="A3")


def spend_search_on_lair(course: Course, command: pb.SpendSearchOnLair) -> None:
    """Meet the Terrible Beast at its lair."""
    region = course.game.here
    course.tell(pb.SearchSpentOnLair(region=pb.Region.ValueType(region)))
    start_combat(course, region, 0, CombatSource.LAIR)


def check_use_blood_lure(tables: Tables, game: Game, command: pb.UseBloodLure) -> None:
    """Before a search that is still available; it isn't used up (ruling A16)."""
    _require_search(tables, game)
    require_ready(game, Item.BLOOD_LURE)
    if not 1 <= command.level <= LEVELS:
        raise Refusal("NO_SUCH_LEVEL", SECTION, level=command.level)


def use_blood_lure(course: Course, command: pb.UseBloodLure) -> None:
    """Meet a common beast of one's choice."""
    use_item(course, Item.BLOOD_LURE)
    start_combat(course, course.game.here, command.level, CombatSource.LURE)


def check_use_potent_bait(tables: Tables, game: Game, command: pb.UsePotentBait) -> None:
    """As the lure; not for a dead beast (rulings A3, A16)."""
    _require_search(tables, game)
    require_ready(game, Item.POTENT_BAIT)
    _require_alive(game)


def use_potent_bait(course: Course, command: pb.UsePotentBait) -> None:
    """Meet the Terrible Beast, lair known or not; that doesn't mark it (ruling A32)."""
    use_item(course, Item.POTENT_BAIT)
    start_combat(course, course.game.here, 0, CombatSource.BAIT)


def check_end_search_day(tables: Tables, game: Game, command: pb.EndSearchDay) -> None:
    """Between searches, also before the first one (ruling A45)."""
    require(game, SECTION, Window.SEARCH)


def end_search_day(course: Course, command: pb.EndSearchDay) -> None:
    """Unused searches are lost (Q1, Q13)."""
    course.tell(pb.SearchDayEnded(searches_lost=searches_left(course.tables, course.game)))
    cross_day(course)
