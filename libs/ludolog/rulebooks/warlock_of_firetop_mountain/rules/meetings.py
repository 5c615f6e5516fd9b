"""6.3, 12.4, 12.5, 14.4: talk, trade and shows on a shared space. Rulings A22, A23, A46, RULINGS W2, W3, W14, W15."""

from __future__ import annotations

from collections.abc import Sequence

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import BadInput, Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_adventurer
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.turns import resume
from ludolog.rulebooks.warlock_of_firetop_mountain.state import TALKS, Game, Goods, WindowKind

SECTION = "12.5"


def partners(game: Game, seat: int) -> tuple[int, ...]:
    """With whom a seat may deal now: on the same space, one of the two on turn, before the roll or after the move."""
    adventurer = game.player(seat).ready
    calm = game.window.kind in {WindowKind.START, WindowKind.ARRIVAL} and not game.offer and not game.leaving
    if adventurer is None or not calm:
        return ()
    here = game.present(adventurer.place, but=seat)
    return here if seat == game.turn.seat else tuple(other for other in here if other == game.turn.seat)


def require_partner(game: Game, seat: int, other: int) -> None:
    """Refuses: TOO_MUCH_TALK, NOT_THERE, NOT_NOW."""
    adventurer = require_adventurer(game, seat, SECTION)
    if game.window.kind not in {WindowKind.START, WindowKind.ARRIVAL} or game.offer or game.leaving:
        raise Refusal("NOT_NOW", SECTION, window=game.window.kind.name)
    if other not in game.present(adventurer.place, but=seat):
        raise Refusal("NOT_THERE", SECTION, seat=other)
    if other not in partners(game, seat):
        raise Refusal("NOT_NOW", SECTION, window=game.window.kind.name)
    if game.talks[seat - 1] >= TALKS:
        raise Refusal("TOO_MUCH_TALK", SECTION, talks=TALKS, ruling="W2")


def offer_trade(play: Play, seat: int, command: pb.OfferTrade) -> Next:
    """12.5, A23.

    Refuses: NOT_THERE, NOT_HELD, NOT_KNOWN, NOT_ENOUGH_GOLD, NO_PROVISIONS, NOTHING_OFFERED, TOO_MUCH_TALK, NOT_NOW.
    """
    require_partner(play.game, seat, command.to)
    for name, goods, owner in (("give", command.give, seat), ("take", command.take, command.to)):
        _check_goods(play, name, goods, owner, seat)
    _check_shows(play, seat, command)
    if command.give == command.take == pb.Goods():
        raise Refusal("NOTHING_OFFERED", SECTION)
    play.happen(pb.TradeOffered(seat=seat, to=command.to, give=command.give, take=command.take))
    return Next.WAIT


def _check_goods(play: Play, name: str, goods: pb.Goods, owner: int, seat: int) -> None:
    adventurer = play.game.adventurer(owner)
    if min(goods.gold, goods.provisions) < 0:
        raise BadInput(f"offer_trade.{name}", "amounts are 0 or more")
    if len(set(goods.cards)) != len(goods.cards):
        raise BadInput(f"offer_trade.{name}.cards", "a card stands twice")
    for card in goods.cards:
        held = play.game.held(owner, card)
        if held is None or not held.knows(seat):
            raise Refusal("NOT_HELD" if owner == seat else "NOT_KNOWN", SECTION, ruling="A23")
    if goods.gold > adventurer.gold:
        raise Refusal("NOT_ENOUGH_GOLD", SECTION, gold=adventurer.gold)
    if goods.provisions > adventurer.provisions:
        raise Refusal("NO_PROVISIONS", SECTION, provisions=adventurer.provisions)


def _check_shows(play: Play, seat: int, command: pb.OfferTrade) -> None:
    """Who offers names the Key Cards that it would show; of the other side's it asks for so many (W15)."""
    give, take = command.give, command.take
    if give.shows or take.key_cards:
        raise BadInput("offer_trade", "give names Key Cards, take says how many")
    for name, goods in (("give", give), ("take", take)):
        if goods.look and (goods.shows or goods.key_cards):
            raise BadInput(f"offer_trade.{name}", "all Key Cards, or some of them")
    if not 0 <= take.shows <= len(play.game.player(command.to).key_cards):
        raise BadInput("offer_trade.take.shows", "as many as the other holds at most")
    _require_own(play, seat, "offer_trade.give.key_cards", give.key_cards)


def _require_own(play: Play, seat: int, field: str, cards: Sequence[int]) -> None:
    """Own Key Cards, none twice. Refuses: NOT_HELD."""
    if len(set(cards)) != len(cards):
        raise BadInput(field, "a card stands twice")
    if not set(cards) <= set(play.game.player(seat).key_cards):
        raise Refusal("NOT_HELD", SECTION)


def require_offer(game: Game, seat: int) -> None:
    """An offer that waits for this seat. Refuses: NOT_NOW."""
    if game.offer is None or game.offer.to != seat:
        raise Refusal("NOT_NOW", SECTION, window=game.window.kind.name)


def accept_trade(play: Play, seat: int, command: pb.AcceptTrade) -> Next:
    """A23: everything changes hands at once; then the limits of 2.10. Refuses: NOT_HELD, NOT_NOW."""
    require_offer(play.game, seat)
    offer = play.game.offer
    if offer is None:
        raise LookupError("no offer")
    if len(command.key_cards) != offer.take.shows:
        raise BadInput("accept_trade.key_cards", f"{offer.take.shows} of the own ones")
    _require_own(play, seat, "accept_trade.key_cards", command.key_cards)
    play.happen(pb.TradeAgreed(seat=offer.seat, to=seat, give=_agreed(offer.give), take=_agreed(offer.take)))
    sides = ((offer.give, offer.seat, seat, offer.give.key_cards), (offer.take, seat, offer.seat, command.key_cards))
    for goods, owner, viewer, chosen in sides:
        if cards := play.game.player(owner).key_cards if goods.look else tuple(sorted(chosen)):
            show(play, owner, viewer, cards)
    return again(play)


def _agreed(goods: Goods) -> pb.Goods:
    """What everybody learns of a side; which Key Cards are shown stands in KeyCardsShown."""
    shows = goods.shows + len(goods.key_cards)
    return pb.Goods(cards=goods.cards, gold=goods.gold, provisions=goods.provisions, look=goods.look, shows=shows)


def decline_trade(play: Play, seat: int, command: pb.DeclineTrade) -> Next:
    """Refuses: NOT_NOW."""
    require_offer(play.game, seat)
    play.happen(pb.TradeDeclined(seat=seat))
    return again(play)


def again(play: Play) -> Next:
    """Back to the decision that was open, unless nothing is left to decide."""
    return resume(play)


def show(play: Play, owner: int, viewer: int, cards: tuple[int, ...]) -> None:
    """Key Cards are shown, never handed over (A22)."""
    complete = set(cards) == set(play.game.player(owner).key_cards)
    faces = [pb.KeyCard.ValueType(card) for card in cards]
    play.happen(pb.KeyCardsShown(seat=viewer, owner=owner, cards=faces, complete=complete))


def show_key_cards(play: Play, seat: int, command: pb.ShowKeyCards) -> Next:
    """12.5. Refuses: NOT_THERE, NOT_HELD, TOO_MUCH_TALK, NOT_NOW; BadInput where nothing is shown."""
    require_partner(play.game, seat, command.to)
    if not command.cards:
        raise BadInput("show_key_cards.cards", "at least one card")
    _require_own(play, seat, "show_key_cards.cards", command.cards)
    show(play, seat, command.to, tuple(sorted(command.cards)))
    return again(play)


def make_claim(play: Play, seat: int, command: pb.MakeClaim) -> Next:
    """12.4, W14: say where a key is, or isn't; nothing checks it. Refuses: NOT_THERE, TOO_MUCH_TALK, NOT_NOW."""
    require_partner(play.game, seat, command.to)
    if command.number not in NUMBERS:
        raise BadInput("make_claim.number", "1 to 9")
    if not 0 <= command.owner <= play.game.seats:
        raise BadInput("make_claim.owner", f"a seat, 1 to {play.game.seats}; 0: the chest")
    said = pb.ClaimMade(seat=seat, to=command.to, number=command.number, owner=command.owner, holds=command.holds)
    play.happen(said)
    return again(play)
