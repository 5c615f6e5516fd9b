"""What each seat may offer, show, say and leave on a shared space (12.4, 12.5, A23, RULINGS W14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Choices, Domain, IntegerRange, Kind, Label, LegalCommand, Parameter
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.meetings import partners
from ludolog.rulebooks.warlock_of_firetop_mountain.state import TALKS, Game, WindowKind
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables


def talk(tables: Tables, game: Game, seat: int) -> Iterator[LegalCommand]:
    """Offers, shows, claims, and leaving cards at will."""
    if game.talks[seat - 1] < TALKS:
        for other in partners(game, seat):
            yield from _offers(tables, game, seat, other)
            if own := game.player(seat).key_cards:
                yield _show(seat, other, own)
            yield from _claims(seat, other, game.seats)
    window = game.window
    calm = window.kind in {WindowKind.START, WindowKind.ARRIVAL} and not game.offer and not game.leaving
    if window.seat == seat and calm:
        for held in game.player(seat).rucksack:
            title = tables.treasures[held.card].called
            label = Label("warlock.drop", f"Leave {title} here", (("card", held.card),))
            yield LegalCommand(pb.DropTreasure(card=held.card), label, Kind.TRADE, (f"card-{held.card}",))


def _offers(tables: Tables, game: Game, seat: int, other: int) -> Iterator[LegalCommand]:
    """With a look at all Key Cards on either side, or both; else one for each good that is surely part of it."""
    own = [held.card for held in game.player(seat).rucksack]
    known = [held.card for held in game.player(other).rucksack if held.knows(seat)]
    goods = (*_goods(tables, game, "give", seat, own), *_goods(tables, game, "take", other, known))
    for mine in (False, True):
        for theirs in (False, True):
            shows = (*(() if mine else _shown(game, seat)), *(() if theirs else _asked(game, other)))
            parameters = (*goods, *shows)
            looks = {(False, False): "", (True, False): ", show Key Cards", (False, True): ", see Key Cards"}
            text = f"Offer player {other} a trade{looks.get((mine, theirs), ', show each other Key Cards')}"
            offer = pb.OfferTrade(to=other, give=pb.Goods(look=mine), take=pb.Goods(look=theirs))
            for said, asked in [(text, parameters)] if mine or theirs else _with_some(text, parameters):
                label = Label("warlock.offer", said, (("who", str(other)),))
                yield LegalCommand(offer, label, Kind.TRADE, (f"seat-{other}",), asked)


def _with_some(text: str, parameters: tuple[Parameter, ...]) -> Iterator[tuple[str, tuple[Parameter, ...]]]:
    """Nothing for nothing is no offer: each parameter in turn is the first one, and at least 1."""
    for sure in parameters:
        others = tuple(parameter for parameter in parameters if parameter is not sure)
        name = sure.label.text[:1].lower() + sure.label.text[1:]
        said = f"{text}: {sure.label.text if name.startswith('key') else name}"
        yield said, (replace(sure, domain=_at_least_one(sure.domain)), *others)


def _at_least_one(domain: Domain) -> Domain:
    if isinstance(domain, IntegerRange):
        return IntegerRange(1, domain.maximum)
    return replace(domain, minimum=1) if isinstance(domain, Choices) else domain


def _goods(tables: Tables, game: Game, side: str, owner: int, cards: Iterable[str]) -> Iterator[Parameter]:
    adventurer = game.adventurer(owner)
    verb = "I give" if side == "give" else "I want"
    choices = tuple((card, Label("warlock.card", tables.treasures[card].called, (("card", card),))) for card in cards)
    if choices:
        domain = Choices(choices, 0, len(choices))
        yield Parameter(f"offer_trade.{side}.cards", Label("warlock.cards", f"Cards {verb}"), domain)
    if adventurer.gold:
        label = Label("warlock.gold", f"Gold {verb}")
        yield Parameter(f"offer_trade.{side}.gold", label, IntegerRange(0, adventurer.gold))
    if adventurer.provisions:
        label = Label("warlock.provisions", f"Provisions {verb}")
        yield Parameter(f"offer_trade.{side}.provisions", label, IntegerRange(0, adventurer.provisions))


def _shown(game: Game, seat: int) -> Iterator[Parameter]:
    if own := game.player(seat).key_cards:
        label = Label("warlock.shown", "Key Cards I show when it is agreed")
        yield Parameter("offer_trade.give.key_cards", label, Choices(_numbers(own), 0, len(own)))


def _asked(game: Game, other: int) -> Iterator[Parameter]:
    if most := len(game.player(other).key_cards):
        label = Label("warlock.asked", "Key Cards I want to see, of their choice")
        yield Parameter("offer_trade.take.shows", label, IntegerRange(0, most))


def asked_for(game: Game, seat: int) -> tuple[Parameter, ...]:
    """Which Key Cards a seat shows that accepts the offer."""
    wanted = game.offer.take.shows if game.offer else 0
    if not wanted:
        return ()
    domain = Choices(_numbers(game.player(seat).key_cards), wanted, wanted)
    return (Parameter("accept_trade.key_cards", Label("warlock.which", "Which"), domain),)


def _numbers(cards: Iterable[int]) -> tuple[tuple[str, Label], ...]:
    return tuple(
        (f"KEY_CARD_{card}", Label("warlock.key_card", f"number {card}", (("number", str(card)),))) for card in cards
    )


def _show(seat: int, other: int, own: tuple[int, ...]) -> LegalCommand:
    which = Parameter("show_key_cards.cards", Label("warlock.which", "Which"), Choices(_numbers(own), 1, len(own)))
    label = Label("warlock.show", f"Show player {other} Key Cards", (("who", str(other)),))
    return LegalCommand(pb.ShowKeyCards(to=other), label, Kind.TRADE, (f"seat-{other}",), (which,))


def _claims(seat: int, other: int, seats: int) -> Iterator[LegalCommand]:
    """Two entries: that somebody has a key, or hasn't. All of it may be said, true or not."""
    owners = tuple(
        (str(owner), Label("warlock.owner", "I" if owner == seat else f"player {owner}", (("who", str(owner)),)))
        for owner in range(1, seats + 1)
    )
    chest = ("0", Label("warlock.chest", "the chest"))
    parameters = (
        Parameter("make_claim.number", Label("warlock.key", "Key"), IntegerRange(NUMBERS[0], NUMBERS[-1])),
        Parameter("make_claim.owner", Label("warlock.whose", "Who"), Choices((chest, *owners))),
    )
    for holds, what in ((True, "has"), (False, "doesn't have")):
        text = f"Tell player {other} who {what} a key"
        label = Label("warlock.tell", text, (("who", str(other)), ("holds", str(holds).lower())))
        command = pb.MakeClaim(to=other, holds=holds)
        yield LegalCommand(command, label, Kind.TRADE, (f"seat-{other}",), parameters)
