"""Fights: offers, combats, damage, escapes, deaths of beasts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.evolve.sheet import combat_of, in_region, unchanged, wounded
from ludolog.rulebooks.beast_hunter.names import Nature, Region
from ludolog.rulebooks.beast_hunter.state import Combat, Game


def _fight_offered(game: Game, event: pb.FightOffered) -> Game:
    return replace(game, fight_offered=True, ambush_offered=event.ambush)


def _fight_answered(game: Game, event: pb.FightAnswered) -> Game:
    return replace(game, fight_offered=False, ambush_offered=False)


def _combat_started(game: Game, event: pb.CombatStarted) -> Game:
    combat = Combat(Region(event.region), event.level, event.hit_points, event.ambush)
    return replace(game, combat=combat)


def _nature_revealed(game: Game, event: pb.NatureRevealed) -> Game:
    return in_region(game, event.region, nature=Nature(event.nature))


def _damage_dealt(game: Game, event: pb.DamageDealt) -> Game:
    combat = combat_of(game)
    wounds = game.region(combat.region).wounds_of(combat.level) + combat.hit_points - event.hit_points
    hurt = wounded(game, combat.region, combat.level, wounds)
    return replace(hurt, combat=replace(combat, hit_points=event.hit_points, struck=True))


def _beast_attacked(game: Game, event: pb.BeastAttacked) -> Game:
    return replace(game, combat=replace(combat_of(game), threat=event.damage))


def _damage_prevented(game: Game, event: pb.DamagePrevented) -> Game:
    combat = combat_of(game)
    return replace(game, combat=replace(combat, threat=combat.threat - event.amount))


def _damage_taken(game: Game, event: pb.DamageTaken) -> Game:
    combat = replace(game.combat, threat=0) if game.combat else None
    return replace(game, combat=combat, hit_points=event.hit_points)


def _grievous_taken(game: Game, event: pb.GrievousTaken) -> Game:
    return replace(game, max_hit_points=event.max_hit_points)


def _hit_points_recovered(game: Game, event: pb.HitPointsRecovered) -> Game:
    return replace(game, hit_points=event.hit_points)


def _escape_succeeded(game: Game, event: pb.EscapeSucceeded) -> Game:
    return replace(game, combat=None)


def _beast_killed(game: Game, event: pb.BeastKilled) -> Game:
    return replace(wounded(game, event.region, event.level, 0), combat=None, roll=None)


def _terrible_beast_killed(game: Game, event: pb.TerribleBeastKilled) -> Game:
    today = replace(game.today, terrible_beast_killed=True)
    return replace(in_region(game, event.region, defeated=True), combat=None, roll=None, today=today)


APPLY: dict[type[Message], Callable[[Game, Any], Game]] = {
    pb.FightOffered: _fight_offered,
    pb.FightAnswered: _fight_answered,
    pb.CombatStarted: _combat_started,
    pb.NatureRevealed: _nature_revealed,
    pb.DamageDealt: _damage_dealt,
    pb.BeastAttacked: _beast_attacked,
    pb.DamagePrevented: _damage_prevented,
    pb.DamageTaken: _damage_taken,
    pb.GrievousTaken: _grievous_taken,
    pb.HitPointsRecovered: _hit_points_recovered,
    pb.EscapeSucceeded: _escape_succeeded,
    pb.BeastKilled: _beast_killed,
    pb.TerribleBeastKilled: _terrible_beast_killed,
    pb.CriticalScored: unchanged,
    pb.EscapeFailed: unchanged,
    pb.ItemDestroyed: unchanged,
}
