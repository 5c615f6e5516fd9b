"""What cards and the ends of moves are called in labels, from what the seat can see. Stop rules: 6, 7, 14 to 16.

Players are "player 2": the page and the terminal put their names there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Held, Item, is_entrance, is_room
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

Facts = tuple[tuple[str, str], ...]

STOPS = {
    "STAY": "",
    "ROOM": "a room ends the move",
    "SECRET_PASSAGE": "ends the move",
    "FULL_COUNT": "full count",
    "CHOICE": "",
    "RIVER_BANK": "the river can be tried here",
    "MAZE_ENTRANCE": "its Maze Card can be looked at",
    "DEAD_END": "dead end",
    "TREASURE": "something lies here",
}
"""Stop rule → words: why a move ends there (7.1, 7.5, 14.1), and what may be done there (15, 16.2, 7.6)."""


def move_ends(
    tables: Tables, board: Board, game: Game, seat: int, within: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, Facts]]:
    """For each end of a move and the way there: it, its label, and facts.

    Facts are `spaces`, `stop` (of STOPS, or MEETING), `who`, `met`.
    """
    lying = {item.place for item in game.items if item.owner in {0, seat}}
    others = {player.ready.place for player in game.players if player.ready}
    for to, path in within.items():
        spaces = board.spaces(path)
        stops = [*_why(game, to, spaces), *board.stops.get(to, ()), *(["TREASURE"] if to in lying else [])]
        words = [STOPS[stop] for stop in stops if STOPS[stop]]
        facts = [("spaces", str(spaces))]
        if is_room(to) and path and (met := _encounter(tables, game, to)):
            words.append(met)
            facts.append(("met", met))
        if to in others and (who := game.present(to, but=seat)):
            stops.append("MEETING")
            words.append(f"{_listed([f'player {other}' for other in who])} {'is' if len(who) == 1 else 'are'} here")
            facts.append(("who", ",".join(map(str, who))))
        count = f"{spaces} of {game.turn.pips_left}" if "CHOICE" in stops else str(spaces)
        text = f"Move {count} to {board.names[to]}" if path else f"Stay: {board.names[to]}"
        yield to, "; ".join([text, *words]), (*facts, ("stop", ",".join(stops)))


def _why(game: Game, to: str, spaces: int) -> list[str]:
    if not spaces:
        return ["STAY"]
    if is_room(to):
        return ["ROOM"]
    if is_entrance(to):
        return ["SECRET_PASSAGE"]
    return ["FULL_COUNT" if spaces == game.turn.pips_left else "CHOICE"]


def _encounter(tables: Tables, game: Game, place: str) -> str:
    room = game.room(place)
    if not room.encounter:
        return ""
    return f"the {tables.encounters[room.encounter].title}" if room.revealed else "an unknown encounter"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def card(tables: Tables, held: Held, seat: int, number: int = 0) -> str:
    """A card of a stack as the seat sees it; without a number: the only one."""
    hidden = f"face-down card {number}" if number else "the face-down card"
    return tables.treasures[held.card].called if held.knows(seat) else hidden


def lying(tables: Tables, item: Item, seat: int) -> str:
    """A card that lies about as the seat sees it."""
    return card(tables, item.held, seat, item.item) + (" from your grave" if item.owner == seat else "")
