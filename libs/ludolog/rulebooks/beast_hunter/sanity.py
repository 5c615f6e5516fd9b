"""What holds for every state that can come about: for positions, and after every event in property tests."""

from __future__ import annotations

from collections.abc import Iterator

from ludolog.rulebooks.beast_hunter.names import Action, Item, RollPurpose
from ludolog.rulebooks.beast_hunter.rules.figures import hit_points_left
from ludolog.rulebooks.beast_hunter.state import BLANK_BOX, BOXES, Game
from ludolog.rulebooks.beast_hunter.tables import FACES, Tables

ONE_DIE = frozenset(RollPurpose) - {
    *(RollPurpose.SEARCH, RollPurpose.COMBAT, RollPurpose.ESCAPE, RollPurpose.BUILD, RollPurpose.FORGE)
}


def check_game(tables: Tables, game: Game) -> None:
    """ValueError names everything that can't be."""
    if problems := [text for text, wrong in _problems(tables, game) if wrong]:
        raise ValueError("; ".join(problems))


def _problems(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    yield from _bars(tables, game)
    yield from _stores(tables, game)
    yield from _regions(tables, game)
    yield from _towers(game)
    yield from _day(tables, game)
    yield from _roll(game)
    yield from _combat(tables, game)
    yield from _night(game)


def _outside(value: int, minimum: int, maximum: int) -> bool:
    return not minimum <= value <= maximum


def _bars(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    numbers = tables.numbers
    yield "days_crossed", _outside(game.days_crossed, 0, len(tables.track))
    yield "max_hit_points", _outside(game.max_hit_points, 0, numbers["hit_points"])
    yield "hit_points", _outside(game.hit_points, 0, game.max_hit_points)
    yield "determination", _outside(game.determination, 0, numbers["determination"])
    yield "doubt", _outside(game.doubt, 0, numbers["doubt"])
    yield "huts_destroyed", _outside(game.huts_destroyed, 0, numbers["huts"])
    over = game.doubt == numbers["doubt"] or game.days_crossed == len(tables.track) or game.hit_points == 0
    yield "the game would be over", over and game.ending is None


def _stores(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    yield "stores", any(_outside(count, 0, tables.numbers["storage_circles"]) for count in game.stores)
    for item, printed in tables.items.items():
        uses = game.uses_left(item)
        crafted = game.crafted[item - 1]
        yield f"inventory.{item.name.lower()}", _outside(uses, 0, printed.uses) or (crafted and item.toolbelt)
        yield f"inventory.{item.name.lower()} wasn't crafted", bool(uses) and not crafted and not item.toolbelt
    coat = game.crafted[Item.HEAVY_COAT - 1] and not game.uses_left(Item.HEAVY_COAT)
    yield "inventory.heavy_coat isn't used up", coat


def _regions(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    begun = [box for sheet in game.regions for box in sheet.boxes if box != BLANK_BOX and not all(box)]
    yield "regions: a search box is half full", len(begun) > (1 if game.today.box else 0)
    for sheet in game.regions:
        circles = tables.numbers["tracking_circles"]
        yield "regions.tracked", _outside(sheet.tracked, 0, circles)
        full = sheet.tracked == circles and not sheet.lair_found and not sheet.defeated
        yield "regions.lair_found: all circles are filled", full
        yield "regions.wounds", any(wounds < 0 for wounds in (*sheet.wounds, sheet.terrible_wounds))


def _towers(game: Game) -> Iterator[tuple[str, bool]]:
    for number, tower in enumerate(game.towers, 1):
        yield "towers: a standing tower is full", tower.standing and bool(tower.cells) and 0 in tower.cells
        busy = game.today.tower == number
        yield "towers: only the one that is built has numbers", any(tower.cells) and not tower.standing and not busy
        yield "towers.totem: on a standing tower", tower.totem and not tower.standing


def _day(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    today, action = game.today, game.today.action
    yield "today.searches_used", _outside(today.searches_used, 0, tables.numbers["searches"])
    yield "today.region: on search days", (today.region is not None) != (action is Action.SEARCH)
    yield "today.tower: on building days", (today.tower is not None) != (action is Action.BUILD)
    yield "today.equipment: on forging days", (today.equipment is not None) != (action is Action.FORGE)
    boxes = tables.numbers["search_boxes"] if action is Action.SEARCH else 0
    yield "today.box", _outside(today.box, 0, boxes)
    yield "find_due, fight_offered: on search days", (game.find_due or game.fight_offered) and today.region is None
    yield "ambush_offered: with a fight", game.ambush_offered and not game.fight_offered
    yield "elder_due: all have approved", game.elder_due and all(game.elders)
    yield "field.settled", any(_outside(box, 1, BOXES) for box in game.settled)
    yield "field: on forging days", any(game.field) and action is not Action.FORGE


def _roll(game: Game) -> Iterator[tuple[str, bool]]:
    roll = game.roll
    if roll is None:
        return
    yield "roll.dice", len(roll.dice) != (1 if roll.purpose in ONE_DIE else 2)
    yield "roll.dice: faces are 1 to 6", any(_outside(die, 1, FACES) for die in roll.dice)
    yield "roll.placed", len(roll.placed) != len(roll.dice) or all(roll.placed)
    yield "roll.rerolls_left", _outside(roll.rerolls_left, 0, 2)
    task = {
        RollPurpose.SEARCH: bool(game.today.box),
        RollPurpose.BUILD: game.today.tower is not None,
        RollPurpose.FORGE: game.today.equipment is not None,
        RollPurpose.ENCOUNTER_LEVEL: game.today.region is not None,
    }
    fights = {RollPurpose.COMBAT, RollPurpose.ESCAPE, RollPurpose.NATURE}
    yield "roll.purpose: not what is going on", not task.get(roll.purpose, True)
    yield "roll.purpose: in combat, and only there", (roll.purpose in fights) != (game.combat is not None)
    at_night = roll.purpose >= RollPurpose.ABUNDANCE
    yield "roll.purpose: at night, and only there", at_night != (game.night is not None)


def _combat(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    combat = game.combat
    if combat is None:
        return
    yield "combat: on search days", game.today.region is not combat.region
    left = hit_points_left(tables, game, combat.region, combat.level)
    yield f"combat.hit_points: {left} by the wounds, not {combat.hit_points}", combat.hit_points != left
    yield "combat.threat", _outside(combat.threat, 0, 2) or (bool(combat.threat) and len(combat.dice) != 2)  # noqa: PLR2004 - two dice
    nature = combat.level == 0 and game.region(combat.region).nature is None
    waits = game.roll is not None and game.roll.purpose is RollPurpose.NATURE
    yield "combat: the nature of a Terrible Beast is known", nature != waits
    yield "combat: it is dead", combat.level == 0 and game.region(combat.region).defeated


def _night(game: Game) -> Iterator[tuple[str, bool]]:
    night = game.night
    if night is None:
        return
    yield "night: after a day that was spent", game.today.action is None
    yield "night.tower_damage", bool(night.tower_damage) and (night.attacker is None or night.direction is None)
    waits = game.roll is not None or night.tower_damage or game.ending
    yield "night: dice or damaged boxes are waited for", not waits
