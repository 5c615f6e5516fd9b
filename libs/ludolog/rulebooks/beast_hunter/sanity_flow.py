"""What holds for what is going on: the day, dice, a combat, the night."""

from __future__ import annotations

from collections.abc import Iterator

from ludolog.rulebooks.beast_hunter.names import EVENTS, Action, Item, RollPurpose
from ludolog.rulebooks.beast_hunter.rules.figures import ESCAPES_ON, beast_hits, damage_to_hunter, hit_points_left
from ludolog.rulebooks.beast_hunter.rules.forging import box_results
from ludolog.rulebooks.beast_hunter.state import BOXES, PLACED_ONE_BY_ONE, Combat, Game, Night, Roll
from ludolog.rulebooks.beast_hunter.tables import FACES, Tables

TWO_DICE = frozenset({RollPurpose.COMBAT, RollPurpose.ESCAPE, *PLACED_ONE_BY_ONE})
IN_COMBAT = frozenset({RollPurpose.COMBAT, RollPurpose.ESCAPE, RollPurpose.NATURE})
TWO = 2


def flow_problems(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    """What is checked, and whether it is wrong."""
    yield from _day(tables, game)
    yield from _search(tables, game)
    yield from _squares(game)
    yield from _waits(game)
    if game.roll:
        yield from _roll(game, game.roll)
    if game.combat:
        yield from _combat(tables, game, game.combat)
    if game.night:
        yield from _night(game, game.night)


def _outside(value: int, minimum: int, maximum: int) -> bool:
    return not minimum <= value <= maximum


def _day(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    today, action = game.today, game.today.action
    spent = game.night is not None or game.ending is not None
    yield "today.region: on search days", (today.region is not None) != (action is Action.SEARCH)
    yield "today.tower: on building days", (today.tower is not None) != (action is Action.BUILD)
    yield "today.equipment: on forging days", (today.equipment is not None) != (action is Action.FORGE)
    yield "today.action: after resting it is night", action is Action.REST and not spent
    yield "today.tower_completed: on building days", today.tower_completed and action is not Action.BUILD
    yield "today.tower_completed: then it is night", today.tower_completed and not (spent or game.elder_due)
    stands = today.tower is not None and game.tower(today.tower).standing
    yield "today.tower: it stands already", stands and not today.tower_completed
    forged = today.equipment is not None and game.grade(today.equipment) is not None
    yield "today.equipment: it is forged already", forged and not spent
    killed = today.terrible_beast_killed and not any(sheet.defeated for sheet in game.regions)
    yield "today.terrible_beast_killed: none is defeated", killed


def _search(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    today, searching = game.today, game.today.action is Action.SEARCH
    most = tables.numbers["searches"] if searching else 0
    yield "today.searches_used", _outside(today.searches_used, 0, most)
    yield "today.travelled: one search and the way are used", today.travelled and today.searches_used < TWO
    yield "today.box", _outside(today.box, 0, tables.numbers["search_boxes"] if searching else 0)
    begun = bool(today.box or game.find_due or game.fight_offered)
    yield "today.searches_used: counts the search under way", searching and begun and today.searches_used < 1
    offered = game.find_due or game.fight_offered
    yield "find_due, fight_offered: on search days", offered and not searching
    dead = game.fight_offered and today.region is not None and game.region(today.region).defeated
    yield "fight_offered: it is dead", dead
    yield "ambush_offered: with a fight", game.ambush_offered and not game.fight_offered


def _squares(game: Game) -> Iterator[tuple[str, bool]]:
    """A box under way has two squares for each roll; grid and field have room for the dice that are to be placed."""
    today, roll = game.today, game.roll
    placing = roll if roll and roll.purpose in PLACED_ONE_BY_ONE else None
    dice = len(placing.unplaced) if placing else TWO
    boxes = game.region(today.region).boxes if today.region else ()
    if 1 <= today.box <= len(boxes):
        empty = boxes[today.box - 1].count(0)
        yield "today.box: two squares for each roll", empty < dice or empty % TWO != dice % TWO
    if today.tower and not game.tower(today.tower).standing and game.night is None:
        empty = game.tower(today.tower).cells.count(0)
        yield "towers: no room for the dice", 0 < empty < dice
    yield from _field(game, dice, begun=placing is not None and placing.in_use)


def _field(game: Game, dice: int, *, begun: bool) -> Iterator[tuple[str, bool]]:
    forging, results = game.today.action is Action.FORGE, box_results(game.field)
    yield "field: on forging days", any(game.field) and not forging
    yield "field.settled", any(_outside(box, 1, BOXES) for box in game.settled)
    yield "field.settled: each box once", len(set(game.settled)) != len(game.settled)
    negative = any(results.get(box, -1) < 0 for box in game.settled)
    yield "field.settled: full boxes, of 0 or more", negative
    open_box = set(results) != set(game.settled)
    yield "field: a full box is settled or cleared", open_box and not begun and game.ending is None
    full = game.field_full or game.night is not None
    yield "field: no room for the dice", forging and not full and game.field.count(0) < dice


def _waits(game: Game) -> Iterator[tuple[str, bool]]:
    offered = game.find_due or game.fight_offered
    yield "elder_due: all have approved", game.elder_due and all(game.elders)
    busy = game.roll is not None or game.combat is not None
    yield "find_due, fight_offered, elder_due: not during a roll or a combat", busy and (offered or game.elder_due)
    yield "elder_due: not at night", game.elder_due and game.night is not None


def _roll(game: Game, roll: Roll) -> Iterator[tuple[str, bool]]:
    yield "roll.dice", len(roll.dice) != (TWO if roll.purpose in TWO_DICE else 1)
    yield "roll.dice: faces are 1 to 6", any(_outside(die, 1, FACES) for die in roll.dice)
    yield "roll.placed", len(roll.placed) != len(roll.dice) or all(roll.placed)
    yield "roll.placed: of search, build and forge dice", roll.in_use and roll.purpose not in PLACED_ONE_BY_ONE
    yield "roll.rerolls_left", _outside(roll.rerolls_left, 0, 2)
    yield "roll.rerolls_left: the Luck Charm is used", bool(roll.rerolls_left and game.uses_left(Item.LUCK_CHARM))
    yield "roll.determination_spent", roll.determination_spent < 0
    task = {
        RollPurpose.SEARCH: bool(game.today.box),
        RollPurpose.BUILD: game.today.tower is not None,
        RollPurpose.FORGE: game.today.equipment is not None and not game.field_full,
        RollPurpose.ENCOUNTER_LEVEL: game.today.region is not None and not game.today.box,
    }
    yield "roll.purpose: not what is going on", not task.get(roll.purpose, True)
    yield "roll.purpose: in combat, and only there", (roll.purpose in IN_COMBAT) != (game.combat is not None)
    at_night = roll.purpose >= RollPurpose.ABUNDANCE
    yield "roll.purpose: at night, and only there", at_night != (game.night is not None)


def _combat(tables: Tables, game: Game, combat: Combat) -> Iterator[tuple[str, bool]]:
    yield "combat: on search days", game.today.region is not combat.region
    yield "combat: not in mid-search", bool(game.today.box)
    left = hit_points_left(tables, game, combat.region, combat.level)
    yield f"combat.hit_points: {left} by the wounds, not {combat.hit_points}", combat.hit_points != left
    yield "combat.rolls: of fewer rolls than are shown", combat.rolls < rolls_shown(game.roll, combat.dice)
    dice = combat.dice
    yield "combat.dice: two, 1 to 6", len(dice) not in (0, TWO) or any(_outside(die, 1, FACES) for die in dice)
    yield "combat.escaping: a 5 or 6 had escaped", combat.escaping and max(dice, default=FACES) >= ESCAPES_ON
    most = damage_to_hunter(game, combat, beast_hits(tables, game, combat)) if game.roll is None else 0
    yield "combat.threat: damage of combat.dice", _outside(combat.threat, 0, most)
    nature = combat.level == 0 and game.region(combat.region).nature is None
    waits = game.roll is not None and game.roll.purpose is RollPurpose.NATURE
    yield "combat: the nature of a Terrible Beast is known", nature != waits
    yield "combat: it is dead", combat.level == 0 and game.region(combat.region).defeated


def rolls_shown(roll: Roll | None, dice: tuple[int, ...]) -> int:
    """Combat rolls that can be seen: the one that was used last, and one that waits."""
    waits = roll is not None and roll.purpose in (RollPurpose.COMBAT, RollPurpose.ESCAPE)
    return bool(dice) + waits


def _night(game: Game, night: Night) -> Iterator[tuple[str, bool]]:
    yield "night: after a day that was spent", game.today.action is None or game.days_crossed < 1
    yield "night: not in combat", game.combat is not None
    waits = game.roll is not None or night.tower_damage or game.ending
    yield "night: dice or damaged boxes are waited for", not waits
    yield "night.attacker: it is dead", night.attacker is not None and game.region(night.attacker).defeated
    yield "night.direction: of an attacker", night.direction is not None and night.attacker is None
    yield "night.tower_damage", bool(night.tower_damage) and night.direction is None
    whole = len(game.tower(night.direction).cells) - game.tower(night.direction).faults if night.direction else 0
    yield "night.tower_damage: boxes without an X", _outside(night.tower_damage, 0, whole)
    purpose = game.roll.purpose if game.roll else None
    rolled = EVENTS.index(purpose) if purpose in EVENTS else 0
    yield "night.event_dice: those before this roll", len(night.event_dice) != rolled
    yield "night.event_dice: faces are 1 to 6", any(_outside(die, 1, FACES) for die in night.event_dice)
    course = {
        RollPurpose.ATTACK_REGION: night.attacker is None,
        RollPurpose.ATTACK_DIRECTION: night.attacker is not None and night.direction is None,
        RollPurpose.TOWER_DAMAGE: night.direction is not None and game.tower(night.direction).standing,
    }
    yield "night: not what is rolled for", purpose is not None and not course.get(purpose, night.attacker is None)
