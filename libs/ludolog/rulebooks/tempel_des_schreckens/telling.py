"""What happened, in one line for each public event. Every public event has its entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.rulebooks.tempel_des_schreckens.board_text import ENDINGS, FACES, ROLES, a, counted, said

Name = Callable[[int], str]


def tell(event: Message, names: Mapping[int, str], view: Message | None = None) -> str:
    """Tell a public event in one line of plain text; `names`: seat → name, "player 3" where there is none."""
    return _LINES[type(event)](event, lambda seat: names.get(seat, f"player {seat}"))


def _game_prepared(event: pb.PublicEvent.GamePrepared, name: Name) -> str:
    return f"A table for {event.seats}: {event.chambers.gold} gold and {event.chambers.fire} fire are hidden."


def _roles_dealt(event: pb.PublicEvent.RolesDealt, name: Name) -> str:
    aside = ", one card is set aside unseen" if event.role_set_aside else ""
    own = f" You are {a(ROLES[event.own_role])}." if event.own_role else ""
    return f"Roles are dealt{aside}.{own}"


def _chambers_dealt(event: pb.PublicEvent.ChambersDealt, name: Name) -> str:
    own = f" You were dealt {counted(event.own)}." if event.HasField("own") else ""
    return f"Round {event.round}: {event.chambers_each} chambers each.{own}"


def _key_taken(event: pb.PublicEvent.KeyTaken, name: Name) -> str:
    return f"{name(event.seat)} takes the key."


def _chamber_opened(event: pb.PublicEvent.ChamberOpened, name: Name) -> str:
    luck = " at random" if event.at_random else ""
    return f"{name(event.by)} opens chamber {event.slot} of {name(event.owner)}{luck}: {FACES[event.chamber][0]}."


def _claim_made(event: pb.PublicEvent.ClaimMade, name: Name) -> str:
    return f"{name(event.seat)} {said(event)}."


def _pointed_at(event: pb.PublicEvent.PointedAt, name: Name) -> str:
    return f"{name(event.seat)} points at {f'chamber {event.slot} of ' if event.slot else ''}{name(event.owner)}."


def _round_ended(event: pb.PublicEvent.RoundEnded, name: Name) -> str:
    return f"Round {event.round} is over. Found so far: {counted(event.stacks)}."


def _seat_resigned(event: pb.PublicEvent.SeatResigned, name: Name) -> str:
    return f"{name(event.seat)} resigns."


def _game_ended(event: pb.PublicEvent.GameEnded, name: Name) -> str:
    return ENDINGS[event.reason]


def _roles_revealed(event: pb.PublicEvent.RolesRevealed, name: Name) -> str:
    return f"Roles: {', '.join(f'{name(seat)} {ROLES[role]}' for seat, role in enumerate(event.roles, 1))}."


_LINES: Mapping[type[Message], Callable[[Any, Name], str]] = {
    pb.PublicEvent.GamePrepared: _game_prepared,
    pb.PublicEvent.RolesDealt: _roles_dealt,
    pb.PublicEvent.ChambersDealt: _chambers_dealt,
    pb.PublicEvent.KeyTaken: _key_taken,
    pb.PublicEvent.ChamberOpened: _chamber_opened,
    pb.PublicEvent.ClaimMade: _claim_made,
    pb.PublicEvent.PointedAt: _pointed_at,
    pb.PublicEvent.RoundEnded: _round_ended,
    pb.PublicEvent.SeatResigned: _seat_resigned,
    pb.PublicEvent.GameEnded: _game_ended,
    pb.PublicEvent.RolesRevealed: _roles_revealed,
}
