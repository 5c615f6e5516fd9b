"""House players. What a seat sees goes in, a command comes out; nothing is remembered but what the view shows.

An adventurer says the truth and opens where gold is likely; a guardian passes for an adventurer, hides fire and leads
to it (More Gameplay, "Important").
"""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Chance, Kind, LegalCommand, Seat, candidates
from ludolog.rulebooks.tempel_des_schreckens.beliefs import Beliefs, Hand, believe, own_hand

GOLD_FOUND = 1.0
"""What a chamber of gold is worth to an adventurer (and costs a guardian)."""
FIRE_FOUND = 0.9
"""What a fire costs an adventurer while others are hidden."""
LAST_FIRE = 3.0
"""What the fire costs that ends the game."""
KEY_IN_WRONG_HANDS = 0.25
"""What it costs to give the key to the other team."""
WORDS_KEPT = 1
"""Talk that a bot never uses: it doesn't chatter."""


def belief(view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Claim once a round, then open the best chamber when holding the key; None to wait."""
    if not isinstance(view, pb.View) or not view.HasField("own"):
        return None
    moves = candidates(legal)
    may_talk = bool(candidates(legal, Kind.TALK))
    if may_talk and (claim := _claim(view, seat, chance)):
        return claim
    if not moves:
        return None
    openings = [entry.command for entry in moves if isinstance(entry.command, pb.OpenChamber)]
    owner = _best(view, openings, believe(view), chance)
    if may_talk and _others_are_silent(view, seat):
        return pb.PointAt(owner=owner)
    return chance.choose("slot", [opening for opening in openings if opening.owner == owner])


def _others_are_silent(view: pb.View, seat: Seat) -> bool:
    """Before a round's first opening: point first, so that others may still speak."""
    if view.openings_left < view.seats or view.players[seat - 1].talks_left <= WORDS_KEPT:
        return False
    spoke = {claim.seat for claim in view.claims if claim.round == view.round}
    return any(player.seat not in spoke and not player.resigned for player in view.players)


def _claim(view: pb.View, seat: Seat, chance: Chance) -> pb.MakeClaim | None:
    """What to say at the start of a round; None if it is said, or forgotten (memory mode)."""
    said = any(claim.seat == seat and claim.round == view.round for claim in view.claims)
    hand = None if said else own_hand(view, view.round)
    if hand is None:
        return None
    if view.own.role == pb.ROLE_GUARDIAN:
        hand = _bluff(hand, chance)
    empty, gold, fire = hand
    return pb.MakeClaim(team=pb.TEAM_ADVENTURERS, empty=empty, gold=gold, fire=fire)


def _bluff(hand: Hand, chance: Chance) -> Hand:
    """Fire passes for gold, to be opened; without fire, one gold in two passes for an empty chamber, not to be."""
    empty, gold, fire = hand
    if fire:
        return empty, gold + fire, 0
    if gold and chance.choose("bluff", (True, False)):
        return empty + 1, gold - 1, 0
    return hand


def _best(view: pb.View, openings: Sequence[pb.OpenChamber], beliefs: Beliefs, chance: Chance) -> int:
    """The owner whose row is best to open for the seat's team; one of the best, where several are."""
    fire_cost = LAST_FIRE if view.chambers.fire - view.opened.fire == 1 else FIRE_FOUND
    sign = -1.0 if view.own.role == pb.ROLE_GUARDIAN else 1.0

    def worth(owner: int) -> float:
        guarded = beliefs.guardian[owner] * KEY_IN_WRONG_HANDS
        return sign * (beliefs.gold[owner] * GOLD_FOUND - beliefs.fire[owner] * fire_cost - guarded)

    owners = sorted({opening.owner for opening in openings})
    values = [round(worth(owner), 6) for owner in owners]
    return chance.choose("row", [owner for owner, value in zip(owners, values, strict=True) if value == max(values)])
