"""Parts of messages that several services make alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

M = TypeVar("M", bound=Message)


def timestamp(at_ms: int) -> Timestamp:
    """Unix milliseconds as a message."""
    time = Timestamp()
    time.FromMilliseconds(at_ms)
    return time


def seats(seat_type: type[M], seated: Iterable[tuple[int, str]], called: Mapping[str, str]) -> list[M]:
    """Seats and the ids of who sits there as `Match.Seat` or `Replay.Seat`; `called`: player id → display name."""
    return [
        seat_type(seat=seat, player=f"players/{player_id}", display_name=called.get(player_id, ""))
        for seat, player_id in seated
    ]
