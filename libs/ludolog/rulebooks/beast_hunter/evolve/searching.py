"""Set-up, the day's action, dice, searching, materials, determination, items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.evolve.sheet import in_region, roll_of, unchanged, with_die_placed
from ludolog.rulebooks.beast_hunter.names import EVENTS, Action, Equipment, Item, Region, RollPurpose, Row, Tower
from ludolog.rulebooks.beast_hunter.state import BLANK_BOX, Game, RegionSheet, Roll, Today, TowerSheet, put

REGIONS: tuple[Region | None, ...] = (None, *Region)
TOWERS: tuple[Tower | None, ...] = (None, *Tower)
EQUIPMENT: tuple[Equipment | None, ...] = (None, *Equipment)


def _game_started(game: Game, event: pb.GameStarted) -> Game:
    return Game(
        show_odds=event.show_odds,
        hit_points=event.hit_points,
        max_hit_points=event.hit_points,
        uses=tuple(int(item.toolbelt) for item in Item),
        regions=tuple(RegionSheet(boxes=(BLANK_BOX,) * boxes) for boxes in event.search_boxes),
        towers=tuple(TowerSheet(grid=grid, cells=(0,) * grid.count("#")) for grid in event.grids),
    )


def _day_action_chosen(game: Game, event: pb.DayActionChosen) -> Game:
    today = Today(
        action=Action(event.action),
        region=REGIONS[event.region],
        tower=TOWERS[event.tower],
        equipment=EQUIPMENT[event.equipment],
    )
    return replace(game, today=today)


def _search_started(game: Game, event: pb.SearchStarted) -> Game:
    today = replace(game.today, box=event.box, searches_used=game.today.searches_used + 1)
    return replace(game, today=today)


def _search_spent_on_lair(game: Game, event: pb.SearchSpentOnLair) -> Game:
    return replace(game, today=replace(game.today, searches_used=game.today.searches_used + 1))


def _quick_travelled(game: Game, event: pb.QuickTravelled) -> Game:
    used = game.today.searches_used + 1
    return replace(game, today=replace(game.today, region=Region(event.region), travelled=True, searches_used=used))


def _dice_rolled(game: Game, event: pb.DiceRolled) -> Game:
    purpose = RollPurpose(event.purpose)
    roll = Roll(purpose, tuple(event.values), (False,) * len(event.values))
    combat = game.combat
    if combat and purpose in (RollPurpose.COMBAT, RollPurpose.ESCAPE):
        combat = replace(combat, rolls=combat.rolls + 1, struck=False)
    return replace(game, roll=roll, combat=combat)


def _dice_rerolled(game: Game, event: pb.DiceRerolled) -> Game:
    dice = tuple(event.values)
    roll = Roll(RollPurpose(event.purpose), dice, (False,) * len(dice), rerolls_left=event.rerolls_left)
    return replace(game, roll=roll)


def _die_adjusted(game: Game, event: pb.DieAdjusted) -> Game:
    roll = roll_of(game)
    dice, spent = put(roll.dice, event.die, event.value), roll.determination_spent + 1
    return replace(game, roll=replace(roll, dice=dice, determination_spent=spent))


def _roll_accepted(game: Game, event: pb.RollAccepted) -> Game:
    purpose, combat, night = RollPurpose(event.purpose), game.combat, game.night
    if combat and purpose in (RollPurpose.COMBAT, RollPurpose.ESCAPE):
        combat = replace(combat, dice=tuple(event.values), escaping=purpose is RollPurpose.ESCAPE)
    elif night and purpose in EVENTS:
        night = replace(night, event_dice=(*night.event_dice, *event.values))
    return replace(game, roll=None, combat=combat, night=night)


def _die_placed(game: Game, event: pb.DiePlaced) -> Game:
    region, number = game.here, game.today.box
    square = event.column + (3 if Row(event.row) is Row.BOTTOM else 0)
    boxes = game.region(region).boxes
    box = put(boxes[number - 1], square, event.value)
    return replace(in_region(game, region, boxes=put(boxes, number, box)), roll=with_die_placed(game, event.die))


def _search_resolved(game: Game, event: pb.SearchResolved) -> Game:
    return replace(game, today=replace(game.today, box=0))


def _material_gained(game: Game, event: pb.MaterialGained) -> Game:
    count = game.stores[event.material - 1] + event.amount
    return replace(game, stores=put(game.stores, event.material, count))


def _material_spent(game: Game, event: pb.MaterialSpent) -> Game:
    count = game.stores[event.material - 1] - event.amount
    return replace(game, stores=put(game.stores, event.material, count))


def _find_offered(game: Game, event: pb.FindOffered) -> Game:
    return replace(game, find_due=True)


def _find_chosen(game: Game, event: pb.FindChosen) -> Game:
    return replace(game, find_due=False)


def _circle_tracked(game: Game, event: pb.CircleTracked) -> Game:
    return in_region(game, event.region, tracked=event.circles)


def _lair_found(game: Game, event: pb.LairFound) -> Game:
    return in_region(game, event.region, lair_found=True)


def _determination_gained(game: Game, event: pb.DeterminationGained) -> Game:
    return replace(game, determination=game.determination + event.amount)


def _determination_spent(game: Game, event: pb.DeterminationSpent) -> Game:
    return replace(game, determination=game.determination - event.amount)


def _item_crafted(game: Game, event: pb.ItemCrafted) -> Game:
    uses = put(game.uses, event.item, event.uses)
    return replace(game, uses=uses, crafted=put(game.crafted, event.item, item=True))


def _item_used(game: Game, event: pb.ItemUsed) -> Game:
    return replace(game, uses=put(game.uses, event.item, event.uses_left))


def _item_recharged(game: Game, event: pb.ItemRecharged) -> Game:
    return replace(game, uses=put(game.uses, event.item, event.uses_left))


APPLY: dict[type[Message], Callable[[Game, Any], Game]] = {
    pb.GameStarted: _game_started,
    pb.DayActionChosen: _day_action_chosen,
    pb.SearchStarted: _search_started,
    pb.SearchSpentOnLair: _search_spent_on_lair,
    pb.QuickTravelled: _quick_travelled,
    pb.DiceRolled: _dice_rolled,
    pb.DieAdjusted: _die_adjusted,
    pb.DiceRerolled: _dice_rerolled,
    pb.RollAccepted: _roll_accepted,
    pb.DiePlaced: _die_placed,
    pb.SearchResolved: _search_resolved,
    pb.MaterialGained: _material_gained,
    pb.MaterialSpent: _material_spent,
    pb.FindOffered: _find_offered,
    pb.FindChosen: _find_chosen,
    pb.CircleTracked: _circle_tracked,
    pb.LairFound: _lair_found,
    pb.DeterminationGained: _determination_gained,
    pb.DeterminationSpent: _determination_spent,
    pb.ItemCrafted: _item_crafted,
    pb.ItemUsed: _item_used,
    pb.ItemRecharged: _item_recharged,
    pb.SearchDayEnded: unchanged,
    pb.MaterialDiscarded: unchanged,
    pb.EncounterLevelSet: unchanged,
}
