"""Changes to one part of the state."""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec.structs import replace

from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Held, held_of, is_room


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


def moved_to(game: Game, seat: int, way: tuple[str, ...], **changes: Any) -> Game:
    """An adventurer goes from the first to the last space of a way; a room that is left remembers its last leaver."""
    adventurer = game.adventurer(seat)
    for place in way[:-1]:
        if is_room(place):
            game = with_room(game, place, last_leaver=seat, last_leaver_life=adventurer.life)
            changes["left_a_room"] = True
    entered_by = way[-2] if is_room(way[-1]) and len(way) > 1 else ""
    changes = {"pending_encounter": False, "in_passage": False, "investigating": "", **changes}
    return with_adventurer(game, seat, place=way[-1], entered_by=entered_by, **changes)


@cache
def fresh_stack(card: str) -> tuple[Held, ...]:
    """A room's Treasure Card as it was laid: the same stack in all matches."""
    return (held_of(card, fresh=True),)
