"""What holds for every state that can come about: for positions, and after every event in property tests."""

from __future__ import annotations

from collections.abc import Iterator

from ludolog.rulebooks.beast_hunter.names import EndReason, Item, Region
from ludolog.rulebooks.beast_hunter.sanity_flow import flow_problems
from ludolog.rulebooks.beast_hunter.state import BLANK_BOX, LEVELS, Game
from ludolog.rulebooks.beast_hunter.tables import Tables


def check_game(tables: Tables, game: Game) -> None:
    """ValueError names everything that can't be."""
    if problems := [text for text, wrong in _problems(tables, game) if wrong]:
        raise ValueError("; ".join(problems))


def _problems(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    yield from _bars(tables, game)
    yield from _stores(tables, game)
    yield from _regions(tables, game)
    yield from _towers(game)
    yield from _end(tables, game)
    yield from flow_problems(tables, game)


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


def _stores(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    yield "stores", any(_outside(count, 0, tables.numbers["storage_circles"]) for count in game.stores)
    for item, printed in tables.items.items():
        uses = game.uses_left(item)
        crafted = game.crafted[item - 1]
        yield f"inventory.{item.name.lower()}", _outside(uses, 0, printed.uses) or (crafted and item.toolbelt)
        yield f"inventory.{item.name.lower()} wasn't crafted", bool(uses) and not crafted and not item.toolbelt
    totem = any(tower.totem for tower in game.towers) and not game.crafted[Item.HAWK_TOTEM - 1]
    yield "inventory.hawk_totem: the one on a tower was crafted", totem
    coat = game.crafted[Item.HEAVY_COAT - 1] and not game.uses_left(Item.HEAVY_COAT)
    yield "inventory.heavy_coat isn't used up", coat


def _regions(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    for region, sheet in zip(Region, game.regions, strict=True):
        here = game.today.box if game.today.region is region else 0
        begun = [n for n, box in enumerate(sheet.boxes, 1) if box != BLANK_BOX and not all(box) and n != here]
        yield "regions: a search box is half full, and isn't today.box", bool(begun)
        circles = tables.numbers["tracking_circles"]
        yield "regions.tracked", _outside(sheet.tracked, 0, circles)
        full = sheet.tracked == circles and not sheet.lair_found and not sheet.defeated
        yield "regions.lair_found: all circles are filled", full
        for level in range(LEVELS + 1):
            dead = tables.beasts[region, level].hit_points + tables.numbers["madness_hit_points"]
            gone = level == 0 and sheet.defeated
            yield "regions.wounds", _outside(sheet.wounds_of(level), 0, dead if gone else dead - 1)
        unmet = bool(sheet.terrible_wounds) and sheet.nature is None
        yield "regions.terrible_wounds: its nature is known, it was met", unmet


def _towers(game: Game) -> Iterator[tuple[str, bool]]:
    for number, tower in enumerate(game.towers, 1):
        yield "towers: a standing tower is full", tower.standing and bool(tower.cells) and 0 in tower.cells
        yield "towers: a full grid is a standing tower", not tower.standing and bool(tower.cells) and all(tower.cells)
        busy = game.today.tower == number
        yield "towers: only the one that is built has numbers", any(tower.cells) and not tower.standing and not busy
        yield "towers.totem: on a standing tower", tower.totem and not tower.standing
    three = all(tower.standing for tower in game.towers) and not all(game.elders)
    yield "towers_approved: three towers stand", three and not game.towers_approved


def _end(tables: Tables, game: Game) -> Iterator[tuple[str, bool]]:
    """An ending and what it comes from. A third Terrible Beast's elder comes before victory (ruling A19)."""
    reached = {
        EndReason.DEATH: game.hit_points == 0,
        EndReason.TRUST_LOST: game.doubt == tables.numbers["doubt"],
        EndReason.TIME_UP: game.days_crossed == len(tables.track),
        EndReason.VICTORY: all(sheet.defeated for sheet in game.regions) and not game.elder_due,
    }
    yield "the game would be over", any(reached.values()) and game.ending is None
    yield "ending: not what the sheet says", not reached.get(game.ending, True) if game.ending else False
