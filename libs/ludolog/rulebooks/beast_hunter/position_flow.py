"""The part of a position that says what is going on: the day, the dice, a combat, the night."""

from __future__ import annotations

from msgspec.structs import replace

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.evolve.sheet import wounded
from ludolog.rulebooks.beast_hunter.names import Action, EndReason, Equipment, Region, RollPurpose, Tower
from ludolog.rulebooks.beast_hunter.position_squares import box_from, box_rows
from ludolog.rulebooks.beast_hunter.rules.figures import full_hit_points, hit_points_left
from ludolog.rulebooks.beast_hunter.sanity_flow import rolls_shown
from ludolog.rulebooks.beast_hunter.state import BOXES, LEVELS, Combat, Game, Night, Roll, Today
from ludolog.rulebooks.beast_hunter.tables import Tables


def write_flow(game: Game, message: pb.Position) -> None:
    """Write what is going on into a position."""
    message.today.CopyFrom(_today(game.today))
    top, bottom = box_rows(game.field)
    message.field.CopyFrom(pb.Field(top=top, bottom=bottom, settled=game.settled))
    if game.roll:
        message.roll.CopyFrom(_roll(game.roll))
    if game.combat:
        message.combat.CopyFrom(_combat(game.combat))
    if game.night:
        message.night.CopyFrom(_night(game.night))
    message.find_due = game.find_due
    message.fight_offered = game.fight_offered
    message.ambush_offered = game.ambush_offered
    message.elder_due = game.elder_due
    message.ending = pb.EndReason.ValueType(game.ending or 0)
    message.moment = game.moment
    message.undone = game.undone


def _today(today: Today) -> pb.Today:
    return pb.Today(
        action=pb.Action.ValueType(today.action or 0),
        region=pb.Region.ValueType(today.region or 0),
        searches_used=today.searches_used,
        travelled=today.travelled,
        box=today.box,
        tower=pb.Tower.ValueType(today.tower or 0),
        equipment=pb.Equipment.ValueType(today.equipment or 0),
        terrible_beast_killed=today.terrible_beast_killed,
        tower_completed=today.tower_completed,
    )


def _roll(roll: Roll) -> pb.Roll:
    return pb.Roll(
        purpose=pb.RollPurpose.ValueType(roll.purpose),
        dice=roll.dice,
        placed=roll.placed,
        rerolls_left=roll.rerolls_left,
        determination_spent=roll.determination_spent,
    )


def _combat(combat: Combat) -> pb.Combat:
    return pb.Combat(
        region=pb.Region.ValueType(combat.region),
        level=combat.level,
        hit_points=combat.hit_points,
        ambush=combat.ambush,
        rolls=combat.rolls,
        struck=combat.struck,
        dice=combat.dice,
        escaping=combat.escaping,
        threat=combat.threat,
    )


def _night(night: Night) -> pb.Night:
    return pb.Night(
        event_dice=night.event_dice,
        attacker=pb.Region.ValueType(night.attacker or 0),
        rage=night.rage,
        direction=pb.Tower.ValueType(night.direction or 0),
        tower_damage=night.tower_damage,
    )


def flow(tables: Tables, game: Game, message: pb.Position) -> Game:
    """The game with what is going on by the position."""
    field = box_from(message.field.top, message.field.bottom)
    settled = tuple(message.field.settled)
    if not settled and not any(message.roll.placed) and not message.ending:
        settled = tuple(box for box in range(1, BOXES + 1) if field[box - 1] and field[box - 1 + BOXES])
    if message.HasField("combat"):
        game = _with_wounds(tables, game, message.combat)
    roll = _roll_from(message.roll) if message.HasField("roll") else None
    return replace(
        game,
        today=_today_from(message),
        field=field,
        settled=settled,
        roll=roll,
        combat=_combat_from(tables, game, message.combat, roll) if message.HasField("combat") else None,
        night=_night_from(message.night) if message.HasField("night") else None,
        find_due=message.find_due,
        fight_offered=message.fight_offered,
        ambush_offered=message.ambush_offered,
        elder_due=message.elder_due,
        ending=EndReason(message.ending) if message.ending else None,
        moment=message.moment,
        undone=message.undone,
    )


def _today_from(position: pb.Position) -> Today:
    message = position.today
    action, region, used = message.action, message.region, message.searches_used
    if position.HasField("combat") and not action:
        action, region = pb.ACTION_SEARCH, region or position.combat.region
        used = used if position.HasField("today") else 1
    return Today(
        action=Action(action) if action else None,
        region=Region(region) if region else None,
        searches_used=used,
        travelled=message.travelled,
        box=message.box,
        tower=Tower(message.tower) if message.tower else None,
        equipment=Equipment(message.equipment) if message.equipment else None,
        terrible_beast_killed=message.terrible_beast_killed,
        tower_completed=message.tower_completed,
    )


def _roll_from(message: pb.Roll) -> Roll:
    return Roll(
        purpose=RollPurpose(message.purpose),
        dice=tuple(message.dice),
        placed=tuple(message.placed) or (False,) * len(message.dice),
        rerolls_left=message.rerolls_left,
        determination_spent=message.determination_spent,
    )


def _with_wounds(tables: Tables, game: Game, message: pb.Combat) -> Game:
    """Hit points that are given leave their wounds, which stay when the combat is left (X3)."""
    region, level = Region(message.region), message.level
    if not 0 <= level <= LEVELS:
        raise ValueError(f"combat.level: 0 to {LEVELS}, not {level}")
    if not message.hit_points:
        return game
    lost = full_hit_points(tables, game, region, level) - message.hit_points
    return wounded(game, region, level, max(game.region(region).wounds_of(level), lost))


def _combat_from(tables: Tables, game: Game, message: pb.Combat, roll: Roll | None) -> Combat:
    region, dice = Region(message.region), tuple(message.dice)
    return Combat(
        region=region,
        level=message.level,
        hit_points=message.hit_points or hit_points_left(tables, game, region, message.level),
        ambush=message.ambush,
        rolls=message.rolls or rolls_shown(roll, dice),
        struck=message.struck,
        dice=dice,
        escaping=message.escaping,
        threat=message.threat,
    )


def _night_from(message: pb.Night) -> Night:
    return Night(
        event_dice=tuple(message.event_dice),
        attacker=Region(message.attacker) if message.attacker else None,
        rage=message.rage,
        direction=Tower(message.direction) if message.direction else None,
        tower_damage=message.tower_damage,
    )
