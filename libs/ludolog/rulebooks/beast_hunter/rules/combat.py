"""Combat, Escaping Combat, The Terrible Beasts. Digest C1 to C7, X1 to X3, T1 to T4, rulings A7 to A14, A43, A50.

Windows: before a roll (COMBAT), after it and before it is used (AFTER_ROLL), before damage is taken (DAMAGE).
"""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import (
    CombatSource,
    DamageSource,
    DeterminationReason,
    EscapeMeans,
    Item,
    Nature,
    Region,
    RollPurpose,
    StrikeSource,
    Window,
)
from ludolog.rulebooks.beast_hunter.rules import figures
from ludolog.rulebooks.beast_hunter.rules.course import Course, combat_of, require
from ludolog.rulebooks.beast_hunter.rules.death import hurt
from ludolog.rulebooks.beast_hunter.rules.determination import gain_determination
from ludolog.rulebooks.beast_hunter.rules.elders import after_terrible_beast
from ludolog.rulebooks.beast_hunter.rules.items import require_ready, use_item
from ludolog.rulebooks.beast_hunter.rules.materials import gain
from ludolog.rulebooks.beast_hunter.state import Game, Roll, window
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Combat"
ESCAPING = "Escaping Combat"
NATURES = (Nature.COWED, Nature.CRUEL, Nature.CRUEL, Nature.CRUEL, Nature.CUNNING, Nature.CUNNING)
"""Nature by face (T1)."""
BLADE_DAMAGE, FIREBOX_DAMAGE = 1, 2
CRAB_PLATE_IGNORES = 2


def start_combat(course: Course, region: Region, level: int, source: CombatSource, *, ambush: bool = False) -> None:
    """A beast is met. A Terrible Beast that is fought for the first time shows its nature (T1, ruling A43)."""
    started = pb.CombatStarted(
        region=pb.Region.ValueType(region),
        level=level,
        hit_points=figures.hit_points_left(course.tables, course.game, region, level),
        ambush=ambush,
        source=pb.CombatSource.ValueType(source),
    )
    course.tell(started)
    if level == 0 and course.game.region(region).nature is None:
        course.roll(RollPurpose.NATURE, 1)


def use_nature(course: Course, roll: Roll) -> None:
    """1 Cowed, 2 to 4 Cruel, 5 and 6 Cunning, for the rest of the game."""
    region = pb.Region.ValueType(combat_of(course.game).region)
    course.tell(pb.NatureRevealed(region=region, nature=pb.Nature.ValueType(NATURES[roll.dice[0] - 1])))


def check_attack_roll(tables: Tables, game: Game, command: pb.AttackRoll) -> None:
    """Before a roll."""
    require(game, SECTION, Window.COMBAT)


def attack_roll(course: Course, command: pb.AttackRoll) -> None:
    """Roll both dice (C1)."""
    course.roll(RollPurpose.COMBAT, 2)


def use_combat_roll(course: Course, roll: Roll) -> None:
    """First your dice; then, if the beast still lives, its dice."""
    game, combat = course.game, combat_of(course.game)
    if figures.critical(course.tables, game, combat, roll.dice):
        course.tell(pb.CriticalScored())
        if not roll.determination_spent:
            gain_determination(course, DeterminationReason.CRITICAL_HIT)
    damage = figures.damage_to_beast(course.tables, game, combat, roll)
    if damage and not figures.untouchable(game, combat) and _strike(course, StrikeSource.DICE, damage):
        return
    _beast_attacks(course)


def _strike(course: Course, source: StrikeSource, damage: int) -> bool:
    """Damage the beast. True if that kills it; then combat is over, whatever its dice show (C1, C3, C7)."""
    combat = combat_of(course.game)
    left = max(combat.hit_points - damage, 0)
    course.tell(pb.DamageDealt(amount=damage, hit_points=left, source=pb.StrikeSource.ValueType(source)))
    if left:
        return False
    region = pb.Region.ValueType(combat.region)
    if combat.level:
        course.tell(pb.BeastKilled(region=region, level=combat.level))
        material = course.tables.beasts[combat.region, combat.level].material
        if material:
            gain(course, material, 1)
    else:
        course.tell(pb.TerribleBeastKilled(region=region))
        after_terrible_beast(course)
    return True


def _beast_attacks(course: Course) -> None:
    """Its dice; damage waits where the hunter has something to do about it."""
    game, combat = course.game, combat_of(course.game)
    hits = figures.beast_hits(course.tables, game, combat)
    damage = figures.damage_to_hunter(game, combat, hits)
    if hits if combat.threat == 0 else damage != combat.threat:
        course.tell(pb.BeastAttacked(hits=hits, damage=damage))
    if damage and not _can_respond(course.game):
        _take(course)


def _can_respond(game: Game) -> bool:
    blow = game.uses_left(Item.BALANCE_BLADE) or game.uses_left(Item.FIREBOX)
    may_strike = bool(blow) and not figures.untouchable(game, combat_of(game))
    return may_strike or game.uses_left(Item.CRAB_PLATE) > 0


def _take(course: Course) -> None:
    combat = combat_of(course.game)
    grievous = figures.grievous_points(course.game, combat, combat.threat)
    hurt(course, DamageSource.BEAST, combat.threat, grievous)


def check_take_damage(tables: Tables, game: Game, command: pb.TakeDamage) -> None:
    """Before damage."""
    require(game, SECTION, Window.DAMAGE)


def take_damage(course: Course, command: pb.TakeDamage) -> None:
    """Nothing is done about it."""
    _take(course)


def check_escape_roll(tables: Tables, game: Game, command: pb.EscapeRoll) -> None:
    """Instead of any combat roll, the first one too (X1)."""
    require(game, ESCAPING, Window.COMBAT)


def escape_roll(course: Course, command: pb.EscapeRoll) -> None:
    """Roll both dice to outrun the beast."""
    course.roll(RollPurpose.ESCAPE, 2)


def use_escape_roll(course: Course, roll: Roll) -> None:
    """A 5 or a 6 escapes; else the beast's dice hit as in a combat roll (X1, X2, rulings A7, A50)."""
    if max(roll.dice) >= figures.ESCAPES_ON:
        course.tell(pb.EscapeSucceeded(means=pb.EscapeMeans.ValueType(EscapeMeans.DICE)))
        return
    course.tell(pb.EscapeFailed())
    _beast_attacks(course)


def check_use_optic_disruptor(tables: Tables, game: Game, command: pb.UseOpticDisruptor) -> None:
    """Before any combat roll."""
    require(game, SECTION, Window.COMBAT)
    require_ready(game, Item.OPTIC_DISRUPTOR)


def use_optic_disruptor(course: Course, command: pb.UseOpticDisruptor) -> None:
    """Leave the combat."""
    use_item(course, Item.OPTIC_DISRUPTOR)
    course.tell(pb.EscapeSucceeded(means=pb.EscapeMeans.ValueType(EscapeMeans.OPTIC_DISRUPTOR)))


def _check_blow(game: Game, item: Item) -> None:
    """At any moment of a combat: before a roll, before it is used, before damage."""
    require(game, SECTION, Window.COMBAT, Window.AFTER_ROLL, Window.DAMAGE)
    if game.combat is None or (game.roll and game.roll.purpose is RollPurpose.NATURE):
        raise Refusal("NOT_NOW", SECTION, window=Window.AFTER_ROLL.name)
    require_ready(game, item)
    if figures.untouchable(game, game.combat, before_roll=window(game) is Window.COMBAT):
        raise Refusal("CUNNING", SECTION, ruling="A10")


def _blow(course: Course, item: Item, source: StrikeSource, damage: int) -> None:
    """Damage now; a Cowed beast that was struck before its damage attacks with less (RULINGS L4)."""
    use_item(course, item)
    threatened = combat_of(course.game).threat
    if not _strike(course, source, damage) and threatened:
        _beast_attacks(course)


def check_use_balance_blade(tables: Tables, game: Game, command: pb.UseBalanceBlade) -> None:
    """In combat, not while a Cunning beast takes no damage (ruling A10)."""
    _check_blow(game, Item.BALANCE_BLADE)


def use_balance_blade(course: Course, command: pb.UseBalanceBlade) -> None:
    """1 damage."""
    _blow(course, Item.BALANCE_BLADE, StrikeSource.BALANCE_BLADE, BLADE_DAMAGE)


def check_use_firebox(tables: Tables, game: Game, command: pb.UseFirebox) -> None:
    """As the blade."""
    _check_blow(game, Item.FIREBOX)


def use_firebox(course: Course, command: pb.UseFirebox) -> None:
    """2 damage."""
    _blow(course, Item.FIREBOX, StrikeSource.FIREBOX, FIREBOX_DAMAGE)


def check_use_crab_plate(tables: Tables, game: Game, command: pb.UseCrabPlate) -> None:
    """Before damage (ruling A13)."""
    require(game, SECTION, Window.DAMAGE)
    require_ready(game, Item.CRAB_PLATE)


def use_crab_plate(course: Course, command: pb.UseCrabPlate) -> None:
    """Ignore up to 2 damage of this attack."""
    use_item(course, Item.CRAB_PLATE)
    course.tell(pb.DamagePrevented(amount=min(combat_of(course.game).threat, CRAB_PLATE_IGNORES)))
    if combat_of(course.game).threat:
        _take(course)
