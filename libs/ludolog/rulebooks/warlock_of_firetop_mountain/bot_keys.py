"""What a seat can work out about the chest from what it has legally seen (11 to 13), and what its keys are worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_fight import THOUSAND

NUMBERS = range(1, 10)
KEYS = 3
Triple = tuple[int, int, int]


def chest_triples(view: pb.View) -> list[Triple]:
    """Every set of three keys that may be under the chest: by own cards, cards seen, blanks shown and public tries."""
    own, book = set(view.own.key_cards), view.own.notebook
    held = own | {fact.card for fact in book.seen}
    others = [player.seat for player in view.players if player.seat != view.own.seat]
    lacking = {(fact.seat, fact.card) for fact in book.lacks}
    certain = {
        number
        for number in NUMBERS
        if number not in held and all((seat, number) in lacking or seat in book.complete for seat in others)
    }
    tries = [(set(made.numbers), KEYS - made.wrong) for made in view.chest_tries]
    return [
        triple
        for triple in combinations((number for number in NUMBERS if number not in held), 3)
        if certain <= set(triple) and all(len(numbers & set(triple)) == right for numbers, right in tries)
    ]


def own_cards(view: pb.View) -> list[pb.Card]:
    """The Treasure Cards that this seat carries."""
    return [slot.card for slot in view.players[view.own.seat - 1].rucksack if slot.card.id]


@dataclass(frozen=True, slots=True)
class Ring:
    """Keys that may be named at the chest: numbers of bunches as bits, and how many Skeleton Keys (11.2)."""

    numbers: int = 0
    skeletons: int = 0

    def with_key(self, numbers: Iterable[int]) -> Ring:
        """And a bunch with these numbers; none: a Skeleton Key."""
        more = bits(numbers)
        return Ring(self.numbers | more, self.skeletons + (not more))

    def lacks(self, wanted: Iterable[int]) -> int:
        """How many of these keys it doesn't cover."""
        return max(0, (bits(wanted) & ~self.numbers).bit_count() - self.skeletons)

    def lacking(self, triples: Iterable[Triple]) -> int:
        """Keys that are lacking for the chest, in thousandths: the mean over the sets that may be right."""
        found = [self.lacks(triple) for triple in triples]
        return THOUSAND * sum(found) // max(1, len(found))


def bits(numbers: Iterable[int]) -> int:
    """Numbers as bits."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def ring(cards: Iterable[pb.Card]) -> Ring:
    """The keys among these cards."""
    found = Ring()
    for card in cards:
        if card.kind in {pb.CARD_KIND_KEYS, pb.CARD_KIND_SKELETON}:
            found = found.with_key(card.numbers)
    return found
