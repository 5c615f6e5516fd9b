"""House players: what a seat sees goes in, a command comes out."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from ludolog.kernel import Chance, LegalCommand, Seat, random_command


def belief(view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Play."""
    return random_command(view, legal, seat, chance)
