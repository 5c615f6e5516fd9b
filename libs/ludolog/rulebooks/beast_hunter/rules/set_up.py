"""Using the Adventure Sheets, How to Play: a blank sheet and three items. Digest S2."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Chance, Events
from ludolog.rulebooks.beast_hunter.tables import Tables


def set_up(tables: Tables, options: pb.Options, seats: int, chance: Chance) -> Events:
    """One player; nothing is drawn."""
    return (game_started(tables, show_odds=options.show_odds),)


def game_started(tables: Tables, *, show_odds: bool) -> pb.GameStarted:
    """The blank sheet as printed."""
    return pb.GameStarted(
        show_odds=show_odds,
        hit_points=tables.numbers["hit_points"],
        search_boxes=[tables.numbers["search_boxes"]] * len(tables.regions),
        grids=["/".join(grid.rows) for grid in tables.grids.values()],
    )
