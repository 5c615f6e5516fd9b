"""Terrible Beast Attacks. Digest V3 to V6, rulings A3, A5, A20 to A23, A40."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.beast_hunter.names import DoubtReason, Region, RollPurpose, Tower, Window
from ludolog.rulebooks.beast_hunter.rules.course import Course, require
from ludolog.rulebooks.beast_hunter.rules.doubt import end_day, gain_doubt
from ludolog.rulebooks.beast_hunter.rules.tracking import fill_circle
from ludolog.rulebooks.beast_hunter.state import FAULT, Game, Night, Roll
from ludolog.rulebooks.beast_hunter.tables import Tables

SECTION = "Terrible Beast Attacks"
HUT_DOUBT = 2
"""Doubt for each destroyed hut when one is destroyed."""


def attack(course: Course) -> None:
    """A "!" day: a die names the region (V3)."""
    course.roll(RollPurpose.ATTACK_REGION, 1)


def use_attack_region(course: Course, roll: Roll) -> None:
    """A region whose Terrible Beast is dead is rolled again."""
    region = course.tables.region_on(roll.dice[0])
    if course.game.region(region).defeated:
        attack(course)
    else:
        attack_from(course, region, rage=False)


def attack_from(course: Course, region: Region, *, rage: bool) -> None:
    """The Terrible Beast leaves its lair; a die names its direction (V2, V3)."""
    course.tell(pb.AttackerChosen(region=pb.Region.ValueType(region), rage=rage))
    course.roll(RollPurpose.ATTACK_DIRECTION, 1)


def _night(game: Game) -> tuple[Night, Region, Tower]:
    """The attack under way. ValueError where there is none."""
    if game.night is None or game.night.attacker is None or game.night.direction is None:
        raise ValueError("no attack is under way")
    return game.night, game.night.attacker, game.night.direction


def use_attack_direction(course: Course, roll: Roll) -> None:
    """A standing tower absorbs the attack (V5); where there is none, a hut is lost (V4)."""
    region = course.game.night.attacker if course.game.night else None
    if region is None:
        raise ValueError("no attack is under way")
    tower = course.tables.regions[region].approach[roll.dice[0] - 1]
    direction = pb.Tower.ValueType(tower)
    course.tell(pb.VillageAttacked(region=pb.Region.ValueType(region), direction=direction))
    sheet = course.game.tower(tower)
    if sheet.standing and not sheet.totem:
        course.roll(RollPurpose.TOWER_DAMAGE, 1)
        return
    if sheet.standing:
        course.tell(pb.TowerWithstood(tower=direction, totem=True))
    elif not _lose_hut(course):
        return
    _after_attack(course)


def _lose_hut(course: Course) -> bool:
    """Cross out a hut, gain doubt for every hut that is; at once (ruling A21). False if that ends the game."""
    huts = course.game.huts_destroyed + 1
    course.tell(pb.HutDestroyed(huts_destroyed=huts))
    return gain_doubt(course, DoubtReason.HUT, HUT_DOUBT * huts)


def use_tower_damage(course: Course, roll: Roll) -> None:
    """Die plus Xs on the damage chart; the player chooses the boxes (V5, ruling A22)."""
    _, _, tower = _night(course.game)
    direction = pb.Tower.ValueType(tower)
    boxes = course.tables.boxes_damaged(roll.dice[0] + course.game.tower(tower).faults)
    if boxes > 0:
        course.tell(pb.TowerDamageRolled(tower=direction, boxes=boxes))
        return
    if boxes < 0:
        course.tell(pb.TowerDestroyed(tower=direction))
    else:
        course.tell(pb.TowerWithstood(tower=direction))
    _after_attack(course)


def check_choose_tower_damage(tables: Tables, game: Game, command: pb.ChooseTowerDamage) -> None:
    """As many boxes as are damaged, each without an X (ruling A22)."""
    require(game, SECTION, Window.TOWER_DAMAGE)
    night, _, tower = _night(game)
    cells = game.tower(tower).cells
    if len(command.cells) != night.tower_damage or len(set(command.cells)) != len(command.cells):
        raise Refusal("WRONG_NUMBER", SECTION, boxes=night.tower_damage)
    for cell in command.cells:
        if not 1 <= cell <= len(cells):
            raise Refusal("NO_SUCH_SQUARE", SECTION, cell=cell)
        if cells[cell - 1] == FAULT:
            raise Refusal("SQUARE_FAULTY", SECTION, cell=cell)


def choose_tower_damage(course: Course, command: pb.ChooseTowerDamage) -> None:
    """Write the Xs."""
    _, _, tower = _night(course.game)
    course.tell(pb.TowerDamaged(tower=pb.Tower.ValueType(tower), cells=sorted(command.cells)))
    _after_attack(course)


def _after_attack(course: Course) -> None:
    """V6: new clues to its lair, then the day's end."""
    _, region, _ = _night(course.game)
    fill_circle(course, region)
    end_day(course)
