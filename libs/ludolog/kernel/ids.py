"""Who looks and who sits where."""

from __future__ import annotations

from typing import NewType, TypeAlias

import msgspec

Seat = NewType("Seat", int)
"""A seat at the table, counted from 1."""


class Seated(msgspec.Struct, frozen=True):
    """Somebody who sees what one seat may see."""

    seat: Seat


class Spectator(msgspec.Struct, frozen=True):
    """Somebody who sees what everybody may see."""


class Omniscient(msgspec.Struct, frozen=True):
    """Somebody who sees everything: tests, records, replays after the end."""


Viewer: TypeAlias = Seated | Spectator | Omniscient
SPECTATOR = Spectator()
OMNISCIENT = Omniscient()
