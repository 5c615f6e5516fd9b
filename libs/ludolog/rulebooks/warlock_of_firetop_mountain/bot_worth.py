"""What Treasure Cards and looks are worth to a house player, in points; a key that is lacking for the chest is KEY."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_fight import THOUSAND
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_keys import ring
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import Mind
from ludolog.rulebooks.warlock_of_firetop_mountain.state import RUCKSACK
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Treasure

KEY, LOOK, BONUS = 30, 8, 9
GOLD, PROVISIONS, LIFE = 2, 3, 10
HELP = {
    "jewel": 16,
    "dragonfire": 15,
    "shield": 14,
    "giver_of_sleep": 8,
    "strength": 10,
    "fortune": 5,
    "invisibility": 4,
    "asking": 5,
}


@lru_cache(maxsize=64)
def worth(mind: Mind, card_id: str) -> int:
    """What a card adds to the others that are carried, whether it is carried or not."""
    card = mind.tables.treasures[card_id]
    rest = [held for held in mind.cards if held.id != card_id]
    if card.is_key:
        keys = ring(rest)
        added = keys.lacking(mind.triples) - keys.with_key(card.numbers).lacking(mind.triples)
        return KEY * added // THOUSAND
    if card.kind == "sword":
        carried = max((mind.tables.treasures[held.id].bonus for held in rest), default=0)
        return BONUS * max(0, card.bonus - carried)
    return _help(mind, card)


def _help(mind: Mind, card: Treasure) -> int:
    if card.is_money:
        return card.amount * (GOLD if card.kind == "gold" else PROVISIONS)
    if card.special in {"seeing_stone", "seeing_glance"}:
        return max((look_worth(mind, other.seat) for other in mind.view.players), default=0)
    return HELP.get(card.special, 1)


def look_worth(mind: Mind, seat: int) -> int:
    """What a look at all Key Cards of a player is worth: nothing once the chest or the player's cards are known."""
    book, player = mind.view.own.notebook, mind.view.players[seat - 1]
    if seat == mind.seat or seat in book.complete or len(mind.triples) <= 1:
        return 0
    return LOOK * (player.key_cards - sum(fact.seat == seat for fact in book.seen))


@lru_cache(maxsize=8)
def unknown_worth(mind: Mind, carried: bool) -> int:  # noqa: FBT001 - a cached function's arguments have one order
    """The mean worth of the cards that haven't been seen; a card that was carried is neither Gold nor Provisions."""
    seen = _seen(mind.view)
    cards = [card for card in mind.tables.treasures.values() if card.id not in seen and not (carried and card.is_money)]
    return sum(worth(mind, card.id) for card in cards) // max(1, len(cards))


def _seen(view: pb.View) -> set[str]:
    slots = [slot for player in view.players for slot in player.rucksack]
    slots += [slot for room in view.rooms for slot in room.treasures]
    return {slot.card.id for slot in slots} | {item.card.id for item in view.items} | set(view.handed_in)


def stack_worth(mind: Mind, slots: Iterable[pb.Slot]) -> list[int]:
    """What each card of a stack or rucksack is worth, best first; less what a full rucksack leaves for it."""
    given_up = least_worth(mind) if len(mind.cards) >= RUCKSACK else 0
    found = [card_worth(mind, slot.card.id, carried=not slot.fresh) - given_up for slot in slots]
    return sorted((points for points in found if points > 0), reverse=True)


def card_worth(mind: Mind, card_id: str, *, carried: bool) -> int:
    """What a card is worth; an empty id: one that isn't known."""
    return worth(mind, card_id) if card_id else unknown_worth(mind, carried)


def least_worth(mind: Mind) -> int:
    """What the card is worth that is missed least."""
    return min((worth(mind, card.id) for card in mind.cards), default=0)


def stake(mind: Mind) -> int:
    """What is carried, in points."""
    return sum(worth(mind, card.id) for card in mind.cards)
