"""Where a house player wants to go: rooms, cards that lie about and other players, by worth for the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_fight import THOUSAND
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_map import distances
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import Mind
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_odds import against, odds
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_worth import (
    GOLD,
    LIFE,
    card_worth,
    look_worth,
    stack_worth,
    stake,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.state import is_entrance

TURN = 10
FAR = 1 << 20
FOOL_GOLD = 3 * GOLD
CARD_PRICE, LOOK_PRICE, TRADER_PRICE, BEGGAR_PRICE = 3, 2, 2, 1
HIRED = 3
"""Of four: a hunted adventurer moves on meanwhile."""


@lru_cache(maxsize=8)
def goal(mind: Mind) -> str:
    """The space that is worth most for the way there; the Treasure Room once the chest may be opened, or nothing is."""
    if mind.ready:
        return mind.board.treasure_room
    place = mind.sheet.place
    forth = distances(mind.ways, place, mind.barred - {place})
    best, most = mind.board.treasure_room, 0
    for where, points in goals(mind):
        score = points * THOUSAND // (forth.get(where, FAR) + 2 * TURN)
        if where not in mind.barred and where != place and score > most:
            best, most = where, score
    return best


def goals(mind: Mind) -> Iterator[tuple[str, int]]:
    """Spaces, and points that going there is worth."""
    for room in mind.view.rooms:
        if points := room_worth(mind, room):
            yield room.id, _risked(mind, points, odds(mind, room.id))
    for item in mind.view.items:
        if item.owner in {0, mind.seat} and (points := item_worth(mind, item)) > 0:
            yield item.place, _risked(mind, points, odds(mind, item.place))
    for other in mind.others:
        yield other.adventurer.place, hunt_worth(mind, other) * HIRED // 4 + look_worth(mind, other.seat) // 2


def _risked(mind: Mind, points: int, alive: int) -> int:
    """Points, less what a death would cost: the way back, and half of what lies in a grave."""
    return (points * alive - (LIFE + stake(mind) // 2) * (THOUSAND - alive)) // THOUSAND


def room_worth(mind: Mind, room: pb.RoomView) -> int:
    """What a room has for this adventurer, the fight apart."""
    cards = stack_worth(mind, room.treasures)
    special = mind.tables.encounters[room.encounter.id].special if room.encounter.id else ""
    deal = DEALS.get(special) if room.occupied else None
    return deal(mind, cards) if deal else sum(cards)


def _fool(mind: Mind, cards: list[int]) -> int:
    return 0 if mind.sheet.met_fool else sum(cards) or FOOL_GOLD


def _pickpocket(mind: Mind, cards: list[int]) -> int:
    """One card of his stack by 3 to 6; by 1 or 2 he takes one."""
    return max(0, (2 * sum(cards[:1]) - stake(mind) // max(1, len(mind.cards))) // 3)


def _shylock(mind: Mind, cards: list[int]) -> int:
    gold = mind.sheet.gold
    looks = max((look_worth(mind, other.seat) for other in mind.view.players), default=0) // 2
    bought = sum(cards[:1]) if gold >= CARD_PRICE else 0
    return max(bought, looks if gold >= LOOK_PRICE else 0)


def _trader(mind: Mind, cards: list[int]) -> int:
    return sum(cards[:1]) if mind.sheet.gold >= TRADER_PRICE else 0


def _beggar(mind: Mind, cards: list[int]) -> int:
    return sum(cards) if mind.sheet.gold >= BEGGAR_PRICE else 0


DEALS: dict[str, Callable[[Mind, list[int]], int]] = {
    "fool": _fool,
    "pickpocket": _pickpocket,
    "shylock": _shylock,
    "trader": _trader,
    "beggar": _beggar,
}
"""Encounters that don't just give what lies beneath them."""


def item_worth(mind: Mind, item: pb.ItemView) -> int:
    """What a card that lies about adds; less what a full rucksack leaves for it."""
    return sum(stack_worth(mind, [pb.Slot(card=item.card if item.card.id else None)]))


def hunt_worth(mind: Mind, other: pb.PlayerView) -> int:
    """What an attack on a player is worth: their cards by the odds, against one's own."""
    place = other.adventurer.place
    if not mind.view.pvp_unlocked or is_entrance(place) or not other.rucksack:
        return 0
    win = against(mind, other.seat)
    booty = sum(card_worth(mind, slot.card.id, carried=True) for slot in other.rucksack)
    return max(0, (booty * win - (LIFE + stake(mind)) * (THOUSAND - win)) // THOUSAND)
