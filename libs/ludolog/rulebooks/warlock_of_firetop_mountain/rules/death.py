"""17. Death. Rulings A9, A10, A16, A17, A40, A42."""

from __future__ import annotations

from collections.abc import Iterable

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import change_gold, change_provisions
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Held, WindowKind, is_room


def dies(play: Play, seat: int) -> bool:
    """Bury the seat's adventurer if no STAMINA is left (2.8). True: it is dead."""
    if play.game.adventurer(seat).stamina:
        return False
    bury(play, seat)
    return True


def bury(play: Play, seat: int) -> None:
    """17.1: Treasure Cards stay, hidden, for this player alone; all else is lost (A17). May draw "hidden cards"."""
    adventurer = play.game.adventurer(seat)
    if rucksack := play.game.player(seat).rucksack:
        first = play.game.last_item + 1
        play.happen(
            pb.GraveLaid(
                seat=seat,
                place=adventurer.place,
                items=range(first, first + len(rucksack)),
                cards=laid_out(play, rucksack),
            )
        )
    if adventurer.caged:
        play.happen(pb.EncounterHidden(room=adventurer.place))
    play.happen(pb.AdventurerDied(seat=seat, place=adventurer.place))


def laid_out(play: Play, rucksack: Iterable[Held]) -> list[str]:
    """The order in which all cards of a rucksack get their public numbers: it tells nothing of what is hidden.

    Cards that everybody knows by id, then the others as drawn. Draws "hidden cards" for two and more.
    """
    shown = [held.card for held in rucksack if held.shown]
    hidden = [held.card for held in rucksack if not held.shown]
    return shown + list(play.chance.shuffle("hidden cards", hidden) if len(hidden) > 1 else hidden)


def hide_creature(play: Play) -> None:
    """9.4, A40: the card is turned down and stays, at full strength; fixed ones and the crocodile have none."""
    fight = play.game.fight
    if fight and is_room(fight.place) and fight.encounter and fight.place not in play.tables.fixed:
        play.happen(pb.EncounterHidden(room=fight.place))


def killed_by_creature(play: Play, seat: int) -> Next:
    """The creature stays (A40); the turn is over."""
    hide_creature(play)
    play.happen(pb.BattleEnded(seat=seat))
    bury(play, seat)
    return Next.END


def killed_by_adventurer(play: Play, seat: int, killer: int) -> Next:
    """17.2: the victor has all Treasure Cards, Gold, Provisions and the lantern, and may leave cards behind (A16).

    The turn goes on for the one on turn, unless it is they who died (A8).
    """
    adventurer = play.game.adventurer(seat)
    play.happen(pb.BattleEnded(seat=play.seat))
    rucksack = play.game.player(seat).rucksack
    if rucksack:
        play.happen(pb.TreasureStolen(seat=seat, by=killer, cards=[held.card for held in rucksack]))
    change_gold(play, killer, adventurer.gold)
    change_provisions(play, killer, adventurer.provisions)
    if adventurer.lanterns:
        play.happen(pb.LanternTaken(seat=killer, loser=seat, count=adventurer.lanterns))
    if adventurer.caged:
        play.happen(pb.EncounterHidden(room=adventurer.place))
    play.happen(pb.AdventurerDied(seat=seat, place=adventurer.place, killer=killer))
    lives = killer == play.seat
    if rucksack:
        play.open(WindowKind.ARRIVAL if lives else WindowKind.OVER, play.seat)
        play.happen(pb.LeavingBegun(seat=killer, optional=True))
    return Next.ARRIVAL if lives else Next.END
