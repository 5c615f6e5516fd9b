"""What a seat can work out about the chest from what it has legally seen (11 to 13)."""

from __future__ import annotations

from itertools import combinations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb

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


def covers(cards: list[pb.Card], triple: Triple) -> bool:
    """Whether the cards name these keys: bunches for their numbers, Skeleton Keys for one each (11.2)."""
    numbers = {number for card in cards for number in card.numbers}
    return sum(number not in numbers for number in triple) <= skeletons(cards)


def skeletons(cards: list[pb.Card]) -> int:
    """How many Skeleton Keys are among them."""
    return sum(card.kind == pb.CARD_KIND_SKELETON for card in cards)


def best_triple(view: pb.View) -> tuple[Triple | None, int]:
    """A set of keys that may be right and that the own cards cover, if there is one; and how many sets may be right."""
    triples, cards = chest_triples(view), own_cards(view)
    return next((triple for triple in triples if covers(cards, triple)), None), len(triples)


def worth_of(card: pb.Card, view: pb.View) -> int:
    """How much a card helps, in points: keys that may be needed most."""
    triples = chest_triples(view)
    if card.kind == pb.CARD_KIND_SKELETON:
        return 30
    if card.kind == pb.CARD_KIND_KEYS:
        needed = sum(number in triple for triple in triples for number in card.numbers)
        return 4 + 20 * needed // max(1, len(triples))
    if card.kind == pb.CARD_KIND_SWORD:
        return 18
    return next((points for word, points in HELP.items() if word in card.title), 1)


HELP = {
    "Jewel": 16,
    "Dragonfire": 15,
    "Shield": 14,
    "Stone": 14,
    "Sleep": 11,
    "Strength": 10,
    "Fortune": 6,
    "Invisibility": 4,
}
