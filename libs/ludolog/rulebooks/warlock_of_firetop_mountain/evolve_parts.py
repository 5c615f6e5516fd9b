"""Changes to one part of the state."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game


def with_player(game: Game, seat: int, **changes: Any) -> Game:
    """Change a player."""
    players = game.players
    changed = replace(players[seat - 1], **changes)
    return replace(game, players=(*players[: seat - 1], changed, *players[seat:]))


def with_adventurer(game: Game, seat: int, **changes: Any) -> Game:
    """Change a seat's adventurer. LookupError where there is none."""
    return with_player(game, seat, adventurer=replace(game.adventurer(seat), **changes))


def with_room(game: Game, room_id: str, **changes: Any) -> Game:
    """Change a room."""
    rooms = tuple(replace(room, **changes) if room.id == room_id else room for room in game.rooms)
    return replace(game, rooms=rooms)


def with_turn(game: Game, **changes: Any) -> Game:
    """Change the turn that is on."""
    return replace(game, turn=replace(game.turn, **changes))
