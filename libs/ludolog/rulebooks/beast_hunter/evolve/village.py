"""Building, forging, the end of the day, attacks, doubt, elders, the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.evolve.sheet import in_tower, night_of, unchanged, with_die_placed, with_grid_erased
from ludolog.rulebooks.beast_hunter.names import EVENTS, EndReason, Grade, Region, Row, Tower
from ludolog.rulebooks.beast_hunter.state import BLANK_FIELD, BOXES, FAULT, Game, Night, Today, put

REGIONS: tuple[Region | None, ...] = (None, *Region)


def _build_started(game: Game, event: pb.BuildStarted) -> Game:
    return in_tower(game, event.tower, cells=(0,) * len(game.towers[event.tower - 1].cells), totem=False)


def _tower_die_placed(game: Game, event: pb.TowerDiePlaced) -> Game:
    cells = put(game.towers[event.tower - 1].cells, event.cell, event.value)
    return replace(in_tower(game, event.tower, cells=cells), roll=with_die_placed(game, event.die))


def _fault_patched(game: Game, event: pb.FaultPatched) -> Game:
    cells = put(game.towers[event.tower - 1].cells, event.cell, FAULT)
    return replace(in_tower(game, event.tower, cells=cells), roll=with_die_placed(game, event.die))


def _build_aborted(game: Game, event: pb.BuildAborted) -> Game:
    return replace(with_grid_erased(game, event.tower), roll=None)


def _tower_completed(game: Game, event: pb.TowerCompleted) -> Game:
    return replace(in_tower(game, event.tower, standing=True), today=replace(game.today, tower_completed=True))


def _forge_started(game: Game, event: pb.ForgeStarted) -> Game:
    return replace(game, field=BLANK_FIELD, settled=())


def _forge_die_placed(game: Game, event: pb.ForgeDiePlaced) -> Game:
    square = event.box + (BOXES if Row(event.row) is Row.BOTTOM else 0)
    return replace(game, field=put(game.field, square, event.value), roll=with_die_placed(game, event.die))


def _forge_box_settled(game: Game, event: pb.ForgeBoxSettled) -> Game:
    return replace(game, settled=tuple(sorted((*game.settled, event.box))))


def _forge_box_cleared(game: Game, event: pb.ForgeBoxCleared) -> Game:
    field = put(put(game.field, event.box, 0), event.box + BOXES, 0)
    return replace(game, field=field)


def _equipment_forged(game: Game, event: pb.EquipmentForged) -> Game:
    return replace(game, grades=put(game.grades, event.equipment, Grade(event.grade)))


def _totem_placed(game: Game, event: pb.TotemPlaced) -> Game:
    return in_tower(game, event.tower, totem=True)


def _day_crossed(game: Game, event: pb.DayCrossed) -> Game:
    return replace(game, days_crossed=event.day, field=BLANK_FIELD, settled=(), night=Night())


def _events_rolled(game: Game, event: pb.EventsRolled) -> Game:
    events = tuple(REGIONS[getattr(event, purpose.name.lower())] for purpose in EVENTS)
    return replace(game, events=events, night=replace(night_of(game), event_dice=()))


def _attacker_chosen(game: Game, event: pb.AttackerChosen) -> Game:
    return replace(game, night=replace(night_of(game), attacker=Region(event.region), rage=event.rage))


def _village_attacked(game: Game, event: pb.VillageAttacked) -> Game:
    return replace(game, night=replace(night_of(game), direction=Tower(event.direction)))


def _hut_destroyed(game: Game, event: pb.HutDestroyed) -> Game:
    return replace(game, huts_destroyed=event.huts_destroyed)


def _tower_damage_rolled(game: Game, event: pb.TowerDamageRolled) -> Game:
    return replace(game, night=replace(night_of(game), tower_damage=event.boxes))


def _tower_damaged(game: Game, event: pb.TowerDamaged) -> Game:
    cells = game.towers[event.tower - 1].cells
    for cell in event.cells:
        cells = put(cells, cell, FAULT)
    return replace(in_tower(game, event.tower, cells=cells), night=replace(night_of(game), tower_damage=0))


def _tower_destroyed(game: Game, event: pb.TowerDestroyed) -> Game:
    return with_grid_erased(game, event.tower)


def _doubt_gained(game: Game, event: pb.DoubtGained) -> Game:
    return replace(game, doubt=event.doubt)


def _day_began(game: Game, event: pb.DayBegan) -> Game:
    return replace(game, today=Today(), night=None)


def _approval_gained(game: Game, event: pb.ApprovalGained) -> Game:
    return replace(game, elder_due=True, towers_approved=game.towers_approved or event.towers)


def _elder_approved(game: Game, event: pb.ElderApproved) -> Game:
    return replace(game, elder_due=False, elders=put(game.elders, event.elder, item=True))


def _game_ended(game: Game, event: pb.GameEnded) -> Game:
    return replace(game, ending=EndReason(event.reason))


APPLY: dict[type[Message], Callable[[Game, Any], Game]] = {
    pb.TowerDiePlaced: _tower_die_placed,
    pb.ForgeDiePlaced: _forge_die_placed,
    pb.BuildStarted: _build_started,
    pb.FaultPatched: _fault_patched,
    pb.BuildAborted: _build_aborted,
    pb.TowerCompleted: _tower_completed,
    pb.ForgeStarted: _forge_started,
    pb.ForgeBoxSettled: _forge_box_settled,
    pb.ForgeBoxCleared: _forge_box_cleared,
    pb.EquipmentForged: _equipment_forged,
    pb.TotemPlaced: _totem_placed,
    pb.DayCrossed: _day_crossed,
    pb.EventsRolled: _events_rolled,
    pb.AttackerChosen: _attacker_chosen,
    pb.VillageAttacked: _village_attacked,
    pb.HutDestroyed: _hut_destroyed,
    pb.TowerDamageRolled: _tower_damage_rolled,
    pb.TowerDamaged: _tower_damaged,
    pb.TowerDestroyed: _tower_destroyed,
    pb.DoubtGained: _doubt_gained,
    pb.DayBegan: _day_began,
    pb.ApprovalGained: _approval_gained,
    pb.ElderApproved: _elder_approved,
    pb.GameEnded: _game_ended,
    pb.FaultMade: unchanged,
    pb.ForgeRefined: unchanged,
    pb.ForgeFailed: unchanged,
    pb.TowerWithstood: unchanged,
    pb.ScoreCounted: unchanged,
}
