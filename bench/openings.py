"""A player of all seats of a Tempel match who needs to be told nothing: its commands follow from public facts alone.

The Key Player points at a row and then opens its first closed chamber: half talk, half moves, a redeal in every round.
"""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb

RULEBOOK = "tempel_des_schreckens"
SEATS = 3
ROUNDS = 4
FIRST_HAND = 5
OPTIONS = pb.Options(starting_player=1)


def commands(seats: int = SEATS) -> Iterator[tuple[int, AnyMessage]]:
    """(seat, command) of a whole match that begins with seat 1. The match may end before: then stop asking."""
    key = 1
    for round_number in range(1, ROUNDS + 1):
        closed = dict.fromkeys(range(1, seats + 1), FIRST_HAND + 1 - round_number)
        dealt = FIRST_HAND + 1 - round_number
        for _ in range(seats):
            owner = next(other for step in range(1, seats) if closed[other := (key - 1 + step) % seats + 1])
            yield key, _packed(pb.Command(point_at=pb.PointAt(owner=owner)))
            slot = dealt - closed[owner] + 1
            yield key, _packed(pb.Command(open_chamber=pb.OpenChamber(owner=owner, slot=slot)))
            closed[owner] -= 1
            key = owner


def _packed(command: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(command)
    return packed
