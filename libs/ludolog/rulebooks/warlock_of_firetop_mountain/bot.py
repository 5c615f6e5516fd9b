"""House players: what a seat sees goes in, a command comes out; nothing is remembered but what the view shows.

"explorer" fights by odds, claims everything, deduces the chest by elimination, challenges what it can't place, and
goes for the chest once it knows three keys and holds them.
"""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Chance, LegalCommand, Seat, candidates
from ludolog.kernel.players import fill

NUMBERS = range(1, 10)
WEAK = 8
"""STAMINA at which to eat."""
LAST_STAND = 4
"""STAMINA at which to escape from a creature."""


def explorer(view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """One command for the decision that is open; None to wait."""
    if not isinstance(view, pb.View) or not view.HasField("own"):
        return None
    moves = [entry for entry in candidates(legal) if entry.decision_id]
    if not moves:
        return None
    kinds: dict[str, list[LegalCommand]] = {}
    for entry in moves:
        kinds.setdefault(type(entry.command).__name__, []).append(entry)
    for name, choose in CHOICES.items():
        if name in kinds and (chosen := choose(view, kinds[name], seat, chance)) is not None:
            return chosen
    return fill(chance.choose("move", moves), chance)


def chest_numbers(view: pb.View) -> list[int]:
    """Numbers that may still be in the chest, as far as the seat knows."""
    others = {fact.card for fact in view.own.notebook.seen} | set(view.own.key_cards)
    return [number for number in NUMBERS if number not in others]


def _first(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    return fill(entries[0], chance)


def _challenge(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """A number that isn't placed yet and that this seat hasn't challenged."""
    asked = {made.number for made in view.challenges if made.seat == seat}
    open_ = [number for number in chest_numbers(view) if number not in asked]
    return pb.KeyChallenge(number=chance.choose("number", open_)) if open_ else pb.DeclineChallenge()


def _chest(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Name only numbers that may be in the chest; before the first one, only with enough of them."""
    wanted = chest_numbers(view)
    fitting = [entry.command for entry in entries if getattr(entry.command, "number", 0) in wanted]
    if view.named:
        return fitting[0] if fitting else entries[0].command
    numbers = {getattr(command, "number", 0) for command in fitting}
    return fitting[0] if len(numbers) >= 3 and len(wanted) <= 4 else None  # noqa: PLR2004 - three keys, one doubt


def _eat(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    return entries[0].command if view.players[seat - 1].adventurer.stamina <= WEAK else None


def _escape(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    adventurer = view.players[seat - 1].adventurer
    losing = adventurer.stamina <= LAST_STAND and view.fight.stamina > adventurer.stamina
    return entries[0].command if losing else None


def _move(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Into a room with treasure if there is one in reach; else as far as possible, anywhere."""
    rooms = {room.id for room in view.rooms if room.treasures}
    targets = [entry.command for entry in entries if getattr(entry.command, "to", "") in rooms]
    return chance.choose("room", targets) if targets else chance.choose("move", entries[1:] or entries).command


def _claim(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    return pb.ClaimTreasure(slots=[1])


CHOICES = {
    "ChestChallenge": _chest,
    "ClaimTreasure": _claim,
    "PickUp": _first,
    "KeyChallenge": _challenge,
    "EatProvisions": _eat,
    "Escape": _escape,
    "AttackRound": _first,
    "CrossRiver": _first,
    "Move": _move,
    "RollMovement": _first,
    "EndTurn": _first,
    "DeclineTrade": _first,
}
