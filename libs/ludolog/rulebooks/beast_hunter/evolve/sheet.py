"""Parts of the sheet that several events change."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.rulebooks.beast_hunter.state import Combat, Game, Night, Roll, put


def unchanged(game: Game, event: Message) -> Game:
    """An event that only tells."""
    return game


def in_region(game: Game, region: int, **changes: Any) -> Game:
    """The game with a region changed."""
    sheet = replace(game.regions[region - 1], **changes)
    return replace(game, regions=put(game.regions, region, sheet))


def in_tower(game: Game, tower: int, **changes: Any) -> Game:
    """The game with a tower changed."""
    sheet = replace(game.towers[tower - 1], **changes)
    return replace(game, towers=put(game.towers, tower, sheet))


def roll_of(game: Game) -> Roll:
    """The roll. ValueError where there is none."""
    if game.roll is None:
        raise ValueError("no dice are rolled")
    return game.roll


def with_die_placed(game: Game, die: int) -> Roll | None:
    """The roll with one die more placed; None once all are."""
    roll = roll_of(game)
    placed = put(roll.placed, die, item=True)
    return None if all(placed) else replace(roll, placed=placed)


def combat_of(game: Game) -> Combat:
    """The combat. ValueError where there is none."""
    if game.combat is None:
        raise ValueError("there is no combat")
    return game.combat


def wounded(game: Game, region: int, level: int, wounds: int) -> Game:
    """The game with this much damage on a beast."""
    if level == 0:
        return in_region(game, region, terrible_wounds=wounds)
    return in_region(game, region, wounds=put(game.regions[region - 1].wounds, level, wounds))


def with_grid_erased(game: Game, tower: int) -> Game:
    """The game with a tower's grid erased."""
    cells = (0,) * len(game.towers[tower - 1].cells)
    return in_tower(game, tower, cells=cells, standing=False, totem=False)


def night_of(game: Game) -> Night:
    """What the night has brought so far."""
    return game.night or Night()
