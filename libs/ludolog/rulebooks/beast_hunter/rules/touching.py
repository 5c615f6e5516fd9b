"""Ids of the drawing that a command touches, in the order of the move: the last is where it goes (see board.js)."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import Elder, Equipment, Find, Item, Material, Region, Row, Tower
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import Tables

FIXED: dict[type[Message], str] = {
    pb.EndSearchDay: "track",
    pb.Rest: "hp",
    pb.EnterTbCombat: "enter",
    pb.DeclineTbCombat: "decline",
    pb.RollDice: "roll",
    pb.AcceptRoll: "accept",
    pb.AttackRoll: "attack",
    pb.EscapeRoll: "escape",
    pb.TakeDamage: "take_damage",
    pb.FinishForge: "refine",
    pb.UndoPlacement: "undo",
    pb.UsePotentBait: "item-potent_bait",
    pb.UseLuckCharm: "item-luck_charm",
    pb.UseBalanceBlade: "item-balance_blade",
    pb.UseFirebox: "item-firebox",
    pb.UseOpticDisruptor: "item-optic_disruptor",
    pb.UseCrabPlate: "item-crab_plate",
}


def targets(tables: Tables, game: Game, command: Any) -> tuple[str, ...]:
    """What a player touches to give the command: none, one, or several ids one after the other."""
    if fixed := FIXED.get(type(command)):
        return (fixed,)
    touched = TOUCHED.get(type(command))
    return touched(tables, game, command) if touched else ()


def _material(tables: Tables, game: Game, command: pb.ChooseFind) -> tuple[str, ...]:
    region = tables.regions[game.here]
    return (f"material-{_low(Material(region.rare if Find(command.find) is Find.RARE else region.common))}",)


def _elder(command: pb.ChooseElder) -> tuple[str, ...]:
    item = (f"item-{_low(Item(command.item))}",) if command.item else ()
    return f"elder-{_low(Elder(command.elder))}", *item


def _region(_: Tables, __: Game, command: Any) -> tuple[str, ...]:
    return (f"region-{_low(Region(command.region))}",)


TOUCHED: dict[type[Message], Callable[[Tables, Game, Any], tuple[str, ...]]] = {
    pb.ChooseSearchRegion: _region,
    pb.QuickTravel: _region,
    pb.StartSearch: lambda _, game, c: (f"box-{_low(game.here)}-{c.box}",),
    pb.SpendSearchOnLair: lambda _, game, __: (f"lair-{_low(game.here)}",),
    pb.UseBloodLure: lambda _, game, c: ("item-blood_lure", f"beast-{_low(game.here)}-{c.level}"),
    pb.ChooseFind: _material,
    pb.CraftItem: lambda _, __, c: (f"item-{_low(Item(c.item))}",),
    pb.ChooseElder: lambda _, __, c: _elder(c),
    pb.PlaceHawkTotem: lambda _, __, c: ("item-hawk_totem", f"tower-{_low(Tower(c.tower))}"),
    pb.PlaceDie: lambda _, game, c: (
        f"die-{c.die}",
        f"square-{_low(game.here)}-{game.today.box}-{_low(Row(c.row))}-{c.column}",
    ),
    pb.StartBuild: lambda _, __, c: (f"material-{_low(Material(c.pay_with))}", f"tower-{_low(Tower(c.tower))}"),
    pb.PlaceTowerDie: lambda _, game, c: (f"die-{c.die}", _cell(game, c.cell)),
    pb.PatchFault: lambda _, game, c: (f"die-{c.die}", f"material-{_low(Material(c.pay_with))}", _cell(game, c.cell)),
    pb.StartForge: lambda _, __, c: (f"equipment-{_low(Equipment(c.equipment))}",),
    pb.PlaceForgeDie: lambda _, __, c: (f"die-{c.die}", f"field-{c.box}-{_low(Row(c.row))}"),
    pb.AdjustDie: lambda _, __, c: (f"die-{c.die}", "up" if c.by > 0 else "down"),
}


def _low(name: enum.IntEnum) -> str:
    return name.name.lower()


def _cell(game: Game, cell: int) -> str:
    return f"cell-{_low(Tower(game.today.tower or 0))}-{cell}"
