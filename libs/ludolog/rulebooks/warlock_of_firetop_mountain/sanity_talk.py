"""What holds of an offer, of who leaves cards behind, and of notebooks (12, 12.5): for positions and imagined games."""

from __future__ import annotations

from collections.abc import Iterator

from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Goods, Leaving, Offer, WindowKind

Problems = Iterator[tuple[str, bool]]
TRADED_IN = {WindowKind.START, WindowKind.ARRIVAL}


def offer_problems(game: Game, offer: Offer) -> Problems:
    """An offer that can't be open: between whom, when, and of what (12.5, A23, W3, W15)."""
    two = (offer.seat, offer.to)
    if offer.seat == offer.to or any(not 1 <= seat <= game.seats for seat in two):
        yield f"offer: from seat {offer.seat} to {offer.to}: two different ones, 1 to {game.seats}", True
        return
    ready = [game.player(seat).ready for seat in two]
    for seat, adventurer in zip(two, ready, strict=True):
        yield f"offer: seat {seat} has no adventurer on the board", adventurer is None
    yield "offer: the two don't stand on one space", len({one.place for one in ready if one}) > 1
    yield "offer: neither of the two is on turn", game.turn.seat not in two
    kind = game.window.kind
    yield f"offer: in {kind.name}; before the roll or after the move (W3)", kind not in TRADED_IN
    yield "offer: while cards are left behind", game.leaving is not None
    yield "offer: nothing for nothing", offer.give == offer.take == Goods()
    yield "offer: give names Key Cards, take says how many", bool(offer.give.shows or offer.take.key_cards)
    own = game.player(offer.seat).key_cards
    yield "offer: Key Cards that aren't held by who offers to show them", not set(offer.give.key_cards) <= set(own)
    most = len(game.player(offer.to).key_cards)
    yield f"offer.take.shows {offer.take.shows}: 0 to {most}", not 0 <= offer.take.shows <= most
    yield from _goods(game, "give", offer.give, offer.seat)
    yield from _goods(game, "take", offer.take, offer.to)


def _goods(game: Game, side: str, goods: Goods, owner: int) -> Problems:
    player = game.player(owner)
    if (adventurer := player.adventurer) is not None:
        for name in ("gold", "provisions"):
            amount, most = getattr(goods, name), getattr(adventurer, name)
            yield f"offer.{side}.{name} {amount}: 0 to {most}, what seat {owner} has", not 0 <= amount <= most
    absent = [card for card in goods.cards if not game.held(owner, card)]
    yield f"offer.{side}.cards: {', '.join(absent)}: not with seat {owner}", bool(absent)
    some = goods.shows or goods.key_cards
    yield f"offer.{side}: all Key Cards, or some of them", goods.look and bool(some)
    for name in ("cards", "key_cards"):
        cards = getattr(goods, name)
        yield f"offer.{side}.{name}: a card stands twice", len(set(cards)) != len(cards)


def leaving_problems(game: Game, leaving: Leaving) -> Problems:
    """Who leaves cards behind is there to do it (2.10)."""
    if not 1 <= leaving.seat <= game.seats:
        yield f"leaving.seat {leaving.seat}: 1 to {game.seats}", True
        return
    yield f"leaving.seat {leaving.seat} has no adventurer on the board", game.player(leaving.seat).ready is None


def notebook_problems(game: Game, seat: int) -> Problems:
    """What a notebook says of others' Key Cards, and of the own ones that were shown, is true: no hand ever changes."""
    player = game.player(seat)
    book, others = player.notebook, set(range(1, game.seats + 1)) - {seat}
    facts = (*book.seen, *book.lacks, *book.shown)
    who = f"seat {seat}: notebook"
    if strangers := {fact.seat for fact in facts} - others | set(book.complete) - others:
        yield f"{who} names seats {', '.join(map(str, sorted(strangers)))}: others, 1 to {game.seats}", True
        return
    yield f"{who}: Key Cards are 1 to {NUMBERS[-1]}", any(fact.card not in NUMBERS for fact in facts)
    hands = {other: set(game.player(other).key_cards) for other in others}
    yield f"{who} has seen a card where it isn't", any(fact.card not in hands[fact.seat] for fact in book.seen)
    yield f"{who} misses a card where it is", any(fact.card in hands[fact.seat] for fact in book.lacks)
    yield (
        f"{who} says that a card was shown that isn't its own",
        not {f.card for f in book.shown} <= {*player.key_cards},
    )
    seen = {(fact.seat, fact.card) for fact in book.seen}
    all_seen = all((other, card) in seen for other in book.complete for card in hands[other])
    yield f"{who} says complete of a hand that wasn't all seen", not all_seen
