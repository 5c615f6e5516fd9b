"""6. Summary of Play: the skeleton of a turn, and 4. Provisions. Rulings A7, A18, A24, A27, A34, A39; 5.2."""

from __future__ import annotations

from collections.abc import Callable

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import chest, encounters, escaping, passages
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import change_provisions, change_stamina
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import (
    Next,
    Play,
    active,
    excess,
    require_adventurer,
    require_window,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    Adventurer,
    Game,
    MazeCard,
    Stage,
    WindowKind,
    is_room,
)

MEAL = 4
"""STAMINA of a batch of Provisions (4.2)."""
RESUME = {
    Next.CLAIM: WindowKind.CLAIM,
    Next.ARRIVAL: WindowKind.ARRIVAL,
    Next.FLIGHT: WindowKind.FLIGHT,
    Next.END: WindowKind.OVER,
}
"""Where a turn goes on after cards were left behind."""
PLAYED_ON = {kind: step for step, kind in RESUME.items()}


def proceed(play: Play, step: Next) -> None:
    """Go on until somebody has to decide something, or the game is over."""
    while play.game.ending is None:
        unlock_fights(play)
        if step is not Next.BEGIN and begin_leaving(play, step):
            return
        if step is Next.WAIT:
            return
        step = STEPS[step](play)


def begin_leaving(play: Play, step: Next) -> bool:
    """2.10: who carries too much leaves something first; the window keeps what comes afterwards."""
    if play.game.leaving is None:
        over = [seat for seat in range(1, play.game.seats + 1) if any(excess(play.tables, play.game, seat))]
        if not over:
            return False
        play.happen(pb.LeavingBegun(seat=over[0]))
    if step in RESUME:
        seat = play.game.fight.escaped if step is Next.FLIGHT and play.game.fight else play.seat
        play.open(RESUME[step], seat, play.limit if step is Next.CLAIM else 0)
    return True


def resume(play: Play) -> Next:
    """What the open window stands for, once nothing has to be left any more."""
    window = play.game.window
    if window.kind is WindowKind.CLAIM:
        return play.claim(window.limit)
    return PLAYED_ON.get(window.kind, Next.WAIT)


def unlock_fights(play: Play) -> None:
    """5.2: fights are open once every adventurer has entered and left a room; for ever (A18)."""
    if play.game.pvp_unlocked or not play.game.turn.number:
        return
    players = [play.game.player(seat) for seat in active(play.game)]
    if all(player.ready and player.ready.left_a_room for player in players):
        play.happen(pb.PvpUnlocked())


def end_turn(play: Play) -> Next:
    """The turn passes clockwise (5.1); after the last round of the table's limit the game is over."""
    play.happen(pb.TurnEnded(seat=play.seat))
    turn, seats = play.game.turn, active(play.game)
    following = next((seat for seat in seats if seat > turn.seat), seats[0])
    round_number = turn.round + (following <= turn.seat)
    if round_number > play.game.settings.most_rounds:
        play.happen(pb.GameEnded(reason=pb.END_REASON_ROUND_LIMIT))
        return Next.WAIT
    play.happen(pb.TurnStarted(seat=following, number=turn.number + 1, round=round_number))
    return Next.BEGIN


def begin(play: Play) -> Next:
    """What a turn begins with, in the digest's order (1.6): missed turns, cage, maze, lantern, a waiting encounter."""
    seat = play.seat
    if play.game.player(seat).stage is not Stage.READY:
        return play.open(WindowKind.REBIRTH, seat)
    adventurer = play.game.adventurer(seat)
    if adventurer.misses_turns:
        play.happen(pb.TurnMissed(seat=seat, left=adventurer.misses_turns - 1))
        return Next.END
    if adventurer.caged:
        return play.open(WindowKind.CAGE, seat)
    if adventurer.investigating and investigate(play, adventurer):
        return Next.END
    if passages.stumbles(adventurer):
        passages.stumble(play)
    if encounters.waits(play.game, seat):
        return Next.MEET
    return play.open(WindowKind.START, seat)


def investigate(play: Play, adventurer: Adventurer) -> bool:
    """16.2: the card is turned up; a dead end costs this turn (A24), and another one by the option. True: it did."""
    box = next(box for box in play.game.maze if box.id == adventurer.investigating)
    play.happen(pb.MazeInvestigated(seat=play.seat, box=box.id, card=pb.MazeCard.ValueType(box.card)))
    if box.card is MazeCard.THROUGH:
        return False
    play.happen(pb.TurnMissed(seat=play.seat, left=0))
    if play.game.settings.dead_end_extra:
        play.happen(pb.TurnForfeited(seat=play.seat, turns=1))
    return True


def claim(play: Play) -> Next:
    """Ruling A7: treasure before the meeting; what lies about is picked up here too (7.6, 17.1)."""
    seat = play.seat
    adventurer = play.game.adventurer(seat)
    stack = play.game.room(adventurer.place).stack if is_room(adventurer.place) else ()
    limit = min(play.limit, len(stack))
    if limit or play.game.here(seat):
        return play.open(WindowKind.CLAIM, seat, limit)
    if play.game.turn.freed and not play.game.turn.die:
        return play.open(WindowKind.START, seat)
    return Next.ARRIVAL


def arrival(play: Play) -> Next:
    """The move is over: 6.3, 13.1, 15, 16.2, if there is anything to decide; else the turn ends."""
    if has_choice(play.game, play):
        return play.open(WindowKind.ARRIVAL, play.seat)
    return Next.END


def has_choice(game: Game, play: Play) -> bool:
    """Whether anything can be done after the move."""
    place = game.adventurer(play.seat).place
    return (
        bool(game.present(place, but=play.seat))
        or may_cross_on_arrival(play, game)
        or place in play.board.box_at
        or chest.seems_to_try(play.tables, game, play.seat)
    )


def may_cross_on_arrival(play: Play, game: Game) -> bool:
    """L4: who has reached a bank in this turn may try the river at once."""
    place = game.adventurer(play.seat).place
    return play.board.river_on_arrival and place in play.board.banks and not game.turn.stayed


def roll_movement(play: Play, seat: int, command: pb.RollMovement) -> Next:
    """7.1. Draws "movement". After a 1 a Key Challenge comes first (7.3). Refuses: NOT_NOW."""
    require_window(play.game, seat, "7.1", WindowKind.START)
    die = play.chance.d6("movement")
    play.happen(pb.MovementRolled(seat=seat, die=die))
    return play.open(WindowKind.CHALLENGE if die == 1 else WindowKind.MOVE, seat)


def eat_provisions(play: Play, seat: int, command: pb.EatProvisions) -> Next:
    """4.1 to 4.3: the whole turn. Refuses: NO_PROVISIONS, ATE_LAST_TURN, MUST_LEAVE, ALREADY_ACTED, NOT_NOW."""
    require_window(play.game, seat, "4.1", WindowKind.START)
    adventurer = require_adventurer(play.game, seat, "4.1")
    if not adventurer.provisions:
        raise Refusal("NO_PROVISIONS", "4.1")
    if adventurer.ate_last_turn:
        raise Refusal("ATE_LAST_TURN", "4.1")
    if adventurer.must_leave:
        raise Refusal("MUST_LEAVE", "10.3", room=adventurer.must_leave)
    if has_acted(play.game, adventurer):
        raise Refusal("ALREADY_ACTED", "4.1", ruling="W16")
    play.happen(pb.ProvisionsEaten(seat=seat))
    change_provisions(play, seat, -1)
    change_stamina(play, seat, MEAL)
    return Next.END


def has_acted(game: Game, adventurer: Adventurer) -> bool:
    """RULINGS W16: whether the one on turn has done, or begins with, something that leaves no time for a meal (4.1)."""
    turn = game.turn
    return turn.acted or turn.came_out or bool(turn.open_box) or passages.stumbles(adventurer)


def may_eat(game: Game, seat: int) -> bool:
    """Whether `eat_provisions` would be accepted at the start of the seat's turn."""
    adventurer = game.adventurer(seat)
    return bool(
        adventurer.provisions
        and not adventurer.ate_last_turn
        and not adventurer.must_leave
        and not has_acted(game, adventurer)
    )


def end(play: Play, seat: int, command: pb.EndTurn) -> Next:
    """6.3: ignore whoever is there. Refuses: NOT_NOW."""
    require_window(play.game, seat, "6.3", WindowKind.ARRIVAL)
    return Next.END


def meet(play: Play) -> Next:
    """7.7: the encounter of the room, if there is one."""
    return encounters.meet(play)


STEPS: dict[Next, Callable[[Play], Next]] = {
    Next.BEGIN: begin,
    Next.MEET: meet,
    Next.CLAIM: claim,
    Next.ARRIVAL: arrival,
    Next.FLIGHT: escaping.flight,
    Next.END: end_turn,
}
