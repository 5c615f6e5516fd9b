"""What happened, in one line for each public event, for the terminal. What only keeps the books has an empty one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import (
    EVENTS,
    Elder,
    Equipment,
    Grade,
    Item,
    Material,
    Nature,
    Region,
    RollPurpose,
    Tower,
)
from ludolog.rulebooks.beast_hunter.tables import Tables

SYMBOLS = {
    pb.DAY_SYMBOL_EVENT: ", an event day",
    pb.DAY_SYMBOL_ATTACK: ": a Terrible Beast attacks",
    pb.DAY_SYMBOL_SKULL: ", the last one",
}
ENDINGS = {
    pb.END_REASON_DEATH: "{hunter} is dead",
    pb.END_REASON_TRUST_LOST: "The villagers' trust is lost",
    pb.END_REASON_TIME_UP: "Time is up",
    pb.END_REASON_VICTORY: "All three Terrible Beasts are dead: victory",
    pb.END_REASON_RESIGNED: "{hunter} gave up",
}


def tell(tables: Tables, event: Message, names: Mapping[int, str], view: Message | None = None) -> str:
    """Tell a public event in one line of plain text. KeyError for a message that isn't one of the rulebook's events."""
    if named := NAMED.get(type(event)):
        return named(event, names.get(1, "The hunter"))
    line = LINES[type(event)]
    return line if isinstance(line, str) else line(tables, event)


Line: TypeAlias = str | Callable[[Tables, Any], str]


def _low(name: Grade | Material | Nature | RollPurpose) -> str:
    return name.name.lower().replace("_", " ")


def _faces(values: Any) -> str:
    return " ".join(map(str, values))


def _region(tables: Tables, region: int) -> str:
    return tables.regions[Region(region)].title


def _tower(tables: Tables, tower: int) -> str:
    return f"the {_named(tables, tower)}"


def _named(tables: Tables, tower: int) -> str:
    return tables.grids[Tower(tower)].title


def _item(tables: Tables, item: int) -> str:
    return tables.items[Item(item)].title


def _equipment(tables: Tables, equipment: int) -> str:
    return tables.equipment[Equipment(equipment)].title


def _beast(tables: Tables, e: Any) -> str:
    return tables.beasts[Region(e.region), getattr(e, "level", 0)].title


def _day_action(tables: Tables, e: pb.DayActionChosen) -> str:
    match e.action:
        case pb.ACTION_SEARCH:
            return f"The day goes to a search in {_region(tables, e.region)}"
        case pb.ACTION_BUILD:
            return f"The day goes to {_tower(tables, e.tower)}"
        case pb.ACTION_FORGE:
            return f"The day goes to the workbench: {_equipment(tables, e.equipment)}"
        case _:
            return "A day of rest"


def _events(tables: Tables, e: pb.EventsRolled) -> str:
    return ", ".join(
        f"{_low(event).capitalize()}: {_region(tables, getattr(e, event.name.lower()))}" for event in EVENTS
    )


NAMED: Mapping[type[Message], Callable[[Any, str], str]] = {
    pb.GameStarted: lambda _, hunter: f"{hunter} takes a blank adventure sheet",
    pb.GameEnded: lambda e, hunter: ENDINGS[e.reason].format(hunter=hunter),
}
"""Lines that name the player."""
LINES: Mapping[type[Message], Line] = {
    pb.DayActionChosen: _day_action,
    pb.SearchStarted: lambda t, e: f"A search in {_region(t, e.region)}, box {e.box}",
    pb.SearchSpentOnLair: lambda t, e: f"To the lair in {_region(t, e.region)}",
    pb.QuickTravelled: lambda t, e: f"Quick search: on to {_region(t, e.region)}",
    pb.SearchDayEnded: "The search is over for today",
    pb.DiceRolled: lambda _, e: f"Dice for {_low(RollPurpose(e.purpose))}: {_faces(e.values)}",
    pb.DieAdjusted: lambda _, e: f"Determination makes die {e.die} a {e.value}",
    pb.DiceRerolled: lambda _, e: f"The Luck Charm rolls {_faces(e.values)}",
    pb.RollAccepted: "",
    pb.DiePlaced: lambda _, e: f"{e.value} goes to the {'top' if e.row == pb.ROW_TOP else 'bottom'}",
    pb.PlacementUndone: "A placement is taken back",
    pb.SearchResolved: lambda _, e: f"{e.top} - {e.bottom} = {e.result}",
    pb.MaterialGained: lambda _, e: f"+{e.amount} {_low(Material(e.material))}",
    pb.MaterialDiscarded: lambda _, e: f"{e.amount} {_low(Material(e.material))} finds no room",
    pb.MaterialSpent: lambda _, e: f"-{e.amount} {_low(Material(e.material))}",
    pb.FindOffered: "",
    pb.FindChosen: "",
    pb.CircleTracked: lambda t, e: f"Tracking circle {e.circles} in {_region(t, e.region)}",
    pb.LairFound: lambda t, e: f"The lair in {_region(t, e.region)} is found",
    pb.DeterminationGained: lambda _, e: f"+{e.amount} determination" + (f", {e.lost} lost" if e.lost else ""),
    pb.DeterminationSpent: lambda _, e: f"-{e.amount} determination",
    pb.FightOffered: lambda t, e: f"{_beast(t, e)} is near" + (", and unaware" if e.ambush else ""),
    pb.FightAnswered: lambda _, e: "" if e.accepted else "Not now",
    pb.EncounterLevelSet: lambda _, e: f"A beast of level {e.level}",
    pb.CombatStarted: lambda t, e: f"Combat: {_beast(t, e)}, {e.hit_points} hit points",
    pb.NatureRevealed: lambda t, e: f"{_beast(t, e)} is {_low(Nature(e.nature))}",
    pb.DamageDealt: lambda _, e: f"The beast takes {e.amount}, {e.hit_points} left",
    pb.CriticalScored: "A critical hit",
    pb.BeastAttacked: lambda _, e: f"It hits with {e.hits}: {e.damage} damage",
    pb.DamagePrevented: lambda _, e: f"The Crab Plate ignores {e.amount}",
    pb.DamageTaken: lambda _, e: f"You take {e.amount}, {e.hit_points} hit points left",
    pb.GrievousTaken: lambda _, e: f"Grievous: the bar has {e.max_hit_points} squares left",
    pb.HitPointsRecovered: lambda _, e: f"You recover {e.amount}: {e.hit_points} hit points",
    pb.EscapeSucceeded: "You get away",
    pb.EscapeFailed: "You don't get away",
    pb.BeastKilled: lambda t, e: f"{_beast(t, e)}: dead",
    pb.TerribleBeastKilled: lambda t, e: f"{_beast(t, e)} is dead",
    pb.ItemCrafted: lambda t, e: f"Crafted: {_item(t, e.item)}",
    pb.ItemUsed: lambda t, e: f"Used: {_item(t, e.item)}",
    pb.ItemDestroyed: lambda t, e: f"{_item(t, e.item)} breaks",
    pb.ItemRecharged: lambda t, e: f"{_item(t, e.item)} gets a use back",
    pb.BuildStarted: "",
    pb.TowerDiePlaced: lambda _, e: f"{e.value} goes to square {e.cell}",
    pb.FaultMade: lambda _, e: f"{e.value} has no place: a fault",
    pb.FaultPatched: lambda _, e: f"An X in square {e.cell}",
    pb.BuildAborted: lambda t, e: f"{_named(t, e.tower)} is unsound: its grid is erased",
    pb.TowerCompleted: lambda t, e: f"{_named(t, e.tower)} stands, with {e.faults or 'no'} X",
    pb.ForgeStarted: "",
    pb.ForgeDiePlaced: lambda _, e: (
        f"{e.value} goes to the {'top' if e.row == pb.ROW_TOP else 'bottom'} of box {e.box}"
    ),
    pb.ForgeBoxSettled: lambda _, e: f"Box {e.box} is worth {e.result}",
    pb.ForgeBoxCleared: lambda _, e: f"Box {e.box} is worth {e.result}: it is erased",
    pb.ForgeRefined: lambda _, e: f"Refined value {e.value}",
    pb.EquipmentForged: lambda t, e: f"Forged: {_equipment(t, e.equipment)}, {_low(Grade(e.grade))}",
    pb.ForgeFailed: lambda t, e: f"{_equipment(t, e.equipment)} fails",
    pb.TotemPlaced: lambda t, e: f"A Hawk Totem stands on {_tower(t, e.tower)}",
    pb.DayCrossed: lambda _, e: f"Day {e.day} is crossed out{SYMBOLS.get(e.symbol, '')}",
    pb.EventsRolled: _events,
    pb.AttackerChosen: lambda t, e: f"{_beast(t, e)} {'is overcome with rage' if e.rage else 'leaves its lair'}",
    pb.VillageAttacked: lambda t, e: f"It comes from where {_tower(t, e.direction)} is to stand",
    pb.HutDestroyed: lambda _, e: f"A hut is destroyed: {e.huts_destroyed} so far",
    pb.TowerWithstood: lambda t, e: f"{_named(t, e.tower)} withstands the attack",
    pb.TowerDamageRolled: lambda t, e: f"{_named(t, e.tower)} is hit: {e.boxes} squares",
    pb.TowerDamaged: "",
    pb.TowerDestroyed: lambda t, e: f"{_named(t, e.tower)} is destroyed",
    pb.DoubtGained: lambda _, e: f"Doubt grows by {e.amount} to {e.doubt}" if e.amount else "No doubt today",
    pb.DayBegan: lambda _, e: f"Day {e.day} begins",
    pb.ApprovalGained: "An elder changes their mind",
    pb.ElderApproved: lambda t, e: f"{t.elders[Elder(e.elder)][0]} approves",
    pb.ScoreCounted: lambda _, e: f"Score: {e.total}",
}
