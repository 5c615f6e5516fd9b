"""Every command and its rule; every roll and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import EVENTS, RollPurpose
from ludolog.rulebooks.beast_hunter.rules import (
    attacks,
    building,
    combat,
    determination,
    elders,
    forging,
    items,
    rolling,
    searching,
    time_track,
    undo,
)
from ludolog.rulebooks.beast_hunter.rules.course import Course, Uses
from ludolog.rulebooks.beast_hunter.state import Game, Roll
from ludolog.rulebooks.beast_hunter.tables import Tables


class Rule(NamedTuple):
    """A command's rule: `check` refuses and changes nothing, `act` unfolds what was accepted."""

    check: Callable[[Tables, Game, Any], None]
    act: Callable[[Course, Any], None]


COMMANDS: Mapping[type[Message], Rule] = {
    pb.ChooseSearchRegion: Rule(searching.check_choose_search_region, searching.choose_search_region),
    pb.StartSearch: Rule(searching.check_start_search, searching.start_search),
    pb.PlaceDie: Rule(searching.check_place_die, searching.place_die),
    pb.QuickTravel: Rule(searching.check_quick_travel, searching.quick_travel),
    pb.SpendSearchOnLair: Rule(searching.check_spend_search_on_lair, searching.spend_search_on_lair),
    pb.UseBloodLure: Rule(searching.check_use_blood_lure, searching.use_blood_lure),
    pb.UsePotentBait: Rule(searching.check_use_potent_bait, searching.use_potent_bait),
    pb.ChooseFind: Rule(searching.check_choose_find, searching.choose_find),
    pb.EnterTbCombat: Rule(searching.check_enter_tb_combat, searching.enter_tb_combat),
    pb.DeclineTbCombat: Rule(searching.check_decline_tb_combat, searching.decline_tb_combat),
    pb.EndSearchDay: Rule(searching.check_end_search_day, searching.end_search_day),
    pb.StartBuild: Rule(building.check_start_build, building.start_build),
    pb.PlaceTowerDie: Rule(building.check_place_tower_die, building.place_tower_die),
    pb.PatchFault: Rule(building.check_patch_fault, building.patch_fault),
    pb.StartForge: Rule(forging.check_start_forge, forging.start_forge),
    pb.PlaceForgeDie: Rule(forging.check_place_forge_die, forging.place_forge_die),
    pb.FinishForge: Rule(forging.check_finish_forge, forging.finish_forge),
    pb.Rest: Rule(time_track.check_rest, time_track.rest),
    pb.RollDice: Rule(rolling.check_roll_dice, rolling.roll_dice),
    pb.AdjustDie: Rule(determination.check_adjust_die, determination.adjust_die),
    pb.UseLuckCharm: Rule(items.check_use_luck_charm, items.use_luck_charm),
    pb.AcceptRoll: Rule(rolling.check_accept_roll, rolling.accept_roll),
    pb.AttackRoll: Rule(combat.check_attack_roll, combat.attack_roll),
    pb.EscapeRoll: Rule(combat.check_escape_roll, combat.escape_roll),
    pb.UseBalanceBlade: Rule(combat.check_use_balance_blade, combat.use_balance_blade),
    pb.UseFirebox: Rule(combat.check_use_firebox, combat.use_firebox),
    pb.UseOpticDisruptor: Rule(combat.check_use_optic_disruptor, combat.use_optic_disruptor),
    pb.UseCrabPlate: Rule(combat.check_use_crab_plate, combat.use_crab_plate),
    pb.TakeDamage: Rule(combat.check_take_damage, combat.take_damage),
    pb.CraftItem: Rule(items.check_craft_item, items.craft_item),
    pb.PlaceHawkTotem: Rule(items.check_place_hawk_totem, items.place_hawk_totem),
    pb.ChooseElder: Rule(elders.check_choose_elder, elders.choose_elder),
    pb.ChooseTowerDamage: Rule(attacks.check_choose_tower_damage, attacks.choose_tower_damage),
    pb.UndoPlacement: Rule(undo.check_undo_placement, undo.undo_placement),
}


def _placed_die_by_die(course: Course, roll: Roll) -> None:
    """Search, build and forge rolls are placed, never accepted."""
    raise ValueError(roll.purpose.name)


USES: Uses = {
    RollPurpose.SEARCH: _placed_die_by_die,
    RollPurpose.ENCOUNTER_LEVEL: searching.use_encounter_level,
    RollPurpose.COMBAT: combat.use_combat_roll,
    RollPurpose.ESCAPE: combat.use_escape_roll,
    RollPurpose.NATURE: combat.use_nature,
    RollPurpose.BUILD: _placed_die_by_die,
    RollPurpose.FORGE: _placed_die_by_die,
    **dict.fromkeys(EVENTS, time_track.use_event_die),
    RollPurpose.ATTACK_REGION: attacks.use_attack_region,
    RollPurpose.ATTACK_DIRECTION: attacks.use_attack_direction,
    RollPurpose.TOWER_DAMAGE: attacks.use_tower_damage,
}
