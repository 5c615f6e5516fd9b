"""Exact odds of the next combat roll or escape, by judging all 36 ways: for tables that want them shown.

All that counts on that roll is in them: Ambush, a Cunning or Cowed beast, plates, criticals, and that a beast that is
killed deals nothing. Items that answer a roll aren't (Balance Blade, Firebox, Crab Plate, Luck Charm, determination).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import RollPurpose, Window
from ludolog.rulebooks.beast_hunter.rules import figures
from ludolog.rulebooks.beast_hunter.state import Combat, Game, Roll, window
from ludolog.rulebooks.beast_hunter.tables import FACES, Tables

TWO_DICE = tuple(product(range(1, FACES + 1), range(1, FACES + 1)))
TWICE = 2


def odds(tables: Tables, game: Game) -> Iterator[pb.View.Chance]:
    """What the next roll can bring: in a combat, damage on both sides and an escape."""
    if window(game) is Window.COMBAT and game.combat:
        yield from _combat_odds(tables, game, game.combat)


def attacked(tables: Tables, game: Game, combat: Combat, dice: tuple[int, int]) -> tuple[int, int]:
    """Damage to the beast and to the hunter if these are the dice of the next combat roll."""
    rolled = replace(combat, rolls=combat.rolls + 1, struck=False, dice=dice)
    roll = Roll(RollPurpose.COMBAT, dice, (False, False))
    dealt = 0 if figures.untouchable(game, rolled) else figures.damage_to_beast(tables, game, rolled, roll)
    if dealt >= combat.hit_points:
        return dealt, 0
    return dealt, _bitten(tables, game, replace(rolled, struck=dealt > 0))


def fled(tables: Tables, game: Game, combat: Combat, dice: tuple[int, int]) -> int | None:
    """Damage to the hunter if these are the dice of an attempt to escape; None where it succeeds."""
    if max(dice) >= figures.ESCAPES_ON:
        return None
    return _bitten(tables, game, replace(combat, rolls=combat.rolls + 1, struck=False, dice=dice))


def _bitten(tables: Tables, game: Game, rolled: Combat) -> int:
    return figures.damage_to_hunter(game, rolled, figures.beast_hits(tables, game, rolled))


def _combat_odds(tables: Tables, game: Game, combat: Combat) -> Iterator[pb.View.Chance]:
    fights = [attacked(tables, game, combat, dice) for dice in TWO_DICE]
    escapes = [fled(tables, game, combat, dice) for dice in TWO_DICE]
    lines = (
        ("you_hit", "you damage it", sum(dealt > 0 for dealt, _ in fights)),
        ("you_hit_twice", "by 2 or more", sum(dealt >= TWICE for dealt, _ in fights)),
        ("you_kill", "you kill it", sum(dealt >= combat.hit_points for dealt, _ in fights)),
        ("beast_hits", "it damages you", sum(taken > 0 for _, taken in fights)),
        ("beast_hits_twice", "by 2", sum(taken >= TWICE for _, taken in fights)),
        ("escape", "you escape", escapes.count(None)),
        ("escape_hurts", "you don't, and it damages you", sum(bool(taken) for taken in escapes)),
    )
    for key, title, count in lines:
        yield pb.View.Chance(key=key, title=title, ways=count, of=len(TWO_DICE))
