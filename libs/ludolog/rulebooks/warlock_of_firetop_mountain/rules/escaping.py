"""10. Escaping: the Escape Table, spoils, flight. Rulings A10, A11, A13, A14, A28, A44, A47, A48."""

from __future__ import annotations

from collections.abc import Callable

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import death
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.battles import current
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import (
    change_gold,
    change_luck,
    change_provisions,
    change_skill,
    change_stamina,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.movement import barred
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, only, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    Fight,
    Game,
    WindowKind,
    is_box,
    is_entrance,
    is_room,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Penalty, Tables

SHEET: dict[str, Callable[[Play, int, int], None]] = {
    "skill": change_skill,
    "stamina": change_stamina,
    "luck": change_luck,
    "gold": change_gold,
    "provisions": change_provisions,
}
"""How what an Escape costs is taken off the sheet."""
FLIGHT = 4
"""Spaces to flee from an adventurer (10.4)."""


def escape(play: Play, seat: int, command: pb.Escape) -> Next:
    """10.1, 10.2: always succeeds. Draws "escape", maybe "random card". Refuses: TOO_EARLY, CAGED, NOT_NOW."""
    require_window(play.game, seat, "10.1", WindowKind.FIGHT)
    fight = current(play)
    if not fight.rounds:
        raise Refusal("TOO_EARLY", "10.1")
    if play.game.adventurer(seat).caged:
        raise Refusal("CAGED", "10.4", ruling="W8")
    die = play.chance.d6("escape")
    penalty = play.tables.escape[die - 1]
    play.happen(pb.EscapeRolled(seat=seat, die=die, penalty=penalty.name))
    pay(play, seat, penalty, fight.place)
    alive = bool(play.game.adventurer(seat).stamina)
    if fight.opponent:
        other = fight.other(seat)
        return spoils(play, seat, other) if alive else death.killed_by_adventurer(play, seat, other)
    return from_creature(play, fight) if alive else death.killed_by_creature(play, seat)


def pay(play: Play, seat: int, penalty: Penalty, place: str) -> None:
    """The Escape Table. Draws "random card" for a card, which is left at `place`."""
    adventurer, rucksack = play.game.adventurer(seat), play.game.player(seat).rucksack
    has = {
        "gold": adventurer.gold,
        "provisions": adventurer.provisions,
        "lantern": adventurer.lanterns,
        "card": len(rucksack),
    }
    if not has.get(penalty.kind, 1):
        if penalty.otherwise:
            pay(play, seat, penalty.otherwise, place)
    elif penalty.kind in SHEET:
        SHEET[penalty.kind](play, seat, -min(penalty.amount, has.get(penalty.kind, penalty.amount)))
    elif penalty.kind == "lantern":
        play.happen(pb.LanternLost(seat=seat))
    elif penalty.kind == "card":
        card = play.chance.choose("random card", [held.card for held in rucksack])
        play.happen(pb.TreasureLeft(seat=seat, place=place, item=play.game.last_item + 1, card=card))


def from_creature(play: Play, fight: Fight) -> Next:
    """10.3: outside the door that was entered by; from the crocodile: to the south bank (A11)."""
    seat = fight.seat
    if is_room(fight.place):
        door = play.game.adventurer(seat).entered_by or play.board.rooms[fight.place].doors[0]
        death.hide_creature(play)
        play.happen(pb.BattleEnded(seat=seat))
        play.happen(pb.Escaped(seat=seat, to=door))
    else:
        play.happen(pb.BattleEnded(seat=seat))
        play.happen(pb.SentToSouthBank(seat=seat, place=play.board.south_bank))
    return Next.END


def spoils(play: Play, loser: int, victor: int) -> Next:
    """10.5: the victor chooses, if there is anything to take; then the flight (A48)."""
    if play.game.player(loser).rucksack or play.game.adventurer(loser).lanterns:
        return play.open(WindowKind.SPOILS, victor)
    return Next.FLIGHT


def spoils_choices(tables: Tables, game: Game, victor: int) -> list[pb.TakeSpoils]:
    """What the victor may choose; depends on what is public and on what the victor knows."""
    fight = game.fight
    if fight is None:
        return []
    loser = game.player(fight.escaped)
    cards = [pb.TakeSpoils(choice=pb.SPOILS_NOTHING)]
    if loser.rucksack:
        cards += [pb.TakeSpoils(choice=pb.SPOILS_KEYS), pb.TakeSpoils(choice=pb.SPOILS_RANDOM)]
    known = [held.card for held in loser.rucksack if held.knows(victor)]
    cards += [pb.TakeSpoils(choice=pb.SPOILS_NAMED, card=card) for card in known]
    lantern = loser.adventurer is not None and loser.adventurer.lanterns > 0
    both = [pb.TakeSpoils(choice=choice.choice, card=choice.card, lantern=True) for choice in cards] if lantern else []
    return [*cards, *both]


def take_spoils(play: Play, seat: int, command: pb.TakeSpoils) -> Next:
    """10.5. Draws "random card" for one at random. Refuses: NOT_KNOWN, NO_LANTERN, NO_SUCH_TREASURE, NOT_NOW."""
    require_window(play.game, seat, "10.5", WindowKind.SPOILS)
    fight = current(play)
    loser, rucksack = fight.escaped, play.game.player(fight.escaped).rucksack
    if command.choice != pb.SPOILS_NAMED:
        only(command, "choice", "lantern")
    held = play.game.held(loser, command.card)
    if command.choice == pb.SPOILS_NAMED and (held is None or not held.knows(seat)):
        raise Refusal("NOT_KNOWN", "10.5", ruling="A14")
    if command.choice in {pb.SPOILS_KEYS, pb.SPOILS_RANDOM} and not rucksack:
        raise Refusal("NO_SUCH_TREASURE", "10.5")
    if command.lantern and not play.game.adventurer(loser).lanterns:
        raise Refusal("NO_LANTERN", "10.5")
    play.happen(pb.SpoilsTaken(seat=seat, loser=loser, choice=command.choice))
    cards = []
    if command.choice == pb.SPOILS_KEYS:
        cards = [held.card for held in rucksack if play.tables.treasures[held.card].is_key]
    elif command.choice == pb.SPOILS_NAMED:
        cards = [command.card]
    elif command.choice == pb.SPOILS_RANDOM:
        cards = [play.chance.choose("random card", [held.card for held in rucksack])]
    if cards:
        play.happen(pb.TreasureStolen(seat=loser, by=seat, cards=cards))
    if command.lantern:
        play.happen(pb.LanternTaken(seat=seat, loser=loser, count=1))
    return Next.FLIGHT


def flights(tables: Tables, board: Board, game: Game, seat: int) -> dict[str, tuple[str, ...]]:
    """Where a flight may end, with a way there: four spaces, none twice; fewer only where no more are possible (A13).

    A room with an encounter halts at once; rooms barred by 7.8, boxes, Secret Passages and the river are closed (A47).
    """
    ends: dict[int, dict[str, tuple[str, ...]]] = {length: {} for length in range(FLIGHT + 1)}
    halted: dict[str, tuple[str, ...]] = {}

    def go(place: str, way: tuple[str, ...]) -> None:
        if way and is_room(place) and game.room(place).encounter:
            halted.setdefault(place, way)
            return
        ends[len(way)].setdefault(place, way)
        if len(way) == FLIGHT:
            return
        for near in board.ways(place):
            open_ = not is_entrance(near) and not is_box(near) and not barred(tables, game, seat, near)
            if open_ and near != start and near not in way:
                go(near, (*way, near))

    start = game.adventurer(seat).place
    go(start, ())
    furthest = max(length for length, found in ends.items() if found)
    full = ends[furthest] if furthest and (furthest == FLIGHT or not halted) else {}
    return {**full, **halted}


def flight(play: Play) -> Next:
    """10.4: the loser chooses where to flee; who can't move stays."""
    seat = current(play).escaped
    if flights(play.tables, play.board, play.game, seat):
        return play.open(WindowKind.FLIGHT, seat)
    play.happen(pb.BattleEnded(seat=play.seat))
    return Next.END


def choose_escape_path(play: Play, seat: int, command: pb.ChooseEscapePath) -> Next:
    """10.4 and A48: then the turn of the one on turn ends. Refuses: UNREACHABLE, NOT_NOW."""
    require_window(play.game, seat, "10.4", WindowKind.FLIGHT)
    found = flights(play.tables, play.board, play.game, seat).get(command.to)
    if found is None:
        raise Refusal("UNREACHABLE", "10.4", to=command.to)
    waits = is_room(command.to) and bool(play.game.room(command.to).encounter)
    play.happen(pb.BattleEnded(seat=play.seat))
    play.happen(pb.Escaped(seat=seat, to=command.to, path=found, encounter_waits=waits))
    return Next.END
