"""8. Treasure: claiming, carrying (2.10), using. Rulings A15, A16, A31, A32, A34, A40."""

from __future__ import annotations

from collections.abc import Callable

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import battles
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import change_luck, change_stamina, discover
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.deals import look_at_all, take
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS, challenge
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import (
    Next,
    Play,
    excess,
    only,
    require_adventurer,
    require_window,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.turns import resume
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Held, Stage, WindowKind, is_room
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables, Treasure

BESIDES = (WindowKind.START, WindowKind.ARRIVAL)
"""Windows of one's own turn in which what works besides the move can be used (L5)."""
LASTING = {"shield", "jewel", "giver_of_sleep"}
POTIONS = {"fortune", "strength"}


def claim_treasure(play: Play, seat: int, command: pb.ClaimTreasure) -> Next:
    """7.7, 9.6: cards of the room's stack. Refuses: NO_SUCH_TREASURE, NOT_NOW."""
    require_window(play.game, seat, "7.7", WindowKind.CLAIM)
    limit = play.game.window.limit
    room = play.game.adventurer(seat).place
    slots = sorted(command.slots)
    stack = play.game.room(room).stack if is_room(room) else ()
    if not 1 <= len(slots) <= limit or len(set(slots)) != len(slots) or not set(slots) <= set(range(1, len(stack) + 1)):
        raise Refusal("NO_SUCH_TREASURE", "7.7", limit=limit)
    take(play, play.game.room(room), slots)
    fixed = play.tables.fixed.get(room)
    if fixed and fixed.special == "fool":
        play.happen(pb.GiftGiven(seat=seat))
    return play.claim(limit - len(slots))


def pick_up(play: Play, seat: int, command: pb.PickUp) -> Next:
    """7.6, 17.1, A34: what lies there for anybody, and one's own grave. Refuses: NO_SUCH_TREASURE, NOT_NOW."""
    require_window(play.game, seat, "7.6", WindowKind.CLAIM)
    lying = {item.item: item for item in play.game.here(seat)}
    wanted = sorted(command.items)
    if not wanted or len(set(wanted)) != len(wanted) or not set(wanted) <= set(lying):
        grave = any(item.item in wanted and item.owner not in {0, seat} for item in play.game.items)
        raise Refusal("NO_SUCH_TREASURE", "17.1" if grave else "7.6")
    cards = [lying[item].held.card for item in wanted]
    play.happen(pb.TreasurePickedUp(seat=seat, items=wanted, cards=cards))
    return play.claim(play.game.window.limit)


def decline_treasure(play: Play, seat: int, command: pb.DeclineTreasure) -> Next:
    """Ruling A31: nothing has to be claimed. Refuses: NOT_NOW."""
    require_window(play.game, seat, "7.7", WindowKind.CLAIM)
    if play.game.turn.freed and not play.game.turn.die:
        return play.open(WindowKind.START, seat)
    return Next.ARRIVAL


def leave(play: Play, seat: int, card: str, *, everything: bool = False) -> None:
    """A card is left face down where the adventurer is; `everything`: as all the others are."""
    place = play.game.adventurer(seat).place
    item = play.game.last_item + 1
    play.happen(pb.TreasureLeft(seat=seat, place=place, item=item, card=card, everything=everything))


def leavable(tables: Tables, game: Game, seat: int) -> list[str]:
    """Cards that may be left now: where magic swords are over their limit alone, one of them (A15)."""
    cards, swords = excess(tables, game, seat)
    rucksack = game.player(seat).rucksack
    if swords and not cards:
        return [held.card for held in rucksack if tables.treasures[held.card].kind == "sword"]
    return [held.card for held in rucksack]


def leave_behind(play: Play, seat: int, command: pb.LeaveBehind) -> Next:
    """2.10, 17.2, A15, A16. Refuses: NOT_HELD, NOT_A_SWORD, NOT_NOW."""
    _require_leaving(play.game, seat)
    if play.game.held(seat, command.card) is None:
        raise Refusal("NOT_HELD", "2.10")
    if command.card not in leavable(play.tables, play.game, seat):
        raise Refusal("NOT_A_SWORD", "2.10", ruling="A15")
    leave(play, seat, command.card)
    leaving = play.game.leaving
    if any(excess(play.tables, play.game, seat)) or (leaving and leaving.optional and play.game.player(seat).rucksack):
        return Next.WAIT
    return _left(play, seat)


def keep_all(play: Play, seat: int, command: pb.KeepAll) -> Next:
    """17.2: the victor leaves nothing more. Refuses: OVER_LIMIT, NOT_NOW."""
    _require_leaving(play.game, seat)
    if any(excess(play.tables, play.game, seat)):
        raise Refusal("OVER_LIMIT", "2.10")
    return _left(play, seat)


def _left(play: Play, seat: int) -> Next:
    play.happen(pb.LeavingEnded(seat=seat))
    return resume(play)


def _require_leaving(game: Game, seat: int) -> None:
    if game.leaving is None or game.leaving.seat != seat:
        raise Refusal("NOT_NOW", "2.10", window=game.window.kind.name)


def drop_treasure(play: Play, seat: int, command: pb.DropTreasure) -> Next:
    """7.6, A34: leave a card at will, before the roll or after the move. Refuses: NOT_HELD, NOT_NOW."""
    require_window(play.game, seat, "7.6", WindowKind.START, WindowKind.ARRIVAL)
    if play.game.held(seat, command.card) is None:
        raise Refusal("NOT_HELD", "2.10")
    leave(play, seat, command.card)
    return resume(play)


def usable(tables: Tables, game: Game, seat: int, held: Held) -> bool:
    """Whether a card can be shown or drunk now, or used in the seat's own battle; turn-replacing ones apart (W4)."""
    treasure, fight = tables.treasures[held.card], game.fight
    if game.offer or game.leaving or game.player(seat).stage is not Stage.READY:
        return False
    if kills(tables, game, seat, treasure):
        return True
    window = game.window.kind
    calm = window is not WindowKind.SET_UP and (fight is None or seat not in {fight.seat, fight.opponent})
    if lasting(treasure):
        return not held.shown and (calm or window is WindowKind.FIGHT)
    return treasure.special in POTIONS and calm


def lasting(treasure: Treasure) -> bool:
    """A card that works for as long as it is shown (8.1)."""
    return treasure.kind == "sword" or treasure.special in LASTING


def kills(tables: Tables, game: Game, seat: int, treasure: Treasure) -> bool:
    """Whether the card ends the seat's battle against a creature at once."""
    fight = game.fight
    if fight is None or fight.opponent or fight.seat != seat or game.window.kind is not WindowKind.FIGHT:
        return False
    creature = tables.encounters[fight.encounter]
    if treasure.special == "dragonfire":
        return creature.special == "dragon"
    return treasure.special == "giver_of_sleep" and creature.undead and creature.special != "wight"


def use_treasure(play: Play, seat: int, command: pb.UseTreasure) -> Next:
    """8.1: using a card reveals it.

    Refuses: NOT_HELD, NOT_USABLE, ALREADY_SHOWN, NO_SUCH_PLAYER, NO_SUCH_KEY, NO_SUCH_TREASURE, MUST_LEAVE, NOT_NOW.
    """
    require_adventurer(play.game, seat, "8.1")
    held = play.game.held(seat, command.card)
    if held is None:
        raise Refusal("NOT_HELD", "8.1")
    treasure = play.tables.treasures[command.card]
    if treasure.special in OWN_TURN:
        return OWN_TURN[treasure.special](play, seat, command)
    if treasure.is_key:
        raise Refusal("NOT_USABLE", "8.1")
    only(command, "card")
    if not usable(play.tables, play.game, seat, held):
        if held.shown and lasting(treasure):
            raise Refusal("ALREADY_SHOWN", "8.1")
        raise Refusal("NOT_NOW", "8.1", window=play.game.window.kind.name)
    return _use(play, seat, treasure, shown=held.shown)


def _use(play: Play, seat: int, treasure: Treasure, *, shown: bool) -> Next:
    deadly = kills(play.tables, play.game, seat, treasure)
    if lasting(treasure) and not shown:
        play.happen(pb.TreasureRevealed(seat=seat, card=treasure.id))
    if not deadly and lasting(treasure):
        return Next.WAIT
    play.happen(pb.TreasureUsed(seat=seat, card=treasure.id))
    if not lasting(treasure):
        play.happen(pb.TreasureHandedIn(seat=seat, card=treasure.id))
    if deadly:
        return battles.victory(play)
    adventurer, restored = play.game.adventurer(seat), treasure.amounts["restores"]
    if treasure.special == "fortune":
        change_luck(play, seat, restored or adventurer.initial_luck)
    else:
        change_stamina(play, seat, restored or adventurer.initial_stamina)
    return Next.WAIT


def invisible_rooms(tables: Tables, game: Game, seat: int) -> list[str]:
    """Example of Play, A32: rooms at whose doors the seat stands, not fixed ones, with a treasure."""
    place, board = game.adventurer(seat).place, tables.boards[game.settings.data_set]
    near = board.neighbours.get(place, ())
    return [room for room in near if is_room(room) and room not in tables.fixed and game.room(room).stack]


def _require_start(play: Play, seat: int) -> None:
    require_window(play.game, seat, "8.1", WindowKind.START)
    if room := play.game.adventurer(seat).must_leave:
        raise Refusal("MUST_LEAVE", "10.3", room=room)


def invisibility(play: Play, seat: int, command: pb.UseTreasure) -> Next:
    """Instead of moving: the top treasure of a room beside a door; the encounter stays unseen. The potion is spent."""
    only(command, "card", "room")
    _require_start(play, seat)
    if command.room not in invisible_rooms(play.tables, play.game, seat):
        raise Refusal("NO_SUCH_TREASURE", "8.1", room=command.room)
    play.happen(pb.TreasureUsed(seat=seat, card=command.card, room=command.room))
    play.happen(pb.TreasureHandedIn(seat=seat, card=command.card))
    stack = play.game.room(command.room).stack
    card = stack[-1].card
    play.happen(pb.TreasureClaimed(seat=seat, room=command.room, slots=[len(stack)], cards=[card]))
    discover(play, seat, [card])
    return Next.END


def seen_by_stone(game: Game, seat: int) -> list[int]:
    """Players whose Key Cards a Seeing Stone can show."""
    return [other for other, player in enumerate(game.players, 1) if other != seat and player.key_cards]


def seeing_stone(play: Play, seat: int, command: pb.UseTreasure) -> Next:
    """12.4: instead of moving, all Key Cards of one player. The stone is spent."""
    only(command, "card", "seat")
    _require_start(play, seat)
    _see(play, seat, command)
    return Next.END


def seeing_glance(play: Play, seat: int, command: pb.UseTreasure) -> Next:
    """L5: the same in one's turn, besides the move."""
    only(command, "card", "seat")
    require_window(play.game, seat, "8.1", *BESIDES)
    _see(play, seat, command)
    return Next.WAIT


def _see(play: Play, seat: int, command: pb.UseTreasure) -> None:
    if command.seat not in seen_by_stone(play.game, seat):
        raise Refusal("NO_SUCH_PLAYER", "12.4", seat=command.seat)
    play.happen(pb.TreasureUsed(seat=seat, card=command.card, target=command.seat))
    play.happen(pb.TreasureHandedIn(seat=seat, card=command.card))
    look_at_all(play, seat, command.seat)


def asking(play: Play, seat: int, command: pb.UseTreasure) -> Next:
    """L5: one Key Challenge at once (12.2, 12.3), besides the move. The scroll is spent."""
    only(command, "card", "number")
    require_window(play.game, seat, "8.1", *BESIDES)
    if command.number not in NUMBERS:
        raise Refusal("NO_SUCH_KEY", "12.2", number=command.number)
    play.happen(pb.TreasureUsed(seat=seat, card=command.card))
    play.happen(pb.TreasureHandedIn(seat=seat, card=command.card))
    challenge(play, seat, command.number)
    return Next.WAIT


OWN_TURN: dict[str, Callable[[Play, int, pb.UseTreasure], Next]] = {
    "invisibility": invisibility,
    "seeing_stone": seeing_stone,
    "seeing_glance": seeing_glance,
    "asking": asking,
}
