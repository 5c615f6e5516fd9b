"""States for exact odds: a fight before a roll, and what each way the dice can fall makes of it."""

from __future__ import annotations

from itertools import product
from typing import Any

from google.protobuf import json_format

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Commanded, Seat, fold, judge
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import read_tables
from ludolog.testkit.scripted import ScriptedChance

RULEBOOK = catalogue.load("beast_hunter")
TABLES = read_tables(RULEBOOK.content)
TWO_DICE = tuple(product(range(1, 7), range(1, 7)))
BELT_USED = {"luck_charm_used": True, "balance_blade_used": True, "optic_disruptor_used": True}


def position(**fields: Any) -> Game:
    """A state of a position as in a scenario; the toolbelt is used."""
    message = json_format.ParseDict({"inventory": BELT_USED, **fields}, pb.Position())
    game = RULEBOOK.from_position(message, 1, pb.Options())
    assert isinstance(game, Game)
    return game


def after(game: Game, command: Any, **draws: list[int]) -> Game:
    """The state after a command, with these draws."""
    script = ScriptedChance({purpose.replace("_", " "): values for purpose, values in draws.items()})
    events = judge(RULEBOOK, game, Commanded(Seat(1), command), 1, script)
    assert not script.left_over()
    state = fold(RULEBOOK, game, events)
    assert isinstance(state, Game)
    return state


def chance_to_win(region: str, level: int, **fields: Any) -> float:
    """Fight to the death from 10 hit points without items: the share of wins, exactly, by the rules themselves."""
    nature = {"nature": "NATURE_CRUEL"}  # grievous damage plays no part where nothing is recovered
    full = TABLES.beasts[next(r for r in TABLES.regions if r.name == region.removeprefix("REGION_")), level].hit_points
    won: dict[tuple[int, int], float] = {}
    for mine in range(1, 11):
        won[mine, 0] = 1.0
        for its in range(1, full + 1):
            combat = {"region": region, "level": level, "hit_points": its}
            regions = {region.removeprefix("REGION_").lower(): nature}
            before = position(combat=combat, regions=regions, hit_points=mine, **fields)
            total, still = 0.0, 0
            for dice in TWO_DICE:
                then = after(before, pb.AttackRoll(), combat=list(dice))
                left = then.combat.hit_points if then.combat else 0
                if (then.hit_points, left) == (mine, its):
                    still += 1
                elif then.hit_points:
                    total += won[then.hit_points, left]
            won[mine, its] = total / (len(TWO_DICE) - still)
    return won[10, full]
