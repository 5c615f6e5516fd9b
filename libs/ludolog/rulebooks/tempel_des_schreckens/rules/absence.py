"""Players who leave: the book says nothing. RULINGS L2 and L3: nobody waits on them, nothing is revealed."""

from __future__ import annotations

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Chance, Events, Refusal, Resigned, Seat
from ludolog.rulebooks.tempel_des_schreckens.evolve import evolve
from ludolog.rulebooks.tempel_des_schreckens.rules.gameplay import open_at_random
from ludolog.rulebooks.tempel_des_schreckens.state import Game

SECTION = "Platform"


def resign(game: Game, cause: Resigned, chance: Chance) -> Events:
    """The seat's cards stay where they are; whenever it holds the key, a chamber is opened at random at once.

    Refuses: RESIGNED. Draw: "default opening", where the seat holds the key.
    """
    require_present(game, cause.seat)
    resigned = pb.SeatResigned(seat=cause.seat)
    if cause.seat != game.key_player:
        return (resigned,)
    return resigned, *open_at_random(evolve(game, resigned), chance)


def require_present(game: Game, seat: Seat) -> None:
    """A seat that hasn't resigned. Refuses: RESIGNED."""
    if seat in game.resigned:
        raise Refusal("RESIGNED", SECTION, seat=seat, ruling="L3")
