"""What a seat, a spectator and an omniscient reader may know of what happened. Every event type has its entry here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Events, Omniscient, Seated, Viewer
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.state import Game


def feed(before: Game, event: Message, after: Game, viewer: Viewer) -> Events:
    """Public events for an event, payloads of PublicEvent. KeyError for a message that isn't one of the events."""
    return (_TELL[type(event)](after, event, viewer),)


def _game_prepared(game: Game, event: pb.GamePrepared, viewer: Viewer) -> Message:
    return pb.PublicEvent.GamePrepared(
        seats=event.seats, memory_mode=event.memory_mode, roles=event.roles, chambers=event.chambers
    )


def _roles_dealt(game: Game, event: pb.RolesDealt, viewer: Viewer) -> Message:
    told = pb.PublicEvent.RolesDealt(role_set_aside=game.role_pack.total > game.seats)
    if isinstance(viewer, Seated):
        told.own_role = event.roles[viewer.seat - 1]
    elif isinstance(viewer, Omniscient):
        told.roles.extend(event.roles)
        told.leftover = event.leftover
    return told


def _chambers_dealt(game: Game, event: pb.ChambersDealt, viewer: Viewer) -> Message:
    """Numbers only, never the order of a row; in memory mode the view alone shows them, once."""
    told = pb.PublicEvent.ChambersDealt(round=event.round, chambers_each=len(event.rows[0].chambers))
    if isinstance(viewer, Seated) and not game.memory_mode:
        told.own.CopyFrom(words.counts(game.row(viewer.seat).dealt()))
    elif isinstance(viewer, Omniscient):
        told.rows.extend(event.rows)
    return told


def _key_taken(game: Game, event: pb.KeyTaken, viewer: Viewer) -> Message:
    return pb.PublicEvent.KeyTaken(seat=event.seat)


def _chamber_opened(game: Game, event: pb.ChamberOpened, viewer: Viewer) -> Message:
    return pb.PublicEvent.ChamberOpened(
        by=event.by, owner=event.owner, slot=event.slot, chamber=event.chamber, at_random=event.at_random
    )


def _claim_made(game: Game, event: pb.ClaimMade, viewer: Viewer) -> Message:
    return pb.PublicEvent.ClaimMade(
        seat=event.seat,
        team=event.team,
        empty=event.empty if event.HasField("empty") else None,
        gold=event.gold if event.HasField("gold") else None,
        fire=event.fire if event.HasField("fire") else None,
    )


def _pointed_at(game: Game, event: pb.PointedAt, viewer: Viewer) -> Message:
    return pb.PublicEvent.PointedAt(seat=event.seat, owner=event.owner, slot=event.slot)


def _round_ended(game: Game, event: pb.RoundEnded, viewer: Viewer) -> Message:
    return pb.PublicEvent.RoundEnded(round=event.round, stacks=event.stacks)


def _seat_resigned(game: Game, event: pb.SeatResigned, viewer: Viewer) -> Message:
    return pb.PublicEvent.SeatResigned(seat=event.seat)


def _game_ended(game: Game, event: pb.GameEnded, viewer: Viewer) -> Message:
    return pb.PublicEvent.GameEnded(winner=event.winner, reason=event.reason)


def _roles_revealed(game: Game, event: pb.RolesRevealed, viewer: Viewer) -> Message:
    return pb.PublicEvent.RolesRevealed(roles=event.roles)


_TELL: dict[type[Message], Callable[[Game, Any, Viewer], Message]] = {
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
