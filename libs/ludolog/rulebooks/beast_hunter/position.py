"""The whole state as a message and back: for scenarios, and for a view, since nothing of this game is secret."""

from __future__ import annotations

from typing import Any, TypeVar

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.evolve import evolve
from ludolog.rulebooks.beast_hunter.names import (
    EVENTS,
    Elder,
    Equipment,
    Grade,
    Item,
    Material,
    Nature,
    Region,
    Tower,
)
from ludolog.rulebooks.beast_hunter.position_flow import flow, write_flow
from ludolog.rulebooks.beast_hunter.position_squares import box_from, box_rows, cells_from, grid_rows
from ludolog.rulebooks.beast_hunter.rules.set_up import game_started
from ludolog.rulebooks.beast_hunter.sanity import check_game
from ludolog.rulebooks.beast_hunter.state import BLANK, BLANK_BOX, LEVELS, Game, RegionSheet, TowerSheet
from ludolog.rulebooks.beast_hunter.tables import Tables

T = TypeVar("T")


def field_of(name: Any) -> str:
    """The field of a name: lower_snake."""
    return str(name.name).lower()


def position(game: Game) -> pb.Position:
    """The whole state; of the options it says nothing."""
    message = pb.Position(
        days_crossed=game.days_crossed,
        hit_points=game.hit_points,
        max_hit_points=game.max_hit_points,
        determination=game.determination,
        doubt=game.doubt,
        huts_destroyed=game.huts_destroyed,
        stores=pb.Stores(**{field_of(m): game.store(m) for m in Material}),
        forged=pb.Forged(**{field_of(e): pb.Grade.ValueType(game.grade(e) or 0) for e in Equipment}),
        inventory=_inventory(game),
        regions=pb.Regions(**{field_of(r): _region(sheet) for r, sheet in zip(Region, game.regions, strict=False)}),
        towers=pb.Towers(**{field_of(t): _tower(sheet) for t, sheet in zip(Tower, game.towers, strict=False)}),
        elders=pb.Elders(**{field_of(e): approved for e, approved in zip(Elder, game.elders, strict=True)}),
        towers_approved=game.towers_approved,
        events=pb.Events(
            **{field_of(e): pb.Region.ValueType(r or 0) for e, r in zip(EVENTS, game.events, strict=True)}
        ),
        undo=[position(before) for before in game.undo],
    )
    write_flow(game, message)
    return message


def _inventory(game: Game) -> pb.Inventory:
    inventory = pb.Inventory()
    for item in Item:
        if item.toolbelt:
            setattr(inventory, f"{field_of(item)}_used", not game.uses_left(item))
        else:
            crafted = pb.CraftedItem(uses_left=game.uses_left(item), crafted=game.crafted[item - 1])
            getattr(inventory, field_of(item)).CopyFrom(crafted)
    return inventory


def _region(sheet: RegionSheet) -> pb.RegionSheet:
    boxes = [pb.SearchBox(top=top, bottom=bottom) for top, bottom in map(box_rows, sheet.boxes)]
    return pb.RegionSheet(
        boxes=boxes,
        tracked=sheet.tracked,
        lair_found=sheet.lair_found,
        nature=pb.Nature.ValueType(sheet.nature or 0),
        defeated=sheet.defeated,
        wounds=sheet.wounds,
        terrible_wounds=sheet.terrible_wounds,
    )


def _tower(sheet: TowerSheet) -> pb.TowerSheet:
    return pb.TowerSheet(standing=sheet.standing, totem=sheet.totem, rows=grid_rows(sheet))


def from_position(tables: Tables, message: pb.Position, seats: int, options: pb.Options) -> Game:
    """A state from a position, filled in as the proto says. ValueError for one that can't come about."""
    if seats != 1:
        raise ValueError(f"a game for one, not for {seats}")
    return game_from(tables, message, show_odds=options.show_odds)


def game_from(tables: Tables, message: pb.Position, *, show_odds: bool) -> Game:
    """A state from a position. ValueError for one that can't come about."""
    start = evolve(BLANK, game_started(tables, show_odds=show_odds))
    bar = message.max_hit_points if message.HasField("max_hit_points") else start.max_hit_points
    uses, crafted = _items(message)
    elders = tuple(getattr(message.elders, field_of(e)) for e in Elder)
    three = all(getattr(message.towers, field_of(t)).standing for t in Tower) and not all(elders)
    game = Game(
        show_odds=show_odds,
        days_crossed=message.days_crossed,
        hit_points=message.hit_points if message.HasField("hit_points") else bar,
        max_hit_points=bar,
        determination=message.determination,
        doubt=message.doubt,
        huts_destroyed=message.huts_destroyed,
        stores=tuple(getattr(message.stores, field_of(m)) for m in Material),
        grades=tuple(_optional(Grade, getattr(message.forged, field_of(e))) for e in Equipment),
        uses=uses,
        crafted=crafted,
        regions=tuple(
            _region_from(getattr(message.regions, field_of(r)), len(sheet.boxes))
            for r, sheet in zip(Region, start.regions, strict=True)
        ),
        towers=tuple(
            _tower_from(getattr(message.towers, field_of(t)), sheet.grid)
            for t, sheet in zip(Tower, start.towers, strict=True)
        ),
        elders=elders,
        towers_approved=message.towers_approved or three,
        events=tuple(_optional(Region, getattr(message.events, field_of(e))) for e in EVENTS),
        undo=tuple(game_from(tables, before, show_odds=show_odds) for before in message.undo),
    )
    game = flow(tables, game, message)
    check_game(tables, game)
    return game


def _optional(names: type[T], number: int) -> T | None:
    return names(number) if number else None  # type: ignore[call-arg]


def _items(message: pb.Position) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    inventory, uses, crafted = message.inventory, [], []
    totems = any(getattr(message.towers, field_of(tower)).totem for tower in Tower)
    for item in Item:
        if item.toolbelt:
            uses.append(int(not getattr(inventory, f"{field_of(item)}_used")))
            crafted.append(False)
        else:
            box = getattr(inventory, field_of(item))
            uses.append(box.uses_left)
            crafted.append(box.crafted or box.uses_left > 0 or (totems and item is Item.HAWK_TOTEM))
    return tuple(uses), tuple(crafted)


def _region_from(message: pb.RegionSheet, boxes: int) -> RegionSheet:
    given = tuple(box_from(box.top, box.bottom) for box in message.boxes)
    wounds = tuple(message.wounds)
    if len(given) > boxes or len(wounds) > LEVELS:
        raise ValueError(f"regions: {boxes} boxes and wounds of {LEVELS} beasts each")
    return RegionSheet(
        boxes=given + (BLANK_BOX,) * (boxes - len(given)),
        tracked=message.tracked,
        lair_found=message.lair_found,
        nature=_optional(Nature, message.nature),
        defeated=message.defeated,
        wounds=wounds + (0,) * (LEVELS - len(wounds)),
        terrible_wounds=message.terrible_wounds,
    )


def _tower_from(message: pb.TowerSheet, grid: str) -> TowerSheet:
    cells = cells_from(grid, tuple(message.rows))
    if message.standing and not message.rows:
        cells = (1,) * len(cells)
    return TowerSheet(grid, cells, message.standing, message.totem)
