"""What is to be decided, and what may be done: every candidate of the open window that its rule doesn't refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from google.protobuf.message import Message

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Choices, Decision, IntegerRange, Label, LegalCommand, Parameter, Refusal, Seat
from ludolog.rulebooks.beast_hunter.names import Elder, Equipment, Item, Material, Region, RollPurpose, Tower, Window
from ludolog.rulebooks.beast_hunter.rules import building, elders, forging, touching, wording
from ludolog.rulebooks.beast_hunter.rules.commands import COMMANDS
from ludolog.rulebooks.beast_hunter.rules.materials import common_materials
from ludolog.rulebooks.beast_hunter.state import BOXES, FAULT, LEVELS, Game, Roll, window
from ludolog.rulebooks.beast_hunter.tables import Tables

PLAYER = Seat(1)
ROWS = (pb.ROW_TOP, pb.ROW_BOTTOM)
CRAFTS = tuple(pb.CraftItem(item=pb.Item.ValueType(item)) for item in Item if not item.toolbelt)
BLOWS: tuple[Message, ...] = (pb.UseBalanceBlade(), pb.UseFirebox())


def decision_id(game: Game) -> str:
    """Names the open window; a new one after every event."""
    now = window(game)
    return f"{now.name.lower().replace('_', '-')}-{game.moment}" if now else ""


def awaiting(game: Game) -> tuple[Decision, ...]:
    """The player always decides; nobody else is there."""
    now = window(game)
    if now is None:
        return ()
    return (Decision(decision_id(game), PLAYER, wording.WINDOWS[now]),)


def legal_commands(tables: Tables, game: Game, seat: Seat) -> tuple[LegalCommand, ...]:
    """Everything that `decide` accepts now."""
    now = window(game)
    if now is None or seat != PLAYER:
        return ()
    decision = decision_id(game)
    return tuple(_entry(tables, game, command, decision) for command in allowed(tables, game, now))


def allowed(tables: Tables, game: Game, now: Window) -> Iterator[Message]:
    """Commands that aren't refused; those with parameters stand for all their values."""
    for command in _candidates(tables, game, now):
        try:
            COMMANDS[type(command)].check(tables, game, command)
        except Refusal:
            continue
        yield command
    if now is Window.TOWER_DAMAGE:
        yield pb.ChooseTowerDamage()


def _entry(tables: Tables, game: Game, command: Message, decision: str) -> LegalCommand:
    return LegalCommand(
        command=command,
        label=wording.label(tables, game, command),
        targets=touching.targets(tables, game, command),
        parameters=_parameters(tables, game, command),
        decision_id=decision,
    )


def _parameters(tables: Tables, game: Game, command: Message) -> tuple[Parameter, ...]:
    match command:
        case pb.FinishForge():
            rare = game.store(tables.equipment[forging.forging(game)].material)
            most = min(rare, forging.refined_value(game))
            domain = IntegerRange(0, most)
            return (Parameter("finish_forge.extra_rare", Label("beast.extra_rare", "rare materials more"), domain),)
        case pb.ChooseTowerDamage():
            return (_damaged_cells(game),)
        case _:
            return ()


def _damaged_cells(game: Game) -> Parameter:
    night = game.night
    if night is None or night.direction is None:
        raise ValueError("no tower is damaged")
    cells = game.tower(night.direction).cells
    choices = tuple(
        (str(n), Label("beast.square", f"square {n}", (("cell", str(n)),)))
        for n, value in enumerate(cells, 1)
        if value != FAULT
    )
    domain = Choices(choices, night.tower_damage, night.tower_damage)
    return Parameter("choose_tower_damage.cells", Label("beast.damaged_squares", "which squares"), domain)


def _candidates(tables: Tables, game: Game, now: Window) -> Iterator[Message]:
    yield from CANDIDATES[now](tables, game)
    if any(game.stores[Material.FOUL_BLOOD - 1 :]):
        yield from CRAFTS
    if game.uses_left(Item.HAWK_TOTEM):
        yield from (pb.PlaceHawkTotem(tower=pb.Tower.ValueType(tower)) for tower in Tower)
    if game.undo:
        yield pb.UndoPlacement()


def _payments(tables: Tables) -> list[pb.Material.ValueType]:
    return [pb.Material.ValueType(material) for material in common_materials(tables)]


def _day(tables: Tables, game: Game) -> Iterator[Message]:
    yield from (pb.ChooseSearchRegion(region=pb.Region.ValueType(region)) for region in Region)
    for tower in Tower:
        for material in _payments(tables):
            yield pb.StartBuild(tower=pb.Tower.ValueType(tower), pay_with=material)
    yield from (pb.StartForge(equipment=pb.Equipment.ValueType(equipment)) for equipment in Equipment)
    yield pb.Rest()


def _search(tables: Tables, game: Game) -> Iterator[Message]:
    yield from (pb.StartSearch(box=box) for box in range(1, tables.numbers["search_boxes"] + 1))
    yield pb.SpendSearchOnLair()
    yield from (pb.UseBloodLure(level=level) for level in range(1, LEVELS + 1))
    yield pb.UsePotentBait()
    yield from (pb.QuickTravel(region=pb.Region.ValueType(region)) for region in Region)
    yield pb.EndSearchDay()


def _roll(tables: Tables, game: Game) -> Iterator[Message]:
    roll = game.roll
    if roll is None:
        return
    for die in roll.unplaced:
        yield from _placements(tables, game, roll, die)
    yield pb.AcceptRoll()
    yield from (pb.AdjustDie(die=die, by=by) for die in range(1, len(roll.dice) + 1) for by in (-1, 1))
    yield pb.UseLuckCharm()
    yield from BLOWS


def _placements(tables: Tables, game: Game, roll: Roll, die: int) -> Iterator[Message]:
    match roll.purpose:
        case RollPurpose.SEARCH:
            yield from (pb.PlaceDie(die=die, row=row, column=column) for row in ROWS for column in (1, 2, 3))
        case RollPurpose.FORGE:
            boxes = range(1, BOXES + 1)
            yield from (pb.PlaceForgeDie(die=die, box=box, row=row) for box in boxes for row in ROWS)
        case RollPurpose.BUILD:
            yield from _tower_placements(tables, game, roll, die)
        case _:
            return


def _tower_placements(tables: Tables, game: Game, roll: Roll, die: int) -> Iterator[Message]:
    found = building.places(tables, game, roll.dice[die - 1])
    yield from (pb.PlaceTowerDie(die=die, cell=cell) for cell in found)
    if not found:
        empty = [n for n, value in enumerate(game.tower(building.building(game)).cells, 1) if not value]
        for material in _payments(tables):
            yield from (pb.PatchFault(die=die, pay_with=material, cell=cell) for cell in empty)


def _elders(tables: Tables, game: Game) -> Iterator[Message]:
    yield from (pb.ChooseElder(elder=pb.Elder.ValueType(elder)) for elder in Elder)
    for item in elders.used_items(tables, game):
        yield pb.ChooseElder(elder=pb.ELDER_NIKANDROS, item=pb.Item.ValueType(item))


def _fixed(*commands: Message) -> Callable[[Tables, Game], Iterable[Message]]:
    return lambda tables, game: commands  # noqa: ARG005 - the same in every game


CANDIDATES: dict[Window, Callable[[Tables, Game], Iterable[Message]]] = {
    Window.DAY: _day,
    Window.SEARCH: _search,
    Window.NEXT_ROLL: _fixed(pb.RollDice()),
    Window.PLACE_DICE: _roll,
    Window.AFTER_ROLL: _roll,
    Window.COMBAT: _fixed(pb.AttackRoll(), pb.EscapeRoll(), *BLOWS, pb.UseOpticDisruptor()),
    Window.DAMAGE: _fixed(pb.TakeDamage(), pb.UseCrabPlate(), *BLOWS),
    Window.FIND: _fixed(pb.ChooseFind(find=pb.FIND_RARE), pb.ChooseFind(find=pb.FIND_COMMON)),
    Window.FIGHT_OFFER: _fixed(pb.EnterTbCombat(), pb.DeclineTbCombat()),
    Window.REFINE: _fixed(pb.FinishForge()),
    Window.ELDER: _elders,
    Window.TOWER_DAMAGE: _fixed(),  # one entry with a parameter, see `allowed`
}
DEFAULTS: dict[Window, Message] = {
    Window.DAY: pb.Rest(),
    Window.SEARCH: pb.EndSearchDay(),
    Window.COMBAT: pb.EscapeRoll(),
    Window.FIND: pb.ChooseFind(find=pb.FIND_RARE),
    Window.FIGHT_OFFER: pb.DeclineTbCombat(),
}
"""What is done for an absent player, where it isn't the first legal command (RULINGS L3)."""


def default_command(tables: Tables, game: Game) -> Message:
    """The default of the open window. ValueError where nothing is to be decided."""
    now = window(game)
    if now is None:
        raise ValueError("nothing is to be decided")
    if now is Window.TOWER_DAMAGE:
        night = game.night
        domain = _damaged_cells(game).domain
        cells = [int(key) for key, _ in domain.choices] if isinstance(domain, Choices) else []
        return pb.ChooseTowerDamage(cells=cells[: night.tower_damage if night else 0])
    return DEFAULTS.get(now) or next(allowed(tables, game, now))
