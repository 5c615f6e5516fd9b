"""What a house player says of keys, and makes of what it hears (12.4, RULINGS W14): it believes nothing unproven."""

from __future__ import annotations

from collections.abc import Iterable

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Chance
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import HOPE, Mind
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_talk import OF, OFFERS, far_ahead, rivals

CHEST = 0


def answer(mind: Mind, hearers: Iterable[int], chance: Chance) -> pb.MakeClaim | None:
    """A word for a word that was said in this turn; None where nothing is owed.

    Who was caught lying, the only rival, and who knows much less get a bluff; others the truth as often as a bluff.
    """
    for seat in sorted(hearers):
        if len(_now(mind, mind.view.own.notebook.heard, seat)) <= len(_now(mind, mind.view.own.notebook.told, seat)):
            continue
        earned = rivals(mind) > 1 and not caught(mind, seat) and not far_ahead(mind, seat)
        if earned and chance.choose("word", (True, False)) and (said := _truth(mind, seat)) is not None:
            return said
        return _bluff(mind, seat)
    return None


def bluff(mind: Mind, hearers: Iterable[int], chance: Chance) -> pb.MakeClaim | None:
    """Unasked, once a turn to each: whoever nearly knows the chest leads others away from it, now and then."""
    fresh = [seat for seat in sorted(hearers) if not _now(mind, mind.view.own.notebook.told, seat)]
    if len(mind.triples) > HOPE or not fresh or chance.choose("bluff", range(OF)) >= OFFERS:
        return None
    return next((said for seat in fresh if (said := _bluff(mind, seat)) is not None), None)


def caught(mind: Mind, seat: int) -> bool:
    """Whether something that a player has said can't be true, by what this seat has seen."""
    return any(said.seat == seat and not _possible(mind, said) for said in mind.view.own.notebook.heard)


def doubtful(mind: Mind, numbers: list[int]) -> list[int]:
    """Of equally good numbers for a Key Challenge those that somebody spoke of, to put it to the test; else all."""
    spoken = {said.number for said in mind.view.own.notebook.heard}
    return [number for number in numbers if number in spoken] or numbers


def said_this_turn(mind: Mind) -> int:
    """How many claims this seat has made in the turn that is on."""
    return sum(said.turn == mind.view.turn.number for said in mind.view.own.notebook.told)


def _now(mind: Mind, claims: Iterable[pb.Claim], seat: int) -> list[pb.Claim]:
    return [said for said in claims if said.seat == seat and said.turn == mind.view.turn.number]


def _possible(mind: Mind, said: pb.Claim) -> bool:
    places = _places(mind, said.number)
    return said.owner in places if said.holds else places != {said.owner}


def _places(mind: Mind, number: int) -> set[int]:
    """Where a key may be, by what was seen: with these players, or in the chest."""
    own, book = mind.view.own, mind.view.own.notebook
    if number in own.key_cards:
        return {mind.seat}
    if seen := {fact.seat for fact in book.seen if fact.card == number}:
        return seen
    lacking = {fact.seat for fact in book.lacks if fact.card == number} | {*book.complete, mind.seat}
    places = {player.seat for player in mind.view.players} - lacking
    return places | {CHEST} if any(number in triple for triple in mind.triples) else places


def _truth(mind: Mind, seat: int) -> pb.MakeClaim | None:
    """An own Key Card that the hearer hasn't seen or heard of."""
    return _mine(mind, seat, sorted(set(mind.view.own.key_cards) - _shown(mind, seat)))


def _bluff(mind: Mind, seat: int) -> pb.MakeClaim | None:
    """As an own one the key that is most likely needed, unless the hearer has seen all of the own Key Cards."""
    if set(mind.view.own.key_cards) <= _shown(mind, seat):
        return None
    likely = {number: sum(number in triple for triple in mind.triples) for triple in mind.triples for number in triple}
    return _mine(mind, seat, sorted(likely, key=lambda number: (-likely[number], number)))


def _mine(mind: Mind, seat: int, numbers: Iterable[int]) -> pb.MakeClaim | None:
    told = {said.number for said in mind.view.own.notebook.told if said.seat == seat}
    new = next((number for number in numbers if number not in told), None)
    return None if new is None else pb.MakeClaim(to=seat, number=new, owner=mind.seat, holds=True)


def _shown(mind: Mind, seat: int) -> set[int]:
    return {int(fact.card) for fact in mind.view.own.notebook.shown if fact.seat == seat}
