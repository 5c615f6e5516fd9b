"""16. The Maze: stopping to investigate; the look begins the next turn (`turns`). Rulings A24 to A26, A49."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import WindowKind


def investigate_maze(play: Play, seat: int, command: pb.InvestigateMaze) -> Next:
    """16.2: the turn ends beside the box. Refuses: NOT_ADJACENT, NOT_NOW."""
    require_window(play.game, seat, "16.2", WindowKind.MOVE, WindowKind.ARRIVAL)
    if play.board.box_at.get(play.game.adventurer(seat).place) != command.box:
        raise Refusal("NOT_ADJACENT", "16.2", box=command.box)
    if play.game.window.kind is WindowKind.MOVE:
        play.happen(pb.Moved(seat=seat, pips_left=0))
    play.happen(pb.MazeApproached(seat=seat, box=command.box))
    return Next.END
