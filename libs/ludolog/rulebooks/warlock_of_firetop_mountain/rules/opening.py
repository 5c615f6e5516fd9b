"""6. Summary of Play: how the turn of a position begins that names no window, and that of nothing else.

Whatever a turn begins with (`turns.begin`) happens while the position is read, up to the first decision. Where a die or
a card is drawn before (14.2, a meeting), the turn is left `unbegun`: it begins as its first command is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.fairness import BlockChance, BlockNeeded
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.evolve import evolve
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import encounters, turns
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Window, WindowKind
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables


def begun(tables: Tables, game: Game) -> Game:
    """The game once its turn has begun: at the first decision, or at START and `unbegun` where something is drawn."""
    if not _obliged(game):
        return game
    play = Play(tables, game, BlockChance(None))
    try:
        turns.proceed(play, Next.BEGIN)
    except BlockNeeded:
        return _unbegun(game, play.events)
    return play.game


def _obliged(game: Game) -> bool:
    """Whether the turn is at its start, and something comes before START."""
    turn, window = game.turn, game.window
    under_way = turn.die or turn.acted or turn.ate or turn.freed or turn.came_out or turn.chest_tried or turn.open_box
    if under_way or window.kind is not WindowKind.START or game.ending or game.offer or game.leaving or game.fight:
        return False
    adventurer = game.player(turn.seat).ready
    if adventurer is None:
        return False
    return bool(
        adventurer.misses_turns
        or adventurer.caged
        or adventurer.investigating
        or (adventurer.in_passage and not adventurer.lanterns)
        or encounters.waits(game, turn.seat)
    )


def _unbegun(game: Game, events: list[Message]) -> Game:
    """The start of the turn that can't begin without a draw; turns that are missed before it have passed."""
    passed = max((place for place, event in enumerate(events, 1) if isinstance(event, pb.TurnStarted)), default=0)
    game = reduce(evolve, events[:passed], game)
    turn = replace(game.turn, unbegun=True)
    return replace(game, turn=turn, window=Window(WindowKind.START, turn.seat))


def may_begin(game: Game, seat: int) -> bool:
    """Whether the seat's `roll_movement` begins a turn that is `unbegun`; nothing else does (A30, RULINGS W16)."""
    return game.turn.unbegun and game.turn.seat == seat


def first(play: Play, seat: int, command: Any, handler: Callable[[Play, int, Any], Next]) -> Next:
    """The turn begins, then the command is carried out if START is reached. Refuses: as the command does, NOT_NOW."""
    with suppress(BlockNeeded):
        handler(Play(play.tables, play.game, BlockChance(None)), seat, command)
    if not (isinstance(command, pb.RollMovement) and may_begin(play.game, seat)):
        raise Refusal("NOT_NOW", "6.1", window=play.game.window.kind.name)
    number = play.game.turn.number
    turns.proceed(play, Next.BEGIN)
    at_start = play.game.window == Window(WindowKind.START, seat) and play.game.turn.number == number
    return handler(play, seat, command) if at_start and not play.game.leaving else Next.WAIT
