"""Where a house player goes: rooms by what may be in them, the way there, and the odds of the fight."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_fight import THOUSAND, chance_to_win
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_keys import best_triple, chest_triples, own_cards
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_map import distances, turned, ways

UNSEEN = (7, 7)
"""SKILL and STAMINA that a face-down encounter is reckoned with."""
DEADLY = {"E02": 2, "E04": 0}
"""Creatures that kill at once: wounds after which the odds are halved (Ghoul, Vampire)."""
WIGHT = "E05"
TURN = 10
MEAL, RESERVE = 4, 8
RISK = 15
HOPE = 3
"""Sets that may be right, at most, to go and try one."""
KNOWN_WORTH, UNKNOWN_WORTH = 12, 10
STRONG = 650


def ready(view: pb.View) -> bool:
    """Whether the own keys cover a set that may be right, and few enough may."""
    triple, of = best_triple(view)
    return triple is not None and of <= HOPE


def destination(view: pb.View, seat: int, ends: list[str], *, passing: bool = True) -> str:
    """Of the spaces where the move may end, the one from which the best goal is nearest. `ends` isn't empty."""
    found = ways(view)
    barred = _barred(view, seat)
    goal = _goal(view, seat)
    if goal in ends:
        return goal
    back = distances(turned(found), goal, barred - {goal})
    here = view.players[seat - 1].adventurer.place
    rooms = {room.id for room in view.rooms}

    def cost(end: str) -> tuple[int, bool, str]:
        detour = TURN if end in rooms and end not in _path_rooms(view) and passing else 0
        risk = 0 if end not in rooms else (best_odds(view, seat, end) - odds(view, seat, end)) // RISK
        return back.get(end, 1 << 20) + detour + risk, end == here, end

    return min(ends, key=cost)


def crosses(view: pb.View, seat: int) -> bool:
    """Whether the way to the goal leads over the river from the bank where this seat stands."""
    board = view.board
    here = view.players[seat - 1].adventurer.place
    other = board.north_bank if here == board.south_bank else board.south_bank
    back = distances(turned(ways(view)), _goal(view, seat), _barred(view, seat))
    return back.get(other, 1 << 20) < back.get(here, 1 << 20)


def through_box(view: pb.View, seat: int) -> bool:
    """Whether the way to the goal leads through a maze box beside this seat's square."""
    here = view.players[seat - 1].adventurer.place
    back = distances(turned(ways(view)), _goal(view, seat), _barred(view, seat))
    beyond = [port for box in view.board.boxes if here in box.ports for port in box.ports if port != here]
    steps = dict(ways(view).by_space.get(here, ()))
    return any(port in steps and back.get(port, 1 << 20) + steps[port] == back.get(here) for port in beyond)


def odds(view: pb.View, seat: int, room_id: str) -> int:
    """Parts of a thousand to come out of a room alive by a fight to the death."""
    return _odds(view, seat, room_id, view.players[seat - 1].adventurer.stamina)


def best_odds(view: pb.View, seat: int, room_id: str) -> int:
    """The same after eating all that helps; on the way through the mountain's guards only, elsewhere a certainty."""
    if room_id not in _path_rooms(view):
        return THOUSAND
    me = view.players[seat - 1].adventurer
    return _odds(view, seat, room_id, min(me.initial_stamina, me.stamina + MEAL * me.provisions))


def hungry(view: pb.View, seat: int) -> bool:
    """Whether a meal is worth a turn: weak, or short of strength for the guards before the chest."""
    me = view.players[seat - 1].adventurer
    return me.stamina <= (me.initial_stamina - MEAL if ready(view) else min(RESERVE, me.initial_stamina - MEAL))


def _odds(view: pb.View, seat: int, room_id: str, stamina: int) -> int:
    room = next((room for room in view.rooms if room.id == room_id), None)
    me = view.players[seat - 1]
    if room is None or not room.occupied:
        return THOUSAND
    known = room.encounter
    if not known.id:
        return (THOUSAND + chance_to_win(me.attack - UNSEEN[0], stamina, UNSEEN[1])) // 2
    if not known.skill:
        return THOUSAND - 50
    if immune(view, known.id):
        return 0
    if known.title == "Dragon" and any("Dragonfire" in card.title for card in own_cards(view)):
        return THOUSAND
    result = chance_to_win(me.attack - known.skill, stamina, known.stamina)
    return result * 3 // 4 if known.id in DEADLY else result


def immune(view: pb.View, encounter: str) -> bool:
    """Whether the own blows can't wound it (Wight, without a magic weapon)."""
    armed = any(card.kind == pb.CARD_KIND_SWORD or "Sleep" in card.title for card in own_cards(view))
    return encounter == WIGHT and not armed


def _goal(view: pb.View, seat: int) -> str:
    """The room that is worth most for its way, or the Treasure Room."""
    me = view.players[seat - 1].adventurer
    treasure_room = next((room.id for room in view.board.rooms if room.title == "Treasure Room"), "")
    barred = _barred(view, seat)
    forth = distances(ways(view), me.place, barred - {me.place})
    known = len(chest_triples(view))
    best, best_worth = treasure_room, 0
    if ready(view):
        return treasure_room
    for room in view.rooms:
        worth = 0 if room.id in barred else _worth(view, seat, room)
        worth = worth * THOUSAND // (forth.get(room.id, 1 << 20) + 2 * TURN)
        if room.id != me.place and worth > best_worth:
            best, best_worth = room.id, worth
    return best if best_worth or known <= HOPE else treasure_room


def _worth(view: pb.View, seat: int, room: pb.RoomView) -> int:
    if not room.treasures:
        return 0
    alive = odds(view, seat, room.id)
    if alive < STRONG:
        return 0
    return (KNOWN_WORTH if not room.occupied else UNKNOWN_WORTH) * alive // THOUSAND


def _path_rooms(view: pb.View) -> set[str]:
    return {plan.id for plan in view.board.rooms if len(plan.doors) > 1 or plan.title == "Treasure Room"}


def _barred(view: pb.View, seat: int) -> frozenset[str]:
    """Rooms that can't be entered again yet (7.8), and ways through rooms that are shut in the maze."""
    me = view.players[seat - 1].adventurer
    free = {plan.id for plan in view.board.rooms if plan.title in {"Dragon's Lair", "Warlock's Study"}}
    return frozenset(
        room.id
        for room in view.rooms
        if room.last_leaver == seat and room.last_leaver_life == me.life and (view.strict_7_8 or room.id not in free)
    )
