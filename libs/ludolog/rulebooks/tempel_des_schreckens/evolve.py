"""State × event → state: remembers, doesn't judge. Old events fold for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Seat
from ludolog.rulebooks.tempel_des_schreckens.state import (
    Chamber,
    Claim,
    Counts,
    EndReason,
    Game,
    Opening,
    Point,
    Role,
    RolePack,
    Row,
    Team,
)

ROLES: tuple[Role | None, ...] = (None, *Role)
TEAMS: tuple[Team | None, ...] = (None, *Team)
CHAMBERS = (None, *Chamber)
_chamber = CHAMBERS.__getitem__


def evolve(game: Game, event: Message) -> Game:
    """Apply one event. KeyError for a message that isn't one of the rulebook's events."""
    return _APPLY[type(event)](game, event)


def _game_prepared(game: Game, event: pb.GamePrepared) -> Game:
    return Game(
        memory_mode=event.memory_mode,
        role_pack=RolePack(event.roles.adventurers, event.roles.guardians),
        chambers=Counts(event.chambers.empty, event.chambers.gold, event.chambers.fire),
        talks=(0,) * event.seats,
    )


def _roles_dealt(game: Game, event: pb.RolesDealt) -> Game:
    return replace(game, roles=tuple(Role(role) for role in event.roles), leftover=ROLES[event.leftover])


def _chambers_dealt(game: Game, event: pb.ChambersDealt) -> Game:
    rows = tuple([Row(tuple(map(_chamber, row.chambers))) for row in event.rows])
    return replace(game, round=event.round, rows=rows)


def _key_taken(game: Game, event: pb.KeyTaken) -> Game:
    return replace(game, key_player=Seat(event.seat))


def _chamber_opened(game: Game, event: pb.ChamberOpened) -> Game:
    """The owner of the opened chamber has the key now, and talk begins anew."""
    owner, slot, chamber = Seat(event.owner), event.slot, CHAMBERS[event.chamber]
    rows, row = game.rows, game.rows[owner - 1]
    return Game(
        memory_mode=game.memory_mode,
        role_pack=game.role_pack,
        chambers=game.chambers,
        roles=game.roles,
        leftover=game.leftover,
        round=game.round,
        key_player=owner,
        rows=(*rows[: owner - 1], Row(row.chambers, (*row.opened, slot)), *rows[owner:]),
        opened=game.opened.plus(chamber),
        openings=(*game.openings, Opening(game.round, Seat(event.by), owner, slot, chamber, event.at_random)),
        claims=game.claims,
        points=(),
        talks=(0,) * len(rows),
        resigned=game.resigned,
    )


def _claim_made(game: Game, event: pb.ClaimMade) -> Game:
    """The last word counts on each point; a point that isn't spoken of stays as it was."""
    seat = Seat(event.seat)
    others = [claim for claim in game.claims if (claim.round, claim.seat) != (game.round, seat)]
    before = next((c for c in game.claims if (c.round, c.seat) == (game.round, seat)), Claim(game.round, seat))
    claim = Claim(
        round=game.round,
        seat=seat,
        team=TEAMS[event.team] or before.team,
        empty=event.empty if event.HasField("empty") else before.empty,
        gold=event.gold if event.HasField("gold") else before.gold,
        fire=event.fire if event.HasField("fire") else before.fire,
        openings_before=game.opened_this_round,
    )
    claims = tuple(sorted([*others, claim], key=lambda claim: (claim.round, claim.seat)))
    return replace(game, claims=claims, talks=_talked(game, seat))


def _pointed_at(game: Game, event: pb.PointedAt) -> Game:
    point = Point(Seat(event.seat), Seat(event.owner), event.slot)
    others = [other for other in game.points if other.seat != point.seat]
    points = tuple(sorted([*others, point], key=lambda point: point.seat))
    return replace(game, points=points, talks=_talked(game, point.seat))


def _talked(game: Game, seat: Seat) -> tuple[int, ...]:
    return (*game.talks[: seat - 1], game.talks[seat - 1] + 1, *game.talks[seat:])


def _round_ended(game: Game, event: pb.RoundEnded) -> Game:
    """The stacks are what is open; the deal that follows begins the next round."""
    return game


def _seat_resigned(game: Game, event: pb.SeatResigned) -> Game:
    return replace(game, resigned=tuple(sorted((*game.resigned, Seat(event.seat)))))


def _game_ended(game: Game, event: pb.GameEnded) -> Game:
    return replace(game, ending=EndReason(event.reason))


def _roles_revealed(game: Game, event: pb.RolesRevealed) -> Game:
    """The roles are known since the deal: from the end on a view shows them."""
    return game


_APPLY: dict[type[Message], Callable[[Game, Any], Game]] = {
    pb.GamePrepared: _game_prepared,
    pb.RolesDealt: _roles_dealt,
    pb.ChambersDealt: _chambers_dealt,
    pb.KeyTaken: _key_taken,
    pb.ChamberOpened: _chamber_opened,
    pb.ClaimMade: _claim_made,
    pb.PointedAt: _pointed_at,
    pb.RoundEnded: _round_ended,
    pb.SeatResigned: _seat_resigned,
    pb.GameEnded: _game_ended,
    pb.RolesRevealed: _roles_revealed,
}
