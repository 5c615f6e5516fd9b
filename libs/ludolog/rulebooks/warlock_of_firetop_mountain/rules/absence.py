"""Players who leave, and decisions that nobody makes: the book says nothing. Rulings A38, A45, RULINGS W1, W6."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.death import hide_creature, laid_out
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, active
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.set_up import finish, require_stage
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.treasure import leave
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.turns import resume
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Fight, Stage, WindowKind

SECTION = "Platform"


def decline_character(play: Play, seat: int, command: pb.DeclineCharacter) -> Next:
    """17.3 "may", A45: a dead player plays on without adventurer. Refuses: NOT_NOW."""
    require_stage(play, seat, Stage.CHARACTER, "17.3")
    if not play.game.player(seat).lives:
        raise Refusal("NOT_NOW", "17.3", window=play.game.window.kind.name)
    return passive(play, seat, resigned=False)


def resign(play: Play, seat: int) -> Next:
    """A player leaves the table. Refuses: RESIGNED."""
    if play.game.player(seat).stage is Stage.PASSIVE:
        raise Refusal("RESIGNED", SECTION, seat=seat, ruling="A38")
    return passive(play, seat, resigned=True)


def passive(play: Play, seat: int, *, resigned: bool) -> Next:
    """The seat only shows Key Cards from now on; its treasure lies there for anybody; the last player left wins."""
    before = play.game
    if before.offer and seat in {before.offer.seat, before.offer.to}:
        play.happen(pb.TradeDeclined(seat=before.offer.to))
    if before.leaving and before.leaving.seat == seat:
        play.happen(pb.LeavingEnded(seat=seat))
    fight = before.fight
    fought = fight is not None and seat in {fight.seat, fight.opponent}
    if fight and fought:
        hide_creature(play)
        play.happen(pb.BattleEnded(seat=fight.seat))
    adventurer = before.player(seat).ready
    if adventurer:
        for card in laid_out(play, before.player(seat).rucksack):
            leave(play, seat, card, everything=True)
        if adventurer.caged:
            play.happen(pb.EncounterHidden(room=adventurer.place))
    play.happen(pb.SeatBecamePassive(seat=seat, resigned=resigned))
    left = active(play.game)
    if len(left) == 1:
        play.happen(pb.GameEnded(reason=pb.END_REASON_OPPONENTS_LEFT, winner=left[0]))
        return Next.WAIT
    return _go_on(play, seat, fight if fought else None)


def _go_on(play: Play, seat: int, fight: Fight | None) -> Next:
    """Nobody waits on who left; whose opponent left goes on with their turn (A8), unless one of the two fled (A48)."""
    window = play.game.window
    if window.kind is WindowKind.SET_UP:
        return finish(play)
    if seat == play.seat:
        return Next.END
    if fight:
        return Next.END if fight.escaped else Next.ARRIVAL
    if window.kind is WindowKind.OVER and play.game.leaving is None:
        return Next.END
    return resume(play) if window.kind is WindowKind.ARRIVAL else Next.WAIT
