"""8. Encounters: what happens on arrival in a room (6.2, 7.7), card by card. Rulings A1, A7, A32, A35, A39."""

from __future__ import annotations

from collections.abc import Callable

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import battles, deals, death
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import (
    change_gold,
    change_stamina,
    roll,
    test_luck,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Room
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Encounter


def holds_another(game: Game, seat: int) -> bool:
    """RULINGS W11: the cage of the room holds somebody else, so that it doesn't act."""
    place = game.adventurer(seat).place
    return any(game.adventurer(other).caged for other in game.present(place, but=seat))


def waits(game: Game, seat: int) -> bool:
    """10.4: an encounter that this turn begins with, after a flight into its room."""
    adventurer = game.adventurer(seat)
    return (
        adventurer.pending_encounter and bool(game.room(adventurer.place).encounter) and not holds_another(game, seat)
    )


def meet(play: Play) -> Next:
    """Turn up the Encounter Card, or meet the fixed one; without any, or while it holds somebody caged, just claim."""
    room = play.game.room(play.game.adventurer(play.seat).place)
    if not room.encounter:
        return play.claim(len(room.stack))
    if holds_another(play.game, play.seat):
        return play.claim(0)
    play.happen(pb.EncounterRevealed(seat=play.seat, room=room.id, encounter=room.encounter))
    card = play.tables.encounters[room.encounter]
    if card.kind == "creature":
        return battles.begin(play, card, room.id)
    return CARDS[card.special](play, room, card)


def resolved(play: Play, room: Room, card: Encounter, *, removed: bool) -> None:
    """Say what was met, and take the card off the board where it goes."""
    play.happen(pb.EncounterResolved(seat=play.seat, room=room.id, encounter=card.id))
    if removed:
        play.happen(pb.EncounterRemoved(room=room.id, encounter=card.id))


def stack_size(play: Play, room: Room) -> int:
    """Cards in the room's stack."""
    return len(play.game.room(room.id).stack)


def fool(play: Play, room: Room, card: Encounter) -> Next:
    """Gives his treasure, or one die of Gold once it is gone; never twice to the same adventurer. Draws "fool"."""
    resolved(play, room, card, removed=False)
    if play.game.adventurer(play.seat).met_fool:
        return play.claim(0)
    if room.stack:
        return play.claim(len(room.stack))
    change_gold(play, play.seat, roll(play, play.seat, pb.DIE_KIND_FOOL))
    play.happen(pb.GiftGiven(seat=play.seat))
    return play.claim(0)


def pickpocket(play: Play, room: Room, card: Encounter) -> Next:
    """By the die he steals a card, else Gold, or one of his stack may be taken. Draws "pickpocket", "random card"."""
    seat = play.seat
    resolved(play, room, card, removed=False)
    if roll(play, seat, pb.DIE_KIND_PICKPOCKET) > card.amounts["steals_up_to"]:
        return play.claim(1)
    if rucksack := play.game.player(seat).rucksack:
        stolen = play.chance.choose("random card", [held.card for held in rucksack])
        play.happen(pb.TreasureStolen(seat=seat, room=room.id, cards=[stolen]))
    else:
        change_gold(play, seat, -min(card.amounts["steals_gold"], play.game.adventurer(seat).gold))
    return play.claim(0)


def cage(play: Play, room: Room, card: Encounter) -> Next:
    """Caught: the next turn is missed; later turns begin with a try (`deals.try_cage`)."""
    resolved(play, room, card, removed=False)
    play.happen(pb.AdventurerCaged(seat=play.seat))
    forfeit(play, card)
    return play.claim(0)


def pit(play: Play, room: Room, card: Encounter) -> Next:
    """Test for Luck; Unlucky: STAMINA and turns are lost. The card is removed."""
    lucky = test_luck(play, play.seat)
    resolved(play, room, card, removed=True)
    if not lucky:
        change_stamina(play, play.seat, -card.amounts["loses_stamina"])
        if death.dies(play, play.seat):
            return Next.END
        forfeit(play, card)
    return play.claim(stack_size(play, room))


def forfeit(play: Play, card: Encounter) -> None:
    """Turns to be missed, if the card costs any."""
    if turns := card.amounts["missed_turns"]:
        play.happen(pb.TurnForfeited(seat=play.seat, turns=turns))


def gas(play: Play, room: Room, card: Encounter) -> Next:
    """STAMINA is lost. The card is removed."""
    resolved(play, room, card, removed=True)
    change_stamina(play, play.seat, -card.amounts["loses_stamina"])
    return Next.END if death.dies(play, play.seat) else play.claim(stack_size(play, room))


def spring(play: Play, room: Room, card: Encounter) -> Next:
    """STAMINA is restored. The card is removed."""
    resolved(play, room, card, removed=True)
    change_stamina(play, play.seat, card.amounts["gains_stamina"])
    return play.claim(stack_size(play, room))


def trapdoor(play: Play, room: Room, card: Encounter) -> Next:
    """Test for Luck; Unlucky: to the Entrance, the card face down again; Lucky: removed."""
    if test_luck(play, play.seat):
        resolved(play, room, card, removed=True)
        return play.claim(stack_size(play, room))
    resolved(play, room, card, removed=False)
    play.happen(pb.EncounterHidden(room=room.id))
    play.happen(pb.Moved(seat=play.seat, path=[play.board.entrance], pips_left=0))
    return Next.END


CARDS: dict[str, Callable[[Play, Room, Encounter], Next]] = {
    "fool": fool,
    "pickpocket": pickpocket,
    "shylock": deals.offer,
    "hexmaster": deals.offer,
    "beggar": deals.offer,
    "cage": cage,
    "pit": pit,
    "gas": gas,
    "wise_man": deals.offer,
    "wise_man_all": deals.offer,
    "spring": spring,
    "trader": deals.offer,
    "trapdoor": trapdoor,
}
