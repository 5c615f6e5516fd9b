"""14. Secret Passages. Rulings A27, A43."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import roll
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Adventurer, Game, WindowKind, is_entrance


def stumbles(adventurer: Adventurer) -> bool:
    """14.2: the turn begins with the exit die."""
    return adventurer.in_passage and not adventurer.lanterns


def stumble(play: Play) -> None:
    """14.2: without a lantern the die says where one comes out; no Key Challenge on a 1 (A27). Draws "exit"."""
    die = roll(play, play.seat, pb.DIE_KIND_EXIT)
    entrance = f"{play.game.adventurer(play.seat).place[0]}{die}"
    play.happen(pb.PassageLeft(seat=play.seat, entrance=entrance, forced=True))


def exits(board: Board, game: Game, seat: int) -> list[str]:
    """14.1: the other entrances of the same colour, for who begins the turn on one and has a lantern."""
    adventurer = game.adventurer(seat)
    if not adventurer.lanterns or not may_go_through(game, seat):
        return []
    return [name for name in board.entrances if name[0] == adventurer.place[0] and name != adventurer.place]


def may_go_through(game: Game, seat: int) -> bool:
    """On a Secret Passage space, and not just come out there."""
    return is_entrance(game.adventurer(seat).place) and not game.turn.came_out


def exit_secret_passage(play: Play, seat: int, command: pb.ExitSecretPassage) -> Next:
    """14.1: then roll and move on. Refuses: NO_SUCH_ENTRANCE, NO_LANTERN, NOT_NOW."""
    require_window(play.game, seat, "14.1", WindowKind.START)
    adventurer = play.game.adventurer(seat)
    if not adventurer.lanterns:
        raise Refusal("NO_LANTERN", "14.2")
    if not may_go_through(play.game, seat):
        raise Refusal("NOT_NOW", "14.1", window=play.game.window.kind.name)
    if command.entrance not in exits(play.board, play.game, seat):
        raise Refusal("NO_SUCH_ENTRANCE", "14.1", entrance=command.entrance)
    play.happen(pb.PassageLeft(seat=seat, entrance=command.entrance))
    return Next.WAIT
