"""The house player's plans: what a day is worth that is spent in each way, and what a search can bring."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.bot_search import Worths
from ludolog.rulebooks.beast_hunter.bot_worth import CIRCLE, DETERMINATION, DIRECTIONS, LAIR, Look
from ludolog.rulebooks.beast_hunter.names import Equipment, Grade

TOWER = 15.0
SOUND = (0.0, 0.3, 0.62, 0.85, 0.95)
"""How often a tower is completed with so many common materials to begin with; more: always."""
FORGED, FORGING_WOUNDS = 0.8, 1.0
"""How often a piece succeeds, and hit points that it takes."""
RESULTS = (0.42, 0.22, 0.03)
"""About how often dice that are placed well find tracks, a lair, an ambush; the rest are beasts."""
FORGING_HEALTH = 3
"""Hit points without which nothing is forged."""
LEAST_FIGHT = 3.0
"""A fight that is worth less isn't sought."""


def worths(look: Look, region: pb.View.RegionView) -> Worths:
    """What each result of a search there is worth."""
    levels = [look.gain(region, level) for level in range(1, 5)]
    chance = [look.tables.level_die.count(level) / 6 for level in range(1, 5)]
    random = sum(worth * part for worth, part in zip(levels, chance, strict=True))
    rod = look.grade(Equipment.DOWSING_ROD)
    more = bool(region.abundance)
    common, rare = look.common(region.common), look.rare(region.rare)
    master = rare if rod == Grade.MASTERCRAFT else 0.0
    track = (rare if rod else common) * (1 + more) + master
    pick = max(rare * (1 + more), rare if rod else common * (2 + more)) + master
    lair = offer = ambush = 0.0
    if not region.defeated:
        later = look.later(region)
        offer, ambush = (max(look.gain(region, 0, ambush=bonus) - later, 0.0) for bonus in (False, True))
        if not region.lair_found:
            lair = LAIR + DETERMINATION
            track += lair + offer if region.tracked == region.circles - 1 else CIRCLE * (region.tracked + 1)
    return Worths([random, *levels], track, lair + pick + offer, lair + ambush)


def search_day(look: Look, region: pb.View.RegionView, searches: int) -> float:
    """About what so many searches there bring."""
    found = worths(look, region).key
    *encounters, track, lair, ambush = found
    mixed = sum(sorted(encounters)[1:]) / 4
    tracks, lairs, ambushes = RESULTS
    one = tracks * track + lairs * lair + ambushes * ambush + (1 - sum(RESULTS)) * mixed
    boxes = sum(not box.filled for box in region.boxes)
    worth, meeting = one * min(searches, boxes), 0.0
    if region.lair_found and not region.defeated:
        meeting = look.gain(region, 0) - look.later(region)
        if meeting > LEAST_FIGHT:
            worth = meeting + one * min(searches - 1, boxes) * 0.6
    return worth


def tower(look: Look, number: int) -> float:
    """A tower: its points, what it keeps away, no doubt tonight."""
    sound = SOUND[look.commons] if look.commons < len(SOUND) else 1.0
    kept = look.attacks * DIRECTIONS[number - 1] * look.hut() * 0.8
    flawless = DETERMINATION if look.commons else 0.0
    return sound * (TOWER + kept + flawless * 0.4 + look.doubt * (1 + look.huts_lost))


def forge(look: Look, equipment: Equipment) -> float:
    """A piece of equipment, less what the bench costs."""
    if look.hit_points < FORGING_HEALTH:
        return 0.0
    spare = look.store(look.view.equipment[equipment - 1].material) - 1
    likely = min(1.0, FORGED + 0.1 * spare)
    hurt = look.health[look.hit_points] - look.health[look.hit_points - int(FORGING_WOUNDS)]
    return likely * look.equipment(equipment) + 3.0 * min(spare, 1) - hurt


def rest(look: Look) -> float:
    """Hit points, for less doubt than other days."""
    then = min(look.hit_points + look.tables.numbers["rest"], look.view.max_hit_points)
    return look.health[then] - look.health[look.hit_points] + look.doubt * look.huts_lost


def days(look: Look, moves: list[Message]) -> Iterator[tuple[float, Message]]:
    """Each way to spend the day, with its worth."""
    for move in moves:
        match move:
            case pb.Rest():
                yield rest(look), move
            case pb.ChooseSearchRegion():
                region = look.view.regions[move.region - 1]
                yield search_day(look, region, _searches(look, region)), move
            case pb.StartForge():
                yield forge(look, Equipment(move.equipment)), move
            case pb.StartBuild():
                yield tower(look, move.tower) + look.store(move.pay_with) * 0.01, move
            case _:
                continue


def _searches(look: Look, region: pb.View.RegionView) -> int:
    coat = any(item.item == pb.ITEM_HEAVY_COAT and item.uses_left for item in look.view.items)
    return look.tables.numbers["foul_weather_searches" if region.foul_weather and not coat else "searches"]
