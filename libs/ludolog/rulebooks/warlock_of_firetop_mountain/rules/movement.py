"""7. Movement. Rulings A3, A4, A5, A25, A26, A39."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, WindowKind, is_entrance, is_room
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables


def barred(tables: Tables, game: Game, seat: int, place: str) -> bool:
    """7.8 and A3: a permanently occupied room, until another adventurer has entered and left it."""
    fixed = tables.fixed.get(place)
    if fixed is None or not (fixed.bars_reentry or game.settings.strict_7_8):
        return False
    room, adventurer = game.room(place), game.player(seat).adventurer
    return adventurer is not None and (room.last_leaver, room.last_leaver_life) == (seat, adventurer.life)


def reach(tables: Tables, board: Board, game: Game, seat: int) -> dict[str, tuple[str, ...]]:
    """Where the move may end, with a shortest path to each; one's own space: staying (A4), unless 10.3 forbids."""
    place, turn = game.adventurer(seat).place, game.turn
    paths = board.reach(place, turn.pips_left, game.open_boxes())
    shut = {turn.must_leave, turn.started_at} if turn.must_leave else set()
    return {to: path for to, path in paths.items() if to not in shut and not barred(tables, game, seat, to)}


def steps(board: Board, game: Game, seat: int) -> list[str]:
    """Neighbouring spaces from which the move can go on."""
    near = board.ways(game.adventurer(seat).place, game.open_boxes())
    left = game.turn.pips_left
    return [to for to in near if not is_room(to) and not is_entrance(to) and board.spaces([to]) < left]


def move(play: Play, seat: int, command: pb.Move) -> Next:
    """7.1, 7.4 to 7.6: to a space within reach. Refuses: UNREACHABLE, BARRED, MUST_LEAVE, NOT_NOW."""
    require_window(play.game, seat, "7.1", WindowKind.MOVE)
    game, to = play.game, command.to
    turn = game.turn
    within = play.board.reach(game.adventurer(seat).place, turn.pips_left, game.open_boxes())
    if to not in within:
        raise Refusal("UNREACHABLE", "7.1", to=to, pips_left=turn.pips_left)
    if turn.must_leave and to in {turn.must_leave, turn.started_at}:
        raise Refusal("MUST_LEAVE", "10.3", room=turn.must_leave)
    if barred(play.tables, game, seat, to):
        raise Refusal("BARRED", "7.8", room=to)
    path = within[to]
    play.happen(pb.Moved(seat=seat, path=path, pips_left=0))
    if is_entrance(to) and path:
        play.happen(pb.PassageEntered(seat=seat, entrance=to))
    return Next.MEET if is_room(to) and path else play.claim(0)


def step(play: Play, seat: int, command: pb.Step) -> Next:
    """7.4: one space, and on; not into a room (7.5) or a Secret Passage (14.1).

    Refuses: NOT_ADJACENT, STOPS_THERE, NO_PIPS_LEFT, NOT_NOW.
    """
    require_window(play.game, seat, "7.1", WindowKind.MOVE)
    turn = play.game.turn
    if command.to not in play.board.ways(play.game.adventurer(seat).place, play.game.open_boxes()):
        raise Refusal("NOT_ADJACENT", "7.1", to=command.to)
    if is_room(command.to) or is_entrance(command.to):
        raise Refusal("STOPS_THERE", "7.5" if is_room(command.to) else "14.1", to=command.to)
    left = turn.pips_left - play.board.spaces([command.to])
    if left < 1:  # one to go on
        raise Refusal("NO_PIPS_LEFT", "7.1", pips_left=turn.pips_left)
    play.happen(pb.Moved(seat=seat, path=[command.to], pips_left=left))
    return Next.WAIT
