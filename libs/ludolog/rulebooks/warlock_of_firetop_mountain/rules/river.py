"""15. The River. Rulings A11, A12, A42; L4 of the digest."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import battles
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import change_gold, roll, test_luck
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, WindowKind
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables


def may_cross(board: Board, game: Game, seat: int) -> bool:
    """On a bank: instead of the roll; where the data set says so (L4), also in the turn that reached the bank."""
    place = game.adventurer(seat).place
    if place not in board.banks:
        return False
    if game.window.kind is WindowKind.START:
        return True
    reached = board.river_on_arrival and not game.turn.stayed
    return game.window.kind is WindowKind.ARRIVAL and reached


def ways(tables: Tables, game: Game, seat: int) -> list[pb.RiverWay.ValueType]:
    """15.1: the ways that the seat can take; the ferry for 3 Gold Pieces only."""
    rich = game.adventurer(seat).gold >= tables.price["ferry"]
    return [*([pb.RIVER_WAY_FERRY] if rich else []), pb.RIVER_WAY_RAFT, pb.RIVER_WAY_BRIDGE]


def cross_river(play: Play, seat: int, command: pb.CrossRiver) -> Next:
    """15.1, 15.3. Draws "luck" twice for the raft, "bridge" for the bridge. Refuses: NOT_ENOUGH_GOLD, NOT_NOW."""
    require_window(play.game, seat, "15.1", WindowKind.START, WindowKind.ARRIVAL)
    if not may_cross(play.board, play.game, seat):
        raise Refusal("NOT_NOW", "15.1", window=play.game.window.kind.name)
    if command.way not in ways(play.tables, play.game, seat):
        raise Refusal("NOT_ENOUGH_GOLD", "15.1", price=play.tables.price["ferry"])
    play.happen(pb.RiverTried(seat=seat, way=command.way))
    if command.way == pb.RIVER_WAY_FERRY:
        change_gold(play, seat, -play.tables.price["ferry"])
        result = "across"
    elif command.way == pb.RIVER_WAY_RAFT:
        result = play.tables.raft[test_luck(play, seat)]
    else:
        result = play.tables.bridge[roll(play, seat, pb.DIE_KIND_BRIDGE) - 1]
    return _end_up(play, seat, result)


def _end_up(play: Play, seat: int, result: str) -> Next:
    bank = play.game.adventurer(seat).place
    if result == "across":
        play.happen(pb.RiverCrossed(seat=seat, to=play.board.other_bank(bank)))
        return Next.END
    if result == "stay":
        return Next.END
    play.happen(pb.FellInRiver(seat=seat))
    return battles.begin(play, play.tables.encounters["CROCODILE"], bank)
