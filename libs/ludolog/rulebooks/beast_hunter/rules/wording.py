"""Labels of decisions and commands."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Label
from ludolog.rulebooks.beast_hunter.names import Elder, Equipment, Item, Material, Region, Row, Tower, Window
from ludolog.rulebooks.beast_hunter.state import PLACED_ONE_BY_ONE, Game
from ludolog.rulebooks.beast_hunter.tables import Tables

WINDOWS = {
    Window.DAY: Label("beast.window.day", "Search, build, forge or rest"),
    Window.SEARCH: Label("beast.window.search", "Search on, travel, meet a beast, or end the day"),
    Window.NEXT_ROLL: Label("beast.window.next_roll", "Roll the dice"),
    Window.PLACE_DICE: Label("beast.window.place_dice", "Place the dice"),
    Window.AFTER_ROLL: Label("beast.window.after_roll", "Accept the roll, or change it"),
    Window.COMBAT: Label("beast.window.combat", "Attack, escape, or use an item"),
    Window.DAMAGE: Label("beast.window.damage", "Take the damage, or do something about it"),
    Window.FIND: Label("beast.window.find", "Choose what you find"),
    Window.FIGHT_OFFER: Label("beast.window.fight_offer", "Fight the Terrible Beast now?"),
    Window.REFINE: Label("beast.window.refine", "Refine, or leave it"),
    Window.ELDER: Label("beast.window.elder", "Choose an elder"),
    Window.TOWER_DAMAGE: Label("beast.window.tower_damage", "Choose the damaged squares"),
}
COLUMNS = ("", "hundreds", "tens", "ones")
PLAIN = {
    pb.EnterTbCombat: "Fight it",
    pb.DeclineTbCombat: "Don't fight it now",
    pb.EndSearchDay: "End the search day",
    pb.Rest: "Rest",
    pb.RollDice: "Roll both dice",
    pb.UseLuckCharm: "Luck Charm: roll again",
    pb.AttackRoll: "Attack",
    pb.EscapeRoll: "Try to escape",
    pb.UseBalanceBlade: "Balance Blade: 1 damage",
    pb.UseFirebox: "Firebox: 2 damage",
    pb.UseOpticDisruptor: "Optic Disruptor: escape",
    pb.UseCrabPlate: "Crab Plate: ignore the damage",
    pb.TakeDamage: "Take the damage",
    pb.ChooseTowerDamage: "Mark the damaged squares",
    pb.UndoPlacement: "Take the placement back",
}


def label(tables: Tables, game: Game, command: Message) -> Label:
    """A short text for people."""
    kind = command.DESCRIPTOR.name
    arguments = tuple((field.name, str(value)) for field, value in command.ListFields() if not field.is_repeated)
    text = PLAIN.get(type(command)) or _text(tables, game, command)
    return Label(f"beast.command.{kind}", text, arguments)


def _text(tables: Tables, game: Game, command: Any) -> str:
    return _wild_text(tables, game, command) or _dice_text(game, command) or _village_text(tables, command)


def _wild_text(tables: Tables, game: Game, command: Any) -> str:
    match command:
        case pb.ChooseSearchRegion():
            return f"Search {region_title(tables, command.region)}"
        case pb.QuickTravel():
            return f"Travel to {region_title(tables, command.region)}"
        case pb.StartSearch():
            return f"Search box {command.box}"
        case pb.SpendSearchOnLair():
            return f"Spend a search: meet {tables.beasts[game.here, 0].title}"
        case pb.UsePotentBait():
            return f"Potent Bait: meet {tables.beasts[game.here, 0].title}"
        case pb.UseBloodLure():
            return f"Blood Lure: meet {tables.beasts[game.here, command.level].title}"
        case pb.ChooseFind():
            printed = tables.regions[game.here]
            return f"1 {_name(printed.rare)}" if command.find == pb.FIND_RARE else f"2 {_name(printed.common)}"
        case _:
            return ""


def _dice_text(game: Game, command: Any) -> str:
    def face() -> str:
        return str(game.roll.dice[command.die - 1]) if game.roll else ""

    match command:
        case pb.PlaceDie():
            row = "top" if Row(command.row) is Row.TOP else "bottom"
            return f"{face()} to {row} {COLUMNS[command.column]}"
        case pb.PlaceForgeDie():
            row = "top" if Row(command.row) is Row.TOP else "bottom"
            return f"{face()} to the {row} of box {command.box}"
        case pb.PlaceTowerDie():
            return f"{face()} to square {command.cell}"
        case pb.PatchFault():
            return f"{face()} has no place: X in square {command.cell} for 1 {_name(command.pay_with)}"
        case pb.AcceptRoll():
            return "Give the tower up" if _placing(game) else "Accept the roll"
        case pb.AdjustDie():
            return f"1 determination: {face()} becomes {int(face()) + command.by}"
        case _:
            return ""


def _village_text(tables: Tables, command: Any) -> str:
    match command:
        case pb.StartBuild():
            return f"Build the {tables.grids[Tower(command.tower)].title} for 1 {_name(command.pay_with)}"
        case pb.StartForge():
            printed = tables.equipment[Equipment(command.equipment)]
            return f"Forge the {printed.title} for 1 {_name(printed.material)}"
        case pb.FinishForge():
            return "Finish forging"
        case pb.CraftItem():
            printed_item = tables.items[Item(command.item)]
            cost = " and ".join(f"1 {_name(m)}" for m in (printed_item.common, printed_item.beast) if m)
            return f"Craft {printed_item.title} from {cost}"
        case pb.PlaceHawkTotem():
            return f"Hawk Totem on the {tables.grids[Tower(command.tower)].title}"
        case pb.ChooseElder():
            title, reward = tables.elders[Elder(command.elder)]
            item = f" ({tables.items[Item(command.item)].title})" if command.item else ""
            return f"{title}: {reward[0].lower()}{reward[1:]}{item}"
        case _:
            raise TypeError(command.DESCRIPTOR.name)


def region_title(tables: Tables, region: int) -> str:
    """Name of a region."""
    return tables.regions[Region(region)].title


def _name(material: int) -> str:
    return Material(material).name.lower().replace("_", " ")


def _placing(game: Game) -> bool:
    return game.roll is not None and game.roll.purpose in PLACED_ONE_BY_ONE
