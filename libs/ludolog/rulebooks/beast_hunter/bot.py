"""The house player: weighs everything in points of the score, with exact odds for fights and search boxes.

It sees the view and the legal commands, nothing else; the printed charts are bound to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Chance, LegalCommand, Seat, candidates
from ludolog.rulebooks.beast_hunter import bot_days as plans
from ludolog.rulebooks.beast_hunter.bot_dice import place, used
from ludolog.rulebooks.beast_hunter.bot_worth import Look
from ludolog.rulebooks.beast_hunter.names import Item
from ludolog.rulebooks.beast_hunter.tables import Tables

M = TypeVar("M", bound=Message)
CRAFTS = (
    Item.REVIVING_DOSE,
    Item.FIREBOX,
    Item.CRAB_PLATE,
    Item.HAWK_TOTEM,
    Item.POTENT_BAIT,
    Item.BLOOD_LURE,
    Item.HEAVY_COAT,
)
"""What is crafted first."""
DISRUPTOR = 8.0
"""What the Optic Disruptor has to be better than an attempt to escape."""
HURT = 3
"""Hit points below which a Crab Plate takes any damage."""
FEAST = 2
KEPT = 1
"""Common materials that a craft leaves for the towers, but for the best of them."""
BEST_CRAFTS = CRAFTS[:3]


def planner(tables: Tables, view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Its answer; None where it has nothing to decide."""
    moves = [entry.command for entry in candidates(legal)]
    if not isinstance(view, pb.View) or not moves:
        return None
    look = Look(tables, view)
    return _between(look, moves) or WINDOWS[view.window](look, moves)


def of(moves: Sequence[Message], kind: type[M]) -> list[M]:
    """The moves of a kind."""
    return [move for move in moves if isinstance(move, kind)]


def _between(look: Look, moves: Sequence[Message]) -> Message | None:
    """Crafts and totems: whenever there is nothing better to keep their materials for."""
    totems = of(moves, pb.PlaceHawkTotem)
    if totems:
        return min(totems, key=lambda move: (look.view.towers[move.tower - 1].faults, move.tower))
    if look.view.roll.dice:
        return None
    for item in CRAFTS:
        for move in of(moves, pb.CraftItem):
            if int(move.item) == item and _worth_crafting(look, item):
                return move
    return None


def _worth_crafting(look: Look, item: Item) -> bool:
    towers = sum(not tower.standing for tower in look.view.towers)
    if item is Item.HAWK_TOTEM and towers == len(look.view.towers):
        return False
    last_days = look.days_left <= 1
    return item in BEST_CRAFTS or last_days or not towers or look.commons > KEPT + 2


def _day(look: Look, moves: Sequence[Message]) -> Message:
    return max(plans.days(look, list(moves)), key=lambda day: day[0])[1]


def _search(look: Look, moves: Sequence[Message]) -> Message:
    region = look.view.regions[look.view.region - 1]
    meeting = look.gain(region, 0) - look.later(region) if not region.defeated else 0.0
    if meeting > plans.LEAST_FIGHT:
        for kind in (pb.SpendSearchOnLair, pb.UsePotentBait):
            if found := of(moves, kind):
                return found[0]
    if lure := _lure(look, region, of(moves, pb.UseBloodLure)):
        return lure
    boxes = of(moves, pb.StartSearch)
    if boxes and plans.search_day(look, region, 1) > 0:
        return boxes[0]
    return of(moves, pb.EndSearchDay)[0]


def _lure(look: Look, region: pb.View.RegionView, moves: Sequence[pb.UseBloodLure]) -> Message | None:
    found = [(look.gain(region, move.level), move.level, move) for move in moves]
    best = max(found, default=None, key=lambda entry: entry[:2])
    return best[2] if best and best[0] > 1 else None


def _combat(look: Look, moves: Sequence[Message]) -> Message:
    combat = look.view.combat
    fight = look.current_fight()
    if not combat.level and combat.hit_points_left <= look.blows:
        for kind in (pb.UseBalanceBlade, pb.UseFirebox):
            if found := of(moves, kind):
                return found[0]
    attack, escape = fight.choices(look.hit_points, combat.hit_points_left)
    if attack >= escape:
        return pb.AttackRoll()
    disruptor = of(moves, pb.UseOpticDisruptor)
    away = look.health[look.hit_points] - fight.stakes.wound * combat.hit_points_left
    if disruptor and away - escape > DISRUPTOR:
        return disruptor[0]
    return pb.EscapeRoll()


def _damage(look: Look, moves: Sequence[Message]) -> Message:
    combat = look.view.combat
    after = look.hit_points - combat.threat
    for kind, blow in ((pb.UseBalanceBlade, 1), (pb.UseFirebox, 2)):
        found = of(moves, kind)
        if found and combat.hit_points_left <= blow and (not combat.level or after <= 1):
            return found[0]
    plate = of(moves, pb.UseCrabPlate)
    if plate and (combat.threat > 1 or after < HURT):
        return plate[0]
    return of(moves, pb.TakeDamage)[0]


def _offer(look: Look, moves: Sequence[Message]) -> Message:
    region = look.view.regions[look.view.region - 1]
    gain = look.gain(region, 0, ambush=look.view.sheet.ambush_offered) - look.later(region)
    return pb.EnterTbCombat() if gain > plans.LEAST_FIGHT else pb.DeclineTbCombat()


def _find(look: Look, moves: Sequence[Message]) -> Message:
    region = look.view.regions[look.view.region - 1]
    rare, common = look.rare(region.rare), 2 * look.common(region.common)
    return pb.ChooseFind(find=pb.FIND_RARE if rare >= common else pb.FIND_COMMON)


def _refine(look: Look, moves: Sequence[Message]) -> Message:
    bench = look.view.workbench
    return pb.FinishForge(extra_rare=min(bench.refined_value, look.store(bench.material)))


def _elder(look: Look, moves: Sequence[Message]) -> Message:
    choices = of(moves, pb.ChooseElder)
    return min(choices, key=lambda move: (_elder_rank(look, move), move.item))


def _elder_rank(look: Look, move: pb.ChooseElder) -> int:
    hurt = look.view.max_hit_points - look.hit_points
    if move.elder == pb.ELDER_EPIPHOROS:
        return 0 if hurt >= FEAST else 4
    if move.elder == pb.ELDER_SIPPOROS:
        return 3
    return {Item.REVIVING_DOSE: 1, Item.FIREBOX: 1, Item.BALANCE_BLADE: 2}.get(Item(move.item or 1), 3)


def _tower_damage(look: Look, moves: Sequence[Message]) -> Message:
    tower = look.view.towers[look.view.sheet.night.direction - 1]
    whole = [cell.cell for cell in tower.cells if not cell.fault]
    return pb.ChooseTowerDamage(cells=whole[: look.view.tower_damage])


WINDOWS: dict[int, Callable[[Look, Sequence[Message]], Message]] = {
    pb.WINDOW_DAY: _day,
    pb.WINDOW_SEARCH: _search,
    pb.WINDOW_NEXT_ROLL: lambda look, moves: pb.RollDice(),  # noqa: ARG005 - nothing else can be done
    pb.WINDOW_PLACE_DICE: place,
    pb.WINDOW_AFTER_ROLL: used,
    pb.WINDOW_COMBAT: _combat,
    pb.WINDOW_DAMAGE: _damage,
    pb.WINDOW_FIND: _find,
    pb.WINDOW_FIGHT_OFFER: _offer,
    pb.WINDOW_REFINE: _refine,
    pb.WINDOW_ELDER: _elder,
    pb.WINDOW_TOWER_DAMAGE: _tower_damage,
}
