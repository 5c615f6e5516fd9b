"""What events do to cards, and to who knows them.

A card that everybody knows moves openly. Any other card that leaves a rucksack is hidden: whoever isn't told which
it was no longer knows which of the hidden cards are still there, unless all of them left, or all keys (ruling A14,
RULINGS W5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sys import intern
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.evolve_parts import (
    with_adventurer,
    with_player,
    with_room,
    with_turn,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.notebook import Claim, Fact, Notebook, fact_of
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    PUBLIC,
    Challenge,
    ChestTry,
    Game,
    Goods,
    Held,
    Item,
    Leaving,
    NamedKey,
    Offer,
    held_of,
)

BLANK = 10
"""Value of the face of a blank Key Card."""


def bits(*seats: int) -> int:
    """The seats as a mask."""
    mask = 0
    for seat in seats:
        mask |= 1 << seat
    return mask


def by_id(cards: Iterable[Held]) -> tuple[Held, ...]:
    """A rucksack is kept in the order of its cards' ids, so that the order tells nothing."""
    return tuple(sorted(cards, key=lambda held: held.card))


def put_in(game: Game, seat: int, cards: Iterable[Held]) -> Game:
    """Cards go into a rucksack; the owner knows them, and nobody has them fresh from the box any more."""
    taken = [held_of(held.card, held.known | bits(seat)) for held in cards]
    return with_player(game, seat, rucksack=by_id((*game.player(seat).rucksack, *taken)))


def take_out(
    game: Game, seat: int, cards: Iterable[str], witnesses: int, *, told: bool = False
) -> tuple[Game, tuple[Held, ...]]:
    """Cards leave a rucksack before the eyes of the witnesses (a mask). Returns them as they are known afterwards.

    `told`: who knows a card knows as well whether it was among them.
    """
    wanted, rucksack = set(cards), game.player(seat).rucksack
    hidden_stay = any(not held.shown for held in rucksack if held.card not in wanted)
    hidden_go = any(not held.shown for held in rucksack if held.card in wanted)
    mask = bits(seat) | witnesses if hidden_stay and hidden_go and not told else PUBLIC
    seen = [held if held.shown else held_of(held.card, held.known & mask, fresh=held.fresh) for held in rucksack]
    stay = tuple(held for held in seen if held.card not in wanted)
    gone = tuple(held_of(held.card, held.known | witnesses, fresh=held.fresh) for held in seen if held.card in wanted)
    return with_player(game, seat, rucksack=stay), gone


def _treasure_claimed(game: Game, event: pb.TreasureClaimed) -> Game:
    stack = game.room(event.room).stack
    slots = set(event.slots)
    game = with_room(game, event.room, stack=tuple(held for slot, held in enumerate(stack, 1) if slot not in slots))
    return put_in(game, event.seat, (stack[slot - 1] for slot in event.slots))


def _treasure_picked_up(game: Game, event: pb.TreasurePickedUp) -> Game:
    wanted = set(event.items)
    taken = [item.held for item in game.items if item.item in wanted]
    game = replace(game, items=tuple(item for item in game.items if item.item not in wanted))
    return put_in(game, event.seat, taken)


def _treasure_revealed(game: Game, event: pb.TreasureRevealed) -> Game:
    """A card that one shows is one's act, before rules 1.2.0 it wasn't (RULINGS W16)."""
    game = _show(game, event.seat, event.card)
    return _acted(game, event.seat) if game.settings.meal_ruling else game


def _acted(game: Game, seat: int) -> Game:
    """What the one on turn does keeps them from eating (4.1, RULINGS W16)."""
    return with_turn(game, acted=True) if seat == game.turn.seat else game


def _show(game: Game, seat: int, card: str, known: int = PUBLIC) -> Game:
    rucksack = tuple(
        held_of(card, held.known | known, fresh=held.fresh) if held.card == card else held
        for held in game.player(seat).rucksack
    )
    return with_player(game, seat, rucksack=rucksack)


def _treasure_handed_in(game: Game, event: pb.TreasureHandedIn) -> Game:
    rucksack = tuple(held for held in game.player(event.seat).rucksack if held.card != event.card)
    game = with_player(game, event.seat, rucksack=rucksack)
    return replace(game, handed_in=tuple(sorted((*game.handed_in, intern(event.card)))))


def _treasure_used(game: Game, event: pb.TreasureUsed) -> Game:
    return _acted(game, event.seat)


def _treasure_left(game: Game, event: pb.TreasureLeft) -> Game:
    game, (held,) = take_out(game, event.seat, [event.card], bits(event.seat), told=event.everything)
    item = Item(event.item, intern(event.place), held, 0, event.seat, game.turn.number)
    game = replace(game, items=(*game.items, item), last_item=event.item)
    return _acted(game, event.seat)


def _spoils_taken(game: Game, event: pb.SpoilsTaken) -> Game:
    return replace(game, fight=replace(game.fight, spoils=event.choice)) if game.fight else game


def _treasure_stolen(game: Game, event: pb.TreasureStolen) -> Game:
    witnesses = bits(event.seat, event.by) if event.by else bits(event.seat)
    all_keys = game.fight is not None and game.fight.spoils == pb.SPOILS_KEYS
    game, gone = take_out(game, event.seat, event.cards, witnesses, told=all_keys)
    if event.by:
        return put_in(game, event.by, gone)
    return with_room(game, event.room, stack=(*game.room(event.room).stack, *gone))


def _grave_laid(game: Game, event: pb.GraveLaid) -> Game:
    game, gone = take_out(game, event.seat, event.cards, bits(event.seat))
    found, place = {held.card: held for held in gone}, intern(event.place)
    graves = tuple(
        Item(number, place, found[card], event.seat, event.seat, game.turn.number)
        for number, card in zip(event.items, event.cards, strict=True)
    )
    return replace(game, items=(*game.items, *graves), last_item=event.items[-1])


def _leaving_begun(game: Game, event: pb.LeavingBegun) -> Game:
    return replace(game, leaving=Leaving(event.seat, event.optional))


def _leaving_ended(game: Game, event: pb.LeavingEnded) -> Game:
    return replace(game, leaving=None)


def goods(message: pb.Goods) -> Goods:
    """What a side of an offer gives."""
    cards, shown = tuple(message.cards), tuple(message.key_cards)
    return Goods(cards, message.gold, message.provisions, message.look, shown, message.shows)


def _talked(game: Game, seat: int) -> Game:
    talks = (*game.talks[: seat - 1], game.talks[seat - 1] + 1, *game.talks[seat:])
    return replace(game, talks=talks)


def _trade_offered(game: Game, event: pb.TradeOffered) -> Game:
    """Cards that are offered are shown to whom they are offered. Before rules 1.2.0 an offer was an act (W16)."""
    for card in event.give.cards:
        game = _show(game, event.seat, card, bits(event.to))
    game = replace(game, offer=Offer(event.seat, event.to, goods(event.give), goods(event.take)))
    game = _talked(game, event.seat)
    return game if game.settings.meal_ruling else _acted(game, event.seat)


def _trade_declined(game: Game, event: pb.TradeDeclined) -> Game:
    return replace(game, offer=None)


def _trade_agreed(game: Game, event: pb.TradeAgreed) -> Game:
    """Both hand over at once (A23)."""
    witnesses = bits(event.seat, event.to)
    game, given = take_out(game, event.seat, event.give.cards, witnesses)
    game, taken = take_out(game, event.to, event.take.cards, witnesses)
    game = put_in(put_in(game, event.to, given), event.seat, taken)
    for seat, sign in ((event.seat, 1), (event.to, -1)):
        adventurer = game.adventurer(seat)
        game = with_adventurer(
            game,
            seat,
            gold=adventurer.gold + sign * (event.take.gold - event.give.gold),
            provisions=adventurer.provisions + sign * (event.take.provisions - event.give.provisions),
        )
    return with_turn(replace(game, offer=None), acted=True)


def _key_cards_shuffled(game: Game, event: pb.KeyCardsShuffled) -> Game:
    return replace(game, chest=tuple(sorted(event.chest)), undealt=tuple(event.rest))


def _key_cards_dealt(game: Game, event: pb.KeyCardsDealt) -> Game:
    for hand in event.hands:
        game = with_player(game, hand.seat, key_cards=tuple(sorted(hand.cards)))
    return replace(game, undealt=())


def _note(game: Game, seat: int, **facts: Iterable[Fact | int]) -> Game:
    """Add to a notebook; what stands there already isn't written twice."""
    book = game.player(seat).notebook
    added = {name: tuple(sorted({*getattr(book, name), *more})) for name, more in facts.items()}
    notebook: Notebook = replace(book, **added)
    return with_player(game, seat, notebook=notebook)


def _challenge_made(game: Game, event: pb.ChallengeMade) -> Game:
    others = [made for made in game.challenges if (made.seat, made.number) != (event.seat, event.number)]
    made = Challenge(event.seat, event.number, game.turn.number)
    return replace(game, challenges=tuple(sorted((*others, made))))


def _challenge_answered(game: Game, event: pb.ChallengeAnswered) -> Game:
    return _answered(game, event.seat, [event.number], event.answers)


def _answered(game: Game, seat: int, numbers: Iterable[int], answers: Iterable[pb.Answer]) -> Game:
    for answer in answers:
        held = [card for card in answer.cards if card != BLANK]
        game = _note(
            game,
            seat,
            seen=[fact_of(answer.seat, card) for card in held],
            lacks=[fact_of(answer.seat, number) for number in numbers if number not in held],
        )
        if held:
            game = _note(game, answer.seat, shown=[fact_of(seat, card) for card in held])
    return game


def _key_cards_shown(game: Game, event: pb.KeyCardsShown) -> Game:
    complete = [event.owner] if event.complete else []
    game = _note(game, event.seat, seen=[fact_of(event.owner, card) for card in event.cards], complete=complete)
    if event.by_magic:
        return game
    game = _note(game, event.owner, shown=[fact_of(event.seat, card) for card in event.cards])
    game = _talked(game, event.owner)
    return _acted(game, event.owner)


def _claim_made(game: Game, event: pb.ClaimMade) -> Game:
    """Talk: both write down who said what, nothing else changes (RULINGS W14)."""
    for seat, other, name in ((event.to, event.seat, "heard"), (event.seat, event.to, "told")):
        said = Claim(other, event.number, event.owner, event.holds, game.turn.number)
        book = game.player(seat).notebook
        before = [claim for claim in getattr(book, name) if replace(claim, turn=said.turn) != said]
        game = with_player(game, seat, notebook=replace(book, **{name: (*before, said)}))
    return _talked(game, event.seat)


def _chest_key_named(game: Game, event: pb.ChestKeyNamed) -> Game:
    game = _show(game, event.seat, event.card)
    game = replace(game, named=(*game.named, NamedKey(event.number, event.card)))
    return with_turn(game, chest_tried=True, acted=True)


def _chest_answered(game: Game, event: pb.ChestAnswered) -> Game:
    return _answered(game, event.seat, [key.number for key in game.named], event.answers)


def _chest_tried(game: Game, event: pb.ChestTried) -> Game:
    if not event.wrong:
        return game
    failed = ChestTry(event.seat, tuple(event.numbers), event.wrong)
    return replace(game, chest_tries=(*game.chest_tries, failed), named=())


APPLY: dict[type[Message], Callable[[Game, Any], Game]] = {
    pb.TreasureClaimed: _treasure_claimed,
    pb.TreasurePickedUp: _treasure_picked_up,
    pb.TreasureRevealed: _treasure_revealed,
    pb.TreasureUsed: _treasure_used,
    pb.TreasureHandedIn: _treasure_handed_in,
    pb.TreasureLeft: _treasure_left,
    pb.SpoilsTaken: _spoils_taken,
    pb.TreasureStolen: _treasure_stolen,
    pb.GraveLaid: _grave_laid,
    pb.LeavingBegun: _leaving_begun,
    pb.LeavingEnded: _leaving_ended,
    pb.TradeOffered: _trade_offered,
    pb.TradeDeclined: _trade_declined,
    pb.TradeAgreed: _trade_agreed,
    pb.KeyCardsShuffled: _key_cards_shuffled,
    pb.KeyCardsDealt: _key_cards_dealt,
    pb.ChallengeMade: _challenge_made,
    pb.ChallengeAnswered: _challenge_answered,
    pb.KeyCardsShown: _key_cards_shown,
    pb.ClaimMade: _claim_made,
    pb.ChestKeyNamed: _chest_key_named,
    pb.ChestAnswered: _chest_answered,
    pb.ChestTried: _chest_tried,
}
