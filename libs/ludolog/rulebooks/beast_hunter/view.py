"""What is seen: nothing is secret, so everybody sees the same (digest 4.4). Built from nothing, for page and bots."""

from __future__ import annotations

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Chance, Events, Viewer
from ludolog.rulebooks.beast_hunter.names import (
    EVENTS,
    Elder,
    EndReason,
    Equipment,
    Item,
    Material,
    Region,
    RollPurpose,
)
from ludolog.rulebooks.beast_hunter.odds import odds
from ludolog.rulebooks.beast_hunter.position import game_from, position
from ludolog.rulebooks.beast_hunter.rules import figures
from ludolog.rulebooks.beast_hunter.rules.course import BARRED
from ludolog.rulebooks.beast_hunter.rules.forging import box_results, refined_value
from ludolog.rulebooks.beast_hunter.rules.game_end import EPILOGUES, score_lines
from ludolog.rulebooks.beast_hunter.rules.searching import searches_left
from ludolog.rulebooks.beast_hunter.rules.undo import UNDOS
from ludolog.rulebooks.beast_hunter.state import BOXES, FAULT, LEVELS, Combat, Game, Roll, window
from ludolog.rulebooks.beast_hunter.tables import Tables

COLUMNS = 3


def view(tables: Tables, game: Game, viewer: Viewer) -> pb.View:
    """The adventure sheets. Before set-up: an empty view."""
    if not game.regions:
        return pb.View()
    won = game.ending is EndReason.VICTORY
    lines = score_lines(tables, game, won=won)
    seen = pb.View(
        sheet=position(game),
        window=pb.Window.ValueType(window(game) or 0),
        days=[pb.DaySymbol.ValueType(symbol or 0) for symbol in tables.track],
        days_crossed=game.days_crossed,
        hit_points=game.hit_points,
        max_hit_points=game.max_hit_points,
        hit_point_squares=tables.numbers["hit_points"],
        determination=game.determination,
        determination_spaces=tables.numbers["determination"],
        doubt=game.doubt,
        doubt_spaces=tables.numbers["doubt"],
        huts=tables.numbers["huts"] - game.huts_destroyed,
        huts_total=tables.numbers["huts"],
        searches_left=searches_left(tables, game),
        can_undo=game.ending is None and bool(game.undo) and game.undone < UNDOS,
        show_odds=game.show_odds,
        score=lines,
        total=sum(line.points for line in lines),
        won=won,
        tower_damage=game.night.tower_damage if game.night else 0,
        action=pb.Action.ValueType(game.today.action or 0),
        region=pb.Region.ValueType(game.today.region or 0),
        reconstructed=tables.reconstructed,
    )
    _sheets(tables, game, seen)
    _flow(tables, game, seen)
    return seen


def _sheets(tables: Tables, game: Game, seen: pb.View) -> None:
    seen.regions.extend(_region(tables, game, region) for region in Region)
    seen.towers.extend(_tower(tables, game, number) for number in range(1, len(game.towers) + 1))
    seen.stores.extend(
        pb.View.Store(
            material=pb.Material.ValueType(material),
            title=material.name.lower().replace("_", " "),
            count=game.store(material),
            circles=tables.numbers["storage_circles"],
        )
        for material in Material
    )
    seen.items.extend(_item(tables, game, item) for item in Item)
    seen.equipment.extend(_equipment(tables, game, equipment) for equipment in Equipment)
    for elder in Elder:
        title, reward = tables.elders[elder]
        approved = game.elders[elder - 1]
        seen.elders.add(elder=pb.Elder.ValueType(elder), title=title, approved=approved, reward=reward)


def _flow(tables: Tables, game: Game, seen: pb.View) -> None:
    seen.workbench.CopyFrom(_workbench(tables, game))
    if game.roll:
        seen.roll.CopyFrom(_dice(game.roll))
    if game.combat:
        seen.combat.CopyFrom(_fight(tables, game, game.combat))
    if game.show_odds and not game.ending:
        seen.odds.extend(odds(tables, game))
    if game.ending:
        seen.ending = pb.EndReason.ValueType(game.ending)
        seen.epilogue = EPILOGUES[game.ending]


def _region(tables: Tables, game: Game, region: Region) -> pb.View.RegionView:
    printed, sheet = tables.regions[region], game.region(region)
    active = game.today.box if game.today.region is region else 0
    seen = pb.View.RegionView(
        region=pb.Region.ValueType(region),
        title=printed.title,
        common=pb.Material.ValueType(printed.common),
        rare=pb.Material.ValueType(printed.rare),
        boxes=[_box(tables, n, box, active=n == active) for n, box in enumerate(sheet.boxes, 1)],
        tracked=sheet.tracked,
        circles=tables.numbers["tracking_circles"],
        lair_found=sheet.lair_found,
        nature=pb.Nature.ValueType(sheet.nature or 0),
        defeated=sheet.defeated,
        beasts=[_beast(tables, game, region, level) for level in (*range(1, LEVELS + 1), 0)],
        approach=[pb.Tower.ValueType(tower) for tower in printed.approach],
    )
    for event in EVENTS:
        setattr(seen, event.name.lower(), game.affects(event, region))
    return seen


def _box(tables: Tables, number: int, squares: tuple[int, ...], *, active: bool) -> pb.View.Box:
    top, bottom = squares[:COLUMNS], squares[COLUMNS:]
    box = pb.View.Box(
        box=number,
        top=top,
        bottom=bottom,
        full=all(squares),
        active=active,
        filled=sum(value > 0 for value in squares),
    )
    columns = [(a - b) * 10 ** (2 - n) for n, (a, b) in enumerate(zip(top, bottom, strict=True)) if a and b]
    if columns:
        box.result = sum(columns)
    if box.full:
        result = tables.result(box.result)
        box.meaning = result.kind.name.lower() + (f" {result.level}" if result.level else "")
    return box


def _beast(tables: Tables, game: Game, region: Region, level: int) -> pb.View.Beast:
    printed = tables.beasts[region, level]
    dead = level == 0 and game.region(region).defeated
    return pb.View.Beast(
        level=level,
        title=printed.title,
        hit_points=figures.full_hit_points(tables, game, region, level),
        hit_points_left=0 if dead else figures.hit_points_left(tables, game, region, level),
        attacks_to=figures.attacks_to(tables, game, region, level),
        hit_from=figures.hits_from(tables, game, region, level),
        material=pb.Material.ValueType(printed.material or 0),
    )


def _item(tables: Tables, game: Game, item: Item) -> pb.View.ItemView:
    printed = tables.items[item]
    return pb.View.ItemView(
        item=pb.Item.ValueType(item),
        title=printed.title,
        toolbelt=item.toolbelt,
        uses_left=game.uses_left(item),
        uses=printed.uses,
        crafted=game.crafted[item - 1],
        common=pb.Material.ValueType(printed.common or 0),
        beast=pb.Material.ValueType(printed.beast or 0),
        effect=printed.effect,
    )


def _equipment(tables: Tables, game: Game, equipment: Equipment) -> pb.View.EquipmentView:
    printed = tables.equipment[equipment]
    return pb.View.EquipmentView(
        equipment=pb.Equipment.ValueType(equipment),
        title=printed.title,
        grade=pb.Grade.ValueType(game.grade(equipment) or 0),
        material=pb.Material.ValueType(printed.material),
        standard=printed.standard,
        mastercraft=printed.mastercraft,
    )


def _tower(tables: Tables, game: Game, number: int) -> pb.View.TowerView:
    grid, sheet = list(tables.grids.values())[number - 1], game.towers[number - 1]
    cells = [
        pb.View.Cell(cell=n, row=row, column=column, value=0 if value == FAULT else value, fault=value == FAULT)
        for n, ((row, column), value) in enumerate(zip(grid.squares, sheet.cells, strict=True), 1)
    ]
    return pb.View.TowerView(
        tower=pb.Tower.ValueType(number),
        title=grid.title,
        rows=len(grid.rows),
        columns=len(grid.rows[0]),
        cells=cells,
        standing=sheet.standing,
        totem=sheet.totem,
        faults=sheet.faults,
        active=game.today.tower == number and not sheet.standing and game.night is None,
    )


def _workbench(tables: Tables, game: Game) -> pb.View.Workbench:
    seen, results = pb.View.Workbench(), box_results(game.field)
    if game.today.equipment and game.night is None:
        seen.equipment = pb.Equipment.ValueType(game.today.equipment)
        seen.material = pb.Material.ValueType(tables.equipment[game.today.equipment].material)
    for box in range(1, BOXES + 1):
        field = seen.boxes.add(box=box, top=game.field[box - 1], bottom=game.field[box - 1 + BOXES])
        if box in results:
            field.result = results[box]
    if game.field_full:
        seen.refined_value = refined_value(game)
    return seen


def _dice(roll: Roll) -> pb.View.Dice:
    return pb.View.Dice(
        purpose=pb.RollPurpose.ValueType(roll.purpose),
        dice=[pb.View.Die(value=die, placed=placed) for die, placed in zip(roll.dice, roll.placed, strict=True)],
        rerolls_left=roll.rerolls_left,
        determination_barred=roll.purpose in BARRED,
        determination_spent=roll.determination_spent,
    )


def _fight(tables: Tables, game: Game, combat: Combat) -> pb.View.Fight:
    region, level = combat.region, combat.level
    nature = figures.nature_of(game, combat)
    rolls_under_way = combat.rolls - (1 if _in_a_roll(game) else 0)
    guarded = figures.untouchable(game, combat, before_roll=not _in_a_roll(game))
    return pb.View.Fight(
        region=pb.Region.ValueType(region),
        level=level,
        title=tables.beasts[region, level].title,
        nature=pb.Nature.ValueType(nature or 0),
        hit_points=figures.full_hit_points(tables, game, region, level),
        hit_points_left=combat.hit_points,
        attacks_to=figures.attacks_to(tables, game, region, level, cowed=figures.cowed_now(game, combat)),
        hit_from=figures.hits_from(tables, game, region, level, ambush=combat.ambush),
        ambush=combat.ambush,
        rolls=combat.rolls,
        damage_ignored_rolls=max(figures.AMBUSH_ROLLS - rolls_under_way, 0) if combat.ambush else 0,
        no_damage_rolls=figures.CUNNING_ROUNDS - rolls_under_way if guarded else 0,
        dice=combat.dice,
        escaping=combat.escaping,
        threat=combat.threat,
    )


def _in_a_roll(game: Game) -> bool:
    """A combat roll is made, and not all of it is used."""
    rolled = game.roll is not None and game.roll.purpose in (RollPurpose.COMBAT, RollPurpose.ESCAPE)
    return rolled or (game.combat is not None and game.combat.threat > 0)


def feed(before: Game, event: Message, after: Game, viewer: Viewer) -> Events:
    """The event itself: nothing is secret. PublicEvent has every event's type (tested)."""
    return (event,)


def determinize(tables: Tables, seen: pb.View, viewer: Viewer, chance: Chance) -> Game:
    """The one state that looks like this view."""
    return game_from(tables, seen.sheet, show_odds=seen.show_odds)


def may_recall(game: Game, viewer: Viewer) -> bool:
    """Always: there is nothing to remember."""
    return True


def secrets(game: Game, viewer: Viewer) -> tuple[str, ...]:
    """None."""
    return ()
