"""The state's values as messages and back. Fields are called the same on both sides; cards have their own words."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel.structs import Own, Structs
from ludolog.rulebooks.warlock_of_firetop_mountain import state
from ludolog.rulebooks.warlock_of_firetop_mountain.state import PUBLIC, Held


def held_message(held: Held) -> pb.Held:
    """A card and who knows it."""
    seats = [seat for seat in range(1, state.SEATS[-1] + 1) if held.knows(seat)]
    return pb.Held(card=held.card, known_by=[] if held.shown else seats, shown=held.shown, fresh=held.fresh)


def held_from(message: pb.Held) -> Held:
    """Message → card. ValueError where `known_by` names a seat that no table has."""
    if not message.card:
        raise ValueError("a card is named by its id, and none is")
    if strangers := set(message.known_by) - set(range(1, state.SEATS[-1] + 1)):
        raise ValueError(f"{message.card}: known_by names seats {sorted(strangers)}: 1 to {state.SEATS[-1]}")
    known = PUBLIC if message.shown else sum(1 << seat for seat in set(message.known_by))
    return Held(message.card, known, message.fresh)


_STRUCTS = Structs({Held: Own(held_message, held_from)})
to_message, from_message = _STRUCTS.write, _STRUCTS.read
