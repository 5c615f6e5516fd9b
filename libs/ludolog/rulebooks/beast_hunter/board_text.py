"""The adventure sheets for a plain terminal: 100 columns, ANSI colours. What can be done is listed below them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb

MINIMUM_WIDTH = 100
RESET = "\x1b[0m"
BOLD, DIM, GREEN, RED, YELLOW, REVERSE = "\x1b[1m", "\x1b[2m", "\x1b[1;32m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[7m"
SYMBOLS = {pb.DAY_SYMBOL_EVENT: "E", pb.DAY_SYMBOL_ATTACK: "!", pb.DAY_SYMBOL_SKULL: "☠"}
EVENTS = ("abundance", "sudden_clarity", "foul_weather", "madness")
DIRECTIONS = {pb.TOWER_EASTERN: "E", pb.TOWER_SOUTHERN: "S", pb.TOWER_SOUTH_WESTERN: "SW"}
GRADES = {pb.GRADE_STANDARD: "standard", pb.GRADE_MASTERCRAFT: "mastercraft"}
NATURES = {pb.NATURE_COWED: "cowed", pb.NATURE_CRUEL: "cruel", pb.NATURE_CUNNING: "cunning"}
ENDINGS = {
    pb.END_REASON_DEATH: "the hunter is dead",
    pb.END_REASON_TRUST_LOST: "the villagers' trust is lost",
    pb.END_REASON_TIME_UP: "time is up",
    pb.END_REASON_VICTORY: "victory, all three Terrible Beasts are dead",
    pb.END_REASON_RESIGNED: "the hunter gave up",
}
SIX = 6
"""The highest face: your range ends there."""
BOX = 13
"""Columns of a search box."""
BOX_GAP = "  "


def draw(view: pb.View, width: int) -> str:
    """Draw a view in `width` columns (at least 100): meters, regions, village, stores, then dice, combat and bench."""
    width = max(width, MINIMUM_WIDTH)
    lines = [*_head(view)]
    for region in view.regions:
        lines += ["", *_region(view, region)]
    lines += ["", *_towers(view), "", *_inventory(view, width)]
    for part in (_combat(view, width), _bench(view), _dice(view), _end(view, width)):
        lines += part
    return "\n".join(lines)


def _bar(full: int, of: int, full_sign: str = "■", empty_sign: str = "□") -> str:
    return full_sign * full + empty_sign * (of - full)


def _head(view: pb.View) -> Iterator[str]:
    days = "".join(
        f"{DIM}x{RESET}" if day <= view.days_crossed else SYMBOLS.get(symbol, "·")
        for day, symbol in enumerate(view.days, 1)
    )
    today = (
        f"the game is over: {ENDINGS[view.ending]}"
        if view.ending
        else f"day {view.days_crossed + 1} of {len(view.days)}"
    )
    yield f"{BOLD}Beast Hunter · {today}{RESET}   {days}   score now {view.total}"
    black = "#" * (view.hit_point_squares - view.max_hit_points)
    yield (
        f"{RED}HP {view.hit_points}/{view.max_hit_points} {_bar(view.hit_points, view.max_hit_points)}{black}{RESET}   "
        f"{YELLOW}DP {view.determination} {_bar(view.determination, view.determination_spaces)}{RESET}   "
        f"doubt {view.doubt}/{view.doubt_spaces} {_bar(view.doubt, view.doubt_spaces)}   "
        f"huts {view.huts}/{view.huts_total}"
    )


def _region(view: pb.View, region: pb.View.RegionView) -> Iterator[str]:
    here = f" {REVERSE} here, {view.searches_left} left {RESET}" if region.region == view.region else ""
    events = " ".join(event.replace("_", " ") for event in EVENTS if getattr(region, event))
    lair = "lair found" if region.lair_found else "no lair yet"
    yield (
        f"{BOLD}{region.title}{RESET}{here}  {_name(view, region.common)}, {_name(view, region.rare)}  "
        f"circles {_bar(region.tracked, region.circles, '●', '○')}  {lair}  {YELLOW}{events}{RESET}"
    )
    for row in ("top", "bottom"):
        yield "  " + BOX_GAP.join(_box_row(box, row) for box in region.boxes)
    yield "  " + BOX_GAP.join(_box_result(box) for box in region.boxes).rstrip()
    for beasts in (region.beasts[:2], region.beasts[2:4], region.beasts[4:]):
        yield "  " + "".join(f"{_beast(region, beast):<44}" for beast in beasts).rstrip()


def _name(view: pb.View, material: int) -> str:
    return view.stores[material - 1].title


def _box_row(box: pb.View.Box, row: str) -> str:
    squares: Sequence[int] = getattr(box, row)
    text = "".join(str(value or "_") for value in squares)
    label = f"{box.box}:" if row == "top" else "  "
    return f"{REVERSE if box.active else ''}{label}{text}{RESET if box.active else ''}{' ' * (BOX - 5)}"


def _box_result(box: pb.View.Box) -> str:
    if not box.HasField("result"):
        return " " * BOX
    return f"={box.result} {box.meaning.replace('encounter', 'beast')}".ljust(BOX)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _beast(region: pb.View.RegionView, beast: pb.View.Beast) -> str:
    name = f"{beast.level} {beast.title}" if beast.level else f"TB {beast.title}"
    if not beast.level and region.defeated:
        return f"{name}: dead"
    nature = f" {NATURES[region.nature]}" if not beast.level and region.nature else ""
    ranges = f"bites {_range(1, beast.attacks_to)} you {_range(beast.hit_from, SIX)}"
    return f"{name}{nature} HP {beast.hit_points_left} {ranges}"


def _towers(view: pb.View) -> Iterator[str]:
    yield f"{BOLD}Towers{RESET}  " + "   ".join(_tower_line(tower) for tower in view.towers)
    shown = [tower for tower in view.towers if tower.active or _attacked(view, tower)]
    for tower in shown:
        yield f"  {tower.title}: numbers, and {DIM}the squares' numbers{RESET}"
        yield from (f"  {line}" for line in _grid(tower))


def _tower_line(tower: pb.View.TowerView) -> str:
    state = "stands" if tower.standing else "building" if tower.active else "no"
    faults = f" X{tower.faults}" if tower.faults else ""
    return f"{DIRECTIONS[tower.tower]}: {state}{faults}{' totem' if tower.totem else ''}"


def _attacked(view: pb.View, tower: pb.View.TowerView) -> bool:
    return view.window == pb.WINDOW_TOWER_DAMAGE and view.sheet.night.direction == tower.tower


def _grid(tower: pb.View.TowerView) -> Iterator[str]:
    cells = {(cell.row, cell.column): cell for cell in tower.cells}
    for row in range(1, tower.rows + 1):
        line = [cells.get((row, column)) for column in range(1, tower.columns + 1)]
        values = "".join("   " if cell is None else f" {'X' if cell.fault else cell.value or '_'} " for cell in line)
        numbers = "".join("   " if cell is None else f"{cell.cell:>3}" for cell in line)
        yield f"{values}   {DIM}{numbers}{RESET}"


def _inventory(view: pb.View, width: int) -> Iterator[str]:
    stored = ", ".join(f"{one.title} {one.count}" for one in view.stores if one.count) or "nothing"
    yield from _wrapped("Stores", stored, width)
    if view.reconstructed:
        circles = view.stores[0].circles
        yield f"{DIM}        {circles} circles of each: a reconstruction, the printed sheet's number wasn't seen{RESET}"
    ready = ", ".join(one.title + (f" x{one.uses_left}" if one.uses > 1 else "") for one in view.items if one.uses_left)
    yield from _wrapped("Ready", ready or "nothing", width)
    forged = ", ".join(f"{one.title} ({GRADES[one.grade]})" for one in view.equipment if one.grade)
    elders = ", ".join(one.title for one in view.elders if one.approved)
    yield from _wrapped("Equipment", forged or "none", width)
    if elders:
        yield from _wrapped("Elders", elders, width)


def _wrapped(title: str, text: str, width: int) -> Iterator[str]:
    lines = textwrap.wrap(text, width - len(title) - 2)
    yield f"{BOLD}{title}{RESET}  {lines[0]}"
    yield from (f"{' ' * len(title)}  {line}" for line in lines[1:])


def _combat(view: pb.View, width: int) -> Iterator[str]:
    if not view.HasField("combat"):
        return
    fight = view.combat
    nature = f", {NATURES[fight.nature]}" if fight.nature else ""
    yield ""
    yield (
        f"{RED}Combat{RESET}  {fight.title}{nature}: HP {fight.hit_points_left}/{fight.hit_points}, bites on "
        f"{_range(1, fight.attacks_to)}, you hit on {_range(fight.hit_from, SIX)}"
    )
    notes = [
        "ambush" if fight.ambush else "",
        f"its damage is ignored for {fight.damage_ignored_rolls} rolls" if fight.damage_ignored_rolls else "",
        f"you deal nothing for {fight.no_damage_rolls} rolls" if fight.no_damage_rolls else "",
        f"{fight.threat} damage is coming" if fight.threat else "",
        f"last roll {' '.join(map(str, fight.dice))}" if fight.dice else "",
        *(f"{one.title} {one.ways}/{one.of}" for one in view.odds),
    ]
    yield from (f"  {line}" for line in textwrap.wrap(", ".join(filter(None, notes)), width - 2))


def _bench(view: pb.View) -> Iterator[str]:
    bench = view.workbench
    if not bench.equipment:
        return
    refined = f"   refined value {bench.refined_value}" if bench.HasField("refined_value") else ""
    yield ""
    yield f"{BOLD}Workbench{RESET}  {view.equipment[bench.equipment - 1].title}{refined}"
    for row in ("top", "bottom"):
        yield "  " + "     ".join(f"{getattr(box, row) or '_'}" for box in bench.boxes)
    yield "  " + "     ".join(f"={box.result}"[:3] if box.HasField("result") else " " for box in bench.boxes)


def _dice(view: pb.View) -> Iterator[str]:
    if not view.roll.dice:
        return
    purpose = pb.RollPurpose.Name(view.roll.purpose).removeprefix("ROLL_PURPOSE_").lower().replace("_", " ")
    faces = " ".join(
        f"{DIM}({die.value}){RESET}" if die.placed else f"{REVERSE} {die.value} {RESET}" for die in view.roll.dice
    )
    yield ""
    yield f"{BOLD}Dice{RESET}  {faces}  for: {purpose}"


def _end(view: pb.View, width: int) -> Iterator[str]:
    if not view.ending:
        return
    yield ""
    yield f"{GREEN}Score sheet{RESET}"
    for line in view.score:
        yield f"  {line.title:<28}{line.count:>4} x {line.each:<3} = {line.points:>4}"
    yield f"  {BOLD}{'Total':<28}{view.total:>17}{RESET}"
    yield from textwrap.wrap(view.epilogue, width)
