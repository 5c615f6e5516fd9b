"""What a seat can conclude from what it sees: who guards, and what lies face down where.

Every set of guardians that the pack allows is weighed: whoever isn't in it said the truth about their chambers, whoever
is in it may have lied. A set is likely if the claims that it takes for true fit together with the deck of their round,
with the viewer's own hand and with what was opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.rulebooks.tempel_des_schreckens.state import FIRST_HAND, SEATS, hand_size

LOG_FACTORIAL = tuple(math.lgamma(n + 1) for n in range(FIRST_HAND * SEATS[-1] + 1))
IMPOSSIBLE = -7.0
"""Log of how likely it is that somebody who should be honest said what can't be true: people err and play tricks."""
FIRE_ADMITTED = math.log(0.35)
"""Log of how much rarer than honest players guardians speak of fire in front of them."""

Hand = tuple[int, int, int]
"""Empty, gold, fire."""


@dataclass(frozen=True, slots=True)
class Beliefs:
    """Chances by seat: to be a guardian; that a face-down chamber there is gold, or fire."""

    guardian: dict[int, float]
    gold: dict[int, float]
    fire: dict[int, float]


@dataclass(frozen=True, slots=True)
class Round:
    """What was dealt in a round, as far as the viewer knows or was told."""

    each: int
    deck: Hand
    known: Hand | None
    claims: dict[int, Hand]
    opened: dict[int, Hand]


def believe(view: pb.View) -> Beliefs:
    """Weigh all sets of guardians among the others."""
    me = view.own.seat
    others = [player.seat for player in view.players if player.seat != me]
    rounds = list(_rounds(view))
    sets = [frozenset(some) for size in _sizes(view) for some in combinations(others, size)]
    logs = _weigh(rounds, others, sets)
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    total = sum(weights)
    guardian = {seat: sum(w for w, some in zip(weights, sets, strict=True) if seat in some) / total for seat in others}
    gold, fire = dict.fromkeys(others, 0.0), dict.fromkeys(others, 0.0)
    for weight, some in zip(weights, sets, strict=True):
        for seat, (gold_share, fire_share) in _contents(view, rounds[-1], others, some).items():
            gold[seat] += weight * gold_share / total
            fire[seat] += weight * fire_share / total
    return Beliefs(guardian, gold, fire)


def _sizes(view: pb.View) -> list[int]:
    """How many guardians may sit among the others; with a card set aside, it may be one less."""
    most = view.roles.guardians - (view.own.role == pb.ROLE_GUARDIAN)
    fewest = most - 1 if view.role_set_aside else most
    return [size for size in range(max(fewest, 0), most + 1) if size < view.seats]


def _rounds(view: pb.View) -> Iterator[Round]:
    deck = [view.chambers.empty, view.chambers.gold, view.chambers.fire]
    for number in range(1, view.round + 1):
        each = hand_size(number)
        opened = {player.seat: [0, 0, 0] for player in view.players}
        for opening in view.openings:
            if opening.round == number:
                opened[opening.owner][opening.chamber - 1] += 1
        claims = {c.seat: hand for c in view.claims if c.round == number and (hand := _claimed(c, each))}
        yield Round(
            each=each,
            deck=(deck[0], deck[1], deck[2]),
            known=own_hand(view, number),
            claims=claims,
            opened={seat: (hand[0], hand[1], hand[2]) for seat, hand in opened.items()},
        )
        deck = [left - sum(hand[kind] for hand in opened.values()) for kind, left in enumerate(deck)]


def _claimed(claim: pb.Claim, each: int) -> Hand | None:
    """A claim about all chambers; None where the player left it open, or said what no hand can be."""
    if not (claim.HasField("gold") and claim.HasField("fire")):
        return None
    empty = each - claim.gold - claim.fire
    if empty < 0 or (claim.HasField("empty") and claim.empty != empty):
        return None
    return empty, claim.gold, claim.fire


def own_hand(view: pb.View, number: int) -> Hand | None:
    """What the viewer was dealt in a round: as shown, or as an honest player said it."""
    if number == view.round and view.own.HasField("dealt"):
        return view.own.dealt.empty, view.own.dealt.gold, view.own.dealt.fire
    if view.own.role == pb.ROLE_ADVENTURER:
        for claim in view.claims:
            if (claim.round, claim.seat) == (number, view.own.seat):
                return _claimed(claim, hand_size(number))
    return None


def _ways(hand: Hand) -> float:
    """Log of the number of orders in which such cards can lie; IMPOSSIBLE where there are less than no cards."""
    if min(hand) < 0:
        return IMPOSSIBLE
    return LOG_FACTORIAL[sum(hand)] - sum(LOG_FACTORIAL[n] for n in hand)


def _drawn(hand: Hand, opened: Hand) -> float:
    """Log of the chance to open these from a hand of so many; IMPOSSIBLE where they can't be in it."""
    left = (hand[0] - opened[0], hand[1] - opened[1], hand[2] - opened[2])
    if min(left) < 0:
        return IMPOSSIBLE
    return _ways(left) + _ways(opened) - _ways(hand)


def _weigh(rounds: Sequence[Round], others: Sequence[int], sets: Sequence[frozenset[int]]) -> list[float]:
    """Log weights of the sets, up to a constant."""
    logs = [0.0] * len(sets)
    for dealt in rounds:
        claims = {seat: dealt.claims[seat] for seat in others if seat in dealt.claims}
        honest = {seat: _ways(hand) + _drawn(hand, dealt.opened[seat]) for seat, hand in claims.items()}
        lying = {seat: _bluff(hand, dealt) + _drawn(dealt.deck, dealt.opened[seat]) for seat, hand in claims.items()}
        certain = dealt.known or (0, 0, 0)
        rest_of_all = tuple(
            dealt.deck[kind] - certain[kind] - sum(hand[kind] for hand in claims.values()) for kind in range(3)
        )
        for index, some in enumerate(sets):
            liars = [seat for seat in some if seat in claims]
            rest = (
                rest_of_all[0] + sum(claims[seat][0] for seat in liars),
                rest_of_all[1] + sum(claims[seat][1] for seat in liars),
                rest_of_all[2] + sum(claims[seat][2] for seat in liars),
            )
            logs[index] += _ways(rest) + sum(lying[seat] - honest[seat] for seat in liars)
    return logs


def _bluff(hand: Hand, dealt: Round) -> float:
    """Log of how likely a guardian says this: something that could be dealt, rarely with fire."""
    rest = (dealt.deck[0] - hand[0], dealt.deck[1] - hand[1], dealt.deck[2] - hand[2])
    return _ways(hand) + _ways(rest) - _ways(dealt.deck) + (FIRE_ADMITTED if hand[2] else 0.0)


def _contents(
    view: pb.View, dealt: Round, others: Sequence[int], guardians: frozenset[int]
) -> dict[int, tuple[float, float]]:
    """Shares of gold and fire in what is face down at each seat, if these are the guardians."""
    closed = {player.seat: player.closed for player in view.players}
    gold = view.chambers.gold - view.opened.gold
    fire = view.chambers.fire - view.opened.fire
    cards = sum(closed.values())
    told: dict[int, Hand] = {seat: dealt.claims[seat] for seat in others if seat in dealt.claims}
    honest = {seat: hand for seat, hand in told.items() if seat not in guardians}
    if dealt.known:
        honest[view.own.seat] = dealt.known
    left = {
        seat: (max(hand[1] - dealt.opened[seat][1], 0), max(hand[2] - dealt.opened[seat][2], 0))
        for seat, hand in honest.items()
    }
    gold -= sum(hand[0] for hand in left.values())
    fire -= sum(hand[1] for hand in left.values())
    cards -= sum(closed[seat] for seat in left)
    elsewhere = (max(gold, 0) / max(cards, 1), max(fire, 0) / max(cards, 1))
    return {
        seat: (left[seat][0] / max(closed[seat], 1), left[seat][1] / max(closed[seat], 1))
        if seat in left
        else elsewhere
        for seat in others
    }
