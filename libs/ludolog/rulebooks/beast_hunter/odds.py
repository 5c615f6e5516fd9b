"""Exact odds of the next roll, by counting all ways: for tables that want them shown, and for bots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import Window
from ludolog.rulebooks.beast_hunter.rules import figures
from ludolog.rulebooks.beast_hunter.state import Combat, Game, window
from ludolog.rulebooks.beast_hunter.tables import FACES, Tables

TWO_DICE = tuple(product(range(1, FACES + 1), range(1, FACES + 1)))


def ways(test: Callable[[tuple[int, int]], bool]) -> int:
    """In how many of the 36 ways two dice pass."""
    return sum(test(dice) for dice in TWO_DICE)


def odds(tables: Tables, game: Game) -> Iterator[pb.View.Chance]:
    """What the next roll can bring: in a combat, hits on both sides and an escape."""
    if window(game) is Window.COMBAT and game.combat:
        yield from _combat_odds(tables, game, game.combat)


def _combat_odds(tables: Tables, game: Game, combat: Combat) -> Iterator[pb.View.Chance]:
    low = figures.hits_from(tables, game, combat.region, combat.level, ambush=combat.ambush)
    high = figures.attacks_to(tables, game, combat.region, combat.level)
    lines = (
        ("you_hit", "you hit with at least one die", ways(lambda dice: max(dice) >= low)),
        ("you_hit_twice", "you hit with both dice", ways(lambda dice: min(dice) >= low)),
        ("beast_hits", "the beast hits with at least one die", ways(lambda dice: min(dice) <= high)),
        ("beast_hits_twice", "the beast hits with both dice", ways(lambda dice: max(dice) <= high)),
        ("escape", "you escape", ways(lambda dice: max(dice) >= figures.ESCAPES_ON)),
    )
    for key, title, count in lines:
        yield pb.View.Chance(key=key, title=title, ways=count, of=len(TWO_DICE))
