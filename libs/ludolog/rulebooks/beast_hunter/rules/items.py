"""Your Inventory: toolbelt items, crafting, what is used when. Digest 1.10, K1, rulings A6, A36, A38, A40."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import Item, RollPurpose, Tower, Window
from ludolog.rulebooks.beast_hunter.rules.course import Course, charm_ready, require, roll_of
from ludolog.rulebooks.beast_hunter.rules.materials import require_material, spend
from ludolog.rulebooks.beast_hunter.state import Game, window
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Your Inventory"
REROLLS = 3
"""Rerolls of one Luck Charm, all of the same roll."""


def require_ready(game: Game, item: Item) -> None:
    """Refuses ITEM_NOT_READY."""
    if game.uses_left(item) < 1:
        raise Refusal("ITEM_NOT_READY", SECTION, item=item.name)


def use_item(course: Course, item: Item) -> None:
    """Mark a use; what has none left and was crafted is gone until it is built again."""
    left = course.game.uses_left(item) - 1
    value = pb.Item.ValueType(item)
    course.tell(pb.ItemUsed(item=value, uses_left=left))
    if item is Item.CRAB_PLATE and not left:
        course.tell(pb.ItemDestroyed(item=value))


def check_use_luck_charm(tables: Tables, game: Game, command: pb.UseLuckCharm) -> None:
    """On any roll of which no die is in use (rulings A6, A38)."""
    require(game, SECTION, Window.PLACE_DICE, Window.AFTER_ROLL)
    roll = roll_of(game)
    if roll.in_use:
        raise Refusal("ROLL_IN_USE", SECTION, ruling="A38")
    if not charm_ready(game, roll):
        raise Refusal("ITEM_NOT_READY", SECTION, item=Item.LUCK_CHARM.name)


def use_luck_charm(course: Course, command: pb.UseLuckCharm) -> None:
    """Reroll all dice of the roll; determination that was paid for the old faces is gone (ruling A36)."""
    roll = roll_of(course.game)
    left = roll.rerolls_left - 1
    if not roll.rerolls_left:
        use_item(course, Item.LUCK_CHARM)
        left = REROLLS - 1
    values = [course.chance.d6(roll.purpose.draw) for _ in roll.dice]
    purpose = pb.RollPurpose.ValueType(roll.purpose)
    course.tell(pb.DiceRerolled(purpose=purpose, values=values, rerolls_left=left))


def _require_no_combat(game: Game) -> None:
    if game.combat:
        raise Refusal("IN_COMBAT", SECTION, window=(window(game) or Window.COMBAT).name)


def check_craft_item(tables: Tables, game: Game, command: pb.CraftItem) -> None:
    """At any time but in combat; never two of one item (K1)."""
    item = Item(command.item)
    _require_no_combat(game)
    printed = tables.items[item]
    if printed.common is None or printed.beast is None:
        raise Refusal("NOT_CRAFTED", SECTION, item=item.name)
    if game.uses_left(item):
        raise Refusal("ALREADY_OWNED", SECTION, item=item.name)
    require_material(game, SECTION, printed.common)
    require_material(game, SECTION, printed.beast)


def craft_item(course: Course, command: pb.CraftItem) -> None:
    """Spend a common and a beast material."""
    printed = course.tables.items[Item(command.item)]
    for material in (printed.common, printed.beast):
        if material:
            spend(course, material)
    course.tell(pb.ItemCrafted(item=command.item, uses=printed.uses))


def _under_attack(game: Game) -> bool:
    """From the die for the attacker's region on."""
    sets_out = game.roll is not None and game.roll.purpose is RollPurpose.ATTACK_REGION
    return sets_out or (game.night is not None and game.night.attacker is not None)


def check_place_hawk_totem(tables: Tables, game: Game, command: pb.PlaceHawkTotem) -> None:
    """On a standing tower without one; neither in combat nor during an attack (ruling A40)."""
    tower = game.tower(Tower(command.tower))
    _require_no_combat(game)
    if _under_attack(game):
        raise Refusal("UNDER_ATTACK", SECTION, ruling="A40")
    require_ready(game, Item.HAWK_TOTEM)
    if not tower.standing:
        raise Refusal("TOWER_NOT_STANDING", SECTION, tower=Tower(command.tower).name)
    if tower.totem:
        raise Refusal("TOTEM_THERE", SECTION, tower=Tower(command.tower).name)


def place_hawk_totem(course: Course, command: pb.PlaceHawkTotem) -> None:
    """Fill the totem circle."""
    use_item(course, Item.HAWK_TOTEM)
    course.tell(pb.TotemPlaced(tower=command.tower))
