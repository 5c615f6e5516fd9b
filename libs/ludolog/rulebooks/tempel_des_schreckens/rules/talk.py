"""Gameplay 1, "Players begin by discussing": public, free to lie, without effect. Rulings T8, T9, T11, T15, L1."""

from __future__ import annotations

from typing import Literal

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import BadInput, Chance, Events, Refusal, Seat
from ludolog.rulebooks.tempel_des_schreckens.rules.gameplay import SECTION, require_closed, require_row
from ludolog.rulebooks.tempel_des_schreckens.state import TALKS, Game, hand_size

COUNTED: tuple[Literal["empty", "gold", "fire"], ...] = ("empty", "gold", "fire")


def make_claim(game: Game, seat: Seat, command: pb.MakeClaim, chance: Chance) -> Events:
    """Anybody may say anything about their own role and their own chambers (P1), also nonsense: it isn't compared.

    Refuses: NOTHING_CLAIMED, TOO_MUCH_TALK; INVALID_FIELD for no team and for a number that nobody can have been dealt.
    """
    if command.HasField("team") and not command.team:
        raise BadInput("command.make_claim.team", "must name a team, or be left out")
    said = [field for field in COUNTED if command.HasField(field)]
    for field in said:
        if not 0 <= getattr(command, field) <= hand_size(game.round):
            raise BadInput(f"command.make_claim.{field}", f"must be 0 to {hand_size(game.round)}")
    if not said and not command.HasField("team"):
        raise Refusal("NOTHING_CLAIMED", SECTION)
    _require_voice(game, seat)
    claim = pb.ClaimMade(seat=seat, team=command.team)
    for field in said:
        setattr(claim, field, getattr(command, field))
    return (claim,)


def point_at(game: Game, seat: Seat, command: pb.PointAt, chance: Chance) -> Events:
    """Anybody may suggest a row or a face-down chamber, also in front of themself (T11).

    Refuses: NO_SUCH_CHAMBER, NO_CHAMBERS_LEFT, ALREADY_OPENED, TOO_MUCH_TALK.
    """
    if command.HasField("slot"):
        require_closed(game, command.owner, command.slot)
    else:
        require_row(game, command.owner)
    _require_voice(game, seat)
    return (pb.PointedAt(seat=seat, owner=command.owner, slot=command.slot),)


def _require_voice(game: Game, seat: Seat) -> None:
    if game.talks[seat - 1] >= TALKS:
        raise Refusal("TOO_MUCH_TALK", SECTION, talks=TALKS, ruling="L1")
