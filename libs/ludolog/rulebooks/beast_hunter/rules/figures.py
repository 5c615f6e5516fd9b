"""Combat in figures: hit points, ranges, hits. Digest C1, C2, C5, C6, T2 to T4, rulings A7 to A13, A28, A41, A50."""

from __future__ import annotations

from ludolog.rulebooks.beast_hunter.names import Equipment, Grade, Nature, Region, RollPurpose
from ludolog.rulebooks.beast_hunter.state import Combat, Game, Roll
from ludolog.rulebooks.beast_hunter.tables import FACES, Tables

AMBUSH_ROLLS = 2
"""Combat rolls of which Ambush ignores the damage."""
CUNNING_ROUNDS = 2
"""Rounds in which a Cunning beast takes no damage."""
ESCAPES_ON = 5
"""A die of at least this escapes, whatever the attack range is (X1)."""
CRITICAL_DAMAGE = 1


def full_hit_points(tables: Tables, game: Game, region: Region, level: int) -> int:
    """Hit points of a beast in a fight now: as printed, and 2 more under Madness (V1)."""
    mad = game.affects(RollPurpose.MADNESS, region)
    return tables.beasts[region, level].hit_points + (tables.numbers["madness_hit_points"] if mad else 0)


def hit_points_left(tables: Tables, game: Game, region: Region, level: int) -> int:
    """What its wounds leave it; at least 1 when it is met (X3, ruling A28)."""
    return max(full_hit_points(tables, game, region, level) - game.region(region).wounds_of(level), 1)


def hits_from(tables: Tables, game: Game, region: Region, level: int, *, ambush: bool = False) -> int:
    """The lowest face with which you hit: lance, Sudden Clarity and Ambush lower it by 1 each (C2, C6, ruling A41)."""
    bonuses = (
        game.grade(Equipment.DISINTEGRATOR_LANCE) is not None,
        game.affects(RollPurpose.SUDDEN_CLARITY, region),
        ambush,
    )
    return tables.beasts[region, level].hit_from - sum(bonuses)


def attacks_to(tables: Tables, game: Game, region: Region, level: int, *, cowed: bool = False) -> int:
    """The highest face with which the beast hits: Silver Plate and a blow to a Cowed one lower it by 1, not below 1."""
    lowered = (game.grade(Equipment.SILVER_PLATE) is not None) + cowed
    return max(tables.beasts[region, level].attacks_to - lowered, 1)


def nature_of(game: Game, combat: Combat) -> Nature | None:
    """Nature of the Terrible Beast that is fought; None for others, and before it is known."""
    return None if combat.level else game.region(combat.region).nature


def cowed_now(game: Game, combat: Combat) -> bool:
    """Cowed, and damaged on this roll: its range is smaller for this roll only (ruling A9)."""
    return combat.struck and nature_of(game, combat) is Nature.COWED


def untouchable(game: Game, combat: Combat, *, before_roll: bool = False) -> bool:
    """Cunning's first two rounds: nothing damages it, items included; Ambush cancels that (T4, rulings A7, A8, A10).

    `before_roll`: the coming roll's round is asked for, else that of the last roll.
    """
    if combat.ambush or nature_of(game, combat) is not Nature.CUNNING:
        return False
    return combat.rolls + before_roll <= CUNNING_ROUNDS


def critical(tables: Tables, game: Game, combat: Combat, dice: tuple[int, ...]) -> bool:
    """Double sixes; with the mastercraft lance any doubles within your range (C5)."""
    if len(set(dice)) > 1:
        return False
    lance = game.grade(Equipment.DISINTEGRATOR_LANCE) is Grade.MASTERCRAFT
    low = hits_from(tables, game, combat.region, combat.level, ambush=combat.ambush)
    return dice[0] == FACES or (lance and dice[0] >= low)


def damage_to_beast(tables: Tables, game: Game, combat: Combat, roll: Roll) -> int:
    """What a combat roll deals before Cunning is thought of."""
    low = hits_from(tables, game, combat.region, combat.level, ambush=combat.ambush)
    extra = CRITICAL_DAMAGE if critical(tables, game, combat, roll.dice) else 0
    return sum(die >= low for die in roll.dice) + extra


def beast_hits(tables: Tables, game: Game, combat: Combat) -> int:
    """Dice of the last roll within the beast's range."""
    high = attacks_to(tables, game, combat.region, combat.level, cowed=cowed_now(game, combat))
    return sum(die <= high for die in combat.dice)


def damage_to_hunter(game: Game, combat: Combat, hits: int) -> int:
    """Ruling A13: Ambush ignores the first two rolls, then the mastercraft plate lets 1 through."""
    if combat.ambush and combat.rolls <= AMBUSH_ROLLS:
        return 0
    plate = game.grade(Equipment.SILVER_PLATE) is Grade.MASTERCRAFT
    return min(hits, 1) if plate else hits


def grievous_points(game: Game, combat: Combat, damage: int) -> int:
    """Cruel: the 1s of the roll, but no more than the damage that is really taken (T3, ruling A12)."""
    if nature_of(game, combat) is not Nature.CRUEL:
        return 0
    return min(combat.dice.count(1), damage)
