"""Trade of a house player (12.4, 12.5): a look for a look, cards by their worth."""

from __future__ import annotations

from collections.abc import Iterator

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Chance
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_keys import NUMBERS, Ring
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import HOPE, Mind
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_worth import GOLD, KEY, LOOK, PROVISIONS, look_worth, worth
from ludolog.rulebooks.warlock_of_firetop_mountain.state import TALKS

AHEAD = 2
"""Numbers that are open to the other and not to this seat: with more, a look for a look helps the other."""
OFFERS, OF = 3, 10
"""In so many of so many decisions a meeting is used for an offer: nobody says everything at once."""


def offer(mind: Mind, partners: set[int], claims: int, chance: Chance) -> pb.OfferTrade | None:
    """The next thing to be offered in this turn, after so many claims; None when there is nothing more, and often."""
    if not partners or chance.choose("offer", range(OF)) >= OFFERS:
        return None
    found = [one for seat in sorted(partners) for one in _offers(mind, seat)]
    made = max(0, TALKS - mind.me.talks_left - claims)
    return found[made] if made < len(found) else None


def _offers(mind: Mind, seat: int) -> Iterator[pb.OfferTrade]:
    looks = pb.OfferTrade(to=seat, give=pb.Goods(look=True), take=pb.Goods(look=True))
    if gain(mind, seat, looks.take, looks.give) > 0:
        yield looks
    known = [slot.card.id for slot in mind.view.players[seat - 1].rucksack if slot.card.id]
    wanted = max(known, key=lambda card: worth(mind, card), default="")
    spare = min((card.id for card in mind.cards), key=lambda card: worth(mind, card), default="")
    if wanted and spare:
        swap = pb.OfferTrade(to=seat, give=pb.Goods(cards=[spare]), take=pb.Goods(cards=[wanted]))
        if mind.tables.treasures[wanted].is_key and gain(mind, seat, swap.take, swap.give) > 0:
            yield swap


def accepts(mind: Mind) -> bool:
    """Whether the offer that waits for this seat gives more than it takes."""
    made = mind.view.offer
    return gain(mind, made.seat, made.give, made.take) > 0


def gain(mind: Mind, seat: int, get: pb.Goods, give: pb.Goods) -> int:
    """Points that an exchange brings: what one gets less what one gives, and what that helps the other player.

    What helps one of several rivals costs its share.
    """
    if _uncovers(mind, get, give):
        return -KEY
    got = sum(worth(mind, card) for card in get.cards) + get.gold * GOLD + get.provisions * PROVISIONS
    given = sum(worth(mind, card) + _helps(mind, card) for card in give.cards)
    given += give.gold * GOLD + give.provisions * PROVISIONS
    got += look_worth(mind, seat) if get.look else _some_worth(mind, seat, get.shows)
    return got - given - _shown_worth(mind, seat, len(mind.view.own.key_cards) if give.look else give.shows)


def _some_worth(mind: Mind, seat: int, shows: int) -> int:
    """What a look at so many Key Cards is worth of which the other shows first what was seen before."""
    known = sum(fact.seat == seat for fact in mind.view.own.notebook.seen)
    return min(look_worth(mind, seat), LOOK * max(0, shows - known))


def acceptance(mind: Mind) -> pb.AcceptTrade:
    """Agrees; of the Key Cards that are to be shown, first those that the other has seen."""
    made, own = mind.view.offer, mind.view.own
    shown = {fact.card for fact in own.notebook.shown if fact.seat == made.seat}
    cards = sorted(own.key_cards, key=lambda card: card not in shown)
    return pb.AcceptTrade(key_cards=sorted(cards[: made.take.shows]))


def _uncovers(mind: Mind, get: pb.Goods, give: pb.Goods) -> bool:
    """Whether a set that may be right would no longer be covered so well, where few may be."""
    if len(mind.triples) > HOPE:
        return False
    treasures = mind.tables.treasures
    left = [card.id for card in mind.cards if card.id not in give.cards]
    keys = Ring()
    for card in (*left, *get.cards):
        keys = keys.with_key(treasures[card].numbers) if treasures[card].is_key else keys
    return any(keys.lacks(triple) > mind.ring.lacks(triple) for triple in mind.triples)


def _helps(mind: Mind, card_id: str) -> int:
    """What a card may help whoever gets it."""
    card = mind.tables.treasures[card_id]
    if not card.is_key:
        return 0
    if not card.numbers:
        return KEY // rivals(mind)
    hits = sum(number in triple for triple in mind.triples for number in card.numbers)
    return KEY * hits // max(1, len(mind.triples)) // rivals(mind)


def _shown_worth(mind: Mind, seat: int, shows: int) -> int:
    """What showing so many of the own Key Cards, those first that were shown before, helps a player."""
    shown = {fact.card for fact in mind.view.own.notebook.shown if fact.seat == seat}
    hidden = max(0, shows - len(shown))
    return hidden * LOOK // (1 if far_ahead(mind, seat) else rivals(mind))


def rivals(mind: Mind) -> int:
    """How many other players there are."""
    return max(1, len(mind.view.players) - 1)


def far_ahead(mind: Mind, seat: int) -> bool:
    """Whether this seat knows much more than the other can, by the numbers that they have asked for and been shown."""
    asked = {made.number for made in mind.view.challenges if made.seat == seat}
    asked |= {int(fact.card) for fact in mind.view.own.notebook.shown if fact.seat == seat}
    open_to_other = len(NUMBERS) - mind.view.players[seat - 1].key_cards - len(asked)
    certain = set.intersection(*map(set, mind.triples)) if mind.triples else set()
    open_to_me = len({number for triple in mind.triples for number in triple} - certain)
    return open_to_other - open_to_me > AHEAD
