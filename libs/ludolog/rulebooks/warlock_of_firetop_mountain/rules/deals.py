"""8. Encounters that offer a choice: Beggar, Shylock, Hexmaster, Wise Man, Travelling Trader, and the Cage Trap."""

from __future__ import annotations

from collections.abc import Callable

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import (
    change_gold,
    change_provisions,
    change_skill,
    change_stamina,
    discover,
    roll,
    test_luck,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Room, WindowKind
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Encounter, Tables

SECTION = "8"


def room_of(game: Game) -> Room:
    """The room that the seat on turn stands in."""
    return game.room(game.adventurer(game.turn.seat).place)


def choices(tables: Tables, game: Game) -> list[pb.ResolveEncounter]:
    """What the encounter offers to the seat on turn; PASS last, where it is one of them."""
    card = tables.encounters[room_of(game).encounter]
    return [*OFFERS[card.special](tables, game), pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_PASS)]


def cage_choices() -> list[pb.ResolveEncounter]:
    """How to get out of the cage."""
    return [
        pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_LUCK),
        pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_DIE),
    ]


def _gold(game: Game) -> int:
    return game.adventurer(game.turn.seat).gold


def _beggar(tables: Tables, game: Game) -> list[pb.ResolveEncounter]:
    affordable = _gold(game) >= tables.price["beggar"]
    return [pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_PAY)] if affordable else []


def _looks(game: Game) -> list[pb.ResolveEncounter]:
    return [
        pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_LOOK, seat=seat)
        for seat, player in enumerate(game.players, 1)
        if seat != game.turn.seat and player.key_cards
    ]


def _wise_man(tables: Tables, game: Game) -> list[pb.ResolveEncounter]:
    return _looks(game)


def _shylock(tables: Tables, game: Game) -> list[pb.ResolveEncounter]:
    offers = []
    if _gold(game) >= tables.price["shylock_card"]:
        buy = pb.ENCOUNTER_CHOICE_BUY_TREASURE
        offers = [pb.ResolveEncounter(choice=buy, slot=slot) for slot in range(1, len(room_of(game).stack) + 1)]
    rucksack = game.player(game.turn.seat).rucksack
    offers += [pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_SELL, card=held.card) for held in rucksack]
    return offers + (_looks(game) if _gold(game) >= tables.price["shylock_look"] else [])


def _hexmaster(tables: Tables, game: Game) -> list[pb.ResolveEncounter]:
    if _gold(game) < tables.price["hexmaster"]:
        return []
    over = tables.encounters[room_of(game).encounter].amounts["over_stamina"]
    return [
        pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_CURSE, seat=seat)
        for seat, player in enumerate(game.players, 1)
        if seat != game.turn.seat and (found := player.ready) and not found.cursed and found.stamina > over
    ]


def _trader(tables: Tables, game: Game) -> list[pb.ResolveEncounter]:
    each = tables.price["trader_provisions"]
    sold = tables.encounters[room_of(game).encounter].amounts["most_provisions"] - game.turn.bought
    most = min(sold, _gold(game) // each) if each else sold
    buy = pb.ENCOUNTER_CHOICE_BUY_PROVISIONS
    offers = [pb.ResolveEncounter(choice=buy, amount=amount) for amount in range(1, most + 1)]
    if room_of(game).stack and _gold(game) >= tables.price["trader_treasure"]:
        offers.append(pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_BUY_TREASURE, slot=1))
    return offers


OFFERS: dict[str, Callable[[Tables, Game], list[pb.ResolveEncounter]]] = {
    "beggar": _beggar,
    "shylock": _shylock,
    "hexmaster": _hexmaster,
    "wise_man": _wise_man,
    "wise_man_all": _wise_man,
    "trader": _trader,
}


def offer(play: Play, room: Room, card: Encounter) -> Next:
    """Open the choice; where nothing can be chosen, it is passed at once."""
    if len(choices(play.tables, play.game)) > 1:
        return play.open(WindowKind.ENCOUNTER, play.seat)
    return finish(play, room, card, pb.ResolveEncounter(choice=pb.ENCOUNTER_CHOICE_PASS))


def resolve_encounter(play: Play, seat: int, command: pb.ResolveEncounter) -> Next:
    """Do what was chosen.

    Refuses: NO_SUCH_CHOICE, NOT_ENOUGH_GOLD, NOT_HELD, NO_SUCH_PLAYER, NO_SUCH_TREASURE, NOT_NOW.
    """
    require_window(play.game, seat, SECTION, WindowKind.ENCOUNTER, WindowKind.CAGE)
    if play.game.window.kind is WindowKind.CAGE:
        if command not in cage_choices():
            raise Refusal("NO_SUCH_CHOICE", SECTION)
        return try_cage(play, command)
    if command not in choices(play.tables, play.game):
        raise Refusal(_why_not(play, command), SECTION)
    room = room_of(play.game)
    return finish(play, room, play.tables.encounters[room.encounter], command)


def _why_not(play: Play, command: pb.ResolveEncounter) -> str:
    """The reason for which a choice isn't open; it depends on what everybody, or the seat itself, can see."""
    card = play.tables.encounters[room_of(play.game).encounter]
    special = card.special
    prices = {
        ("beggar", pb.ENCOUNTER_CHOICE_PAY): "beggar",
        ("shylock", pb.ENCOUNTER_CHOICE_BUY_TREASURE): "shylock_card",
        ("shylock", pb.ENCOUNTER_CHOICE_LOOK): "shylock_look",
        ("hexmaster", pb.ENCOUNTER_CHOICE_CURSE): "hexmaster",
        ("trader", pb.ENCOUNTER_CHOICE_BUY_TREASURE): "trader_treasure",
        ("trader", pb.ENCOUNTER_CHOICE_BUY_PROVISIONS): "trader_provisions",
    }
    price = prices.get((special, command.choice))
    sold = command.amount in range(1, card.amounts.get("most_provisions", 0) - play.game.turn.bought + 1)
    many = command.amount if sold and command.choice == pb.ENCOUNTER_CHOICE_BUY_PROVISIONS else 1
    if price and _gold(play.game) < many * play.tables.price[price]:
        return "NOT_ENOUGH_GOLD"
    known = {
        ("shylock", pb.ENCOUNTER_CHOICE_SELL): "NOT_HELD",
        ("shylock", pb.ENCOUNTER_CHOICE_LOOK): "NO_SUCH_PLAYER",
        ("wise_man", pb.ENCOUNTER_CHOICE_LOOK): "NO_SUCH_PLAYER",
        ("wise_man_all", pb.ENCOUNTER_CHOICE_LOOK): "NO_SUCH_PLAYER",
        ("hexmaster", pb.ENCOUNTER_CHOICE_CURSE): "NO_SUCH_PLAYER",
        ("shylock", pb.ENCOUNTER_CHOICE_BUY_TREASURE): "NO_SUCH_TREASURE",
        ("trader", pb.ENCOUNTER_CHOICE_BUY_TREASURE): "NO_SUCH_TREASURE",
    }
    return known.get((special, command.choice), "NO_SUCH_CHOICE")


def finish(play: Play, room: Room, card: Encounter, command: pb.ResolveEncounter) -> Next:
    """Carry out a choice that is open."""
    play.happen(
        pb.EncounterResolved(
            seat=play.seat,
            room=room.id,
            encounter=card.id,
            choice=command.choice,
            target=command.seat,
            amount=command.amount,
        )
    )
    return DEALS[card.special](play, room, command)


def beggar(play: Play, room: Room, command: pb.ResolveEncounter) -> Next:
    """Example of Play: the treasure for 1 Gold Piece, and he leaves; unpaid he stays, face down."""
    if command.choice == pb.ENCOUNTER_CHOICE_PASS:
        play.happen(pb.EncounterHidden(room=room.id))
        return play.claim(0)
    change_gold(play, play.seat, -play.tables.price["beggar"])
    play.happen(pb.EncounterRemoved(room=room.id, encounter=room.encounter))
    if room.stack:
        take(play, room, list(range(1, len(room.stack) + 1)))
    return play.claim(0)


def take(play: Play, room: Room, slots: list[int]) -> None:
    """Take cards of a stack; Gold and Provisions are revealed at once (8.2)."""
    stack = play.game.room(room.id).stack
    cards = [stack[slot - 1].card for slot in slots]
    play.happen(pb.TreasureClaimed(seat=play.seat, room=room.id, slots=slots, cards=cards))
    discover(play, play.seat, cards)


def shylock(play: Play, room: Room, command: pb.ResolveEncounter) -> Next:
    """One deal a visit (7.7)."""
    price = play.tables.price
    if command.choice == pb.ENCOUNTER_CHOICE_BUY_TREASURE:
        change_gold(play, play.seat, -price["shylock_card"])
        take(play, room, [command.slot])
    elif command.choice == pb.ENCOUNTER_CHOICE_SELL:
        play.happen(pb.TreasureStolen(seat=play.seat, room=room.id, cards=[command.card]))
        change_gold(play, play.seat, price["shylock_pays"])
    elif command.choice == pb.ENCOUNTER_CHOICE_LOOK:
        change_gold(play, play.seat, -price["shylock_look"])
        look(play, command.seat)
    return play.claim(0)


def look(play: Play, owner: int) -> None:
    """See one random numbered Key Card of a player; only the looker learns which (A35). Draws "random key card"."""
    cards = play.game.player(owner).key_cards
    card = pb.KeyCard.ValueType(play.chance.choose("random key card", cards))
    play.happen(pb.KeyCardsShown(seat=play.seat, owner=owner, cards=[card], complete=len(cards) == 1, by_magic=True))


def look_at_all(play: Play, seat: int, owner: int) -> None:
    """See all numbered Key Cards of a player; only the looker learns which (A35)."""
    cards = [pb.KeyCard.ValueType(card) for card in play.game.player(owner).key_cards]
    play.happen(pb.KeyCardsShown(seat=seat, owner=owner, cards=cards, complete=True, by_magic=True))


def hexmaster(play: Play, room: Room, command: pb.ResolveEncounter) -> Next:
    """A curse costs SKILL and STAMINA, once to each adventurer; his treasure is free to claim."""
    if command.choice == pb.ENCOUNTER_CHOICE_CURSE:
        change_gold(play, play.seat, -play.tables.price["hexmaster"])
        play.happen(pb.AdventurerCursed(seat=play.seat, target=command.seat))
        curse = play.tables.encounters[room.encounter].amounts
        change_skill(play, command.seat, -curse["curse_skill"])
        change_stamina(play, command.seat, -curse["curse_stamina"])
    return play.claim(len(room.stack))


def wise_man(play: Play, room: Room, command: pb.ResolveEncounter) -> Next:
    """Shows a random Key Card of a named player, and is gone."""
    if command.choice == pb.ENCOUNTER_CHOICE_LOOK:
        look(play, command.seat)
    play.happen(pb.EncounterRemoved(room=room.id, encounter=room.encounter))
    return play.claim(len(room.stack))


def wise_man_all(play: Play, room: Room, command: pb.ResolveEncounter) -> Next:
    """L5: shows all Key Cards of a named player, and is gone."""
    if command.choice == pb.ENCOUNTER_CHOICE_LOOK:
        look_at_all(play, play.seat, command.seat)
    play.happen(pb.EncounterRemoved(room=room.id, encounter=room.encounter))
    return play.claim(len(room.stack))


def trader(play: Play, room: Room, command: pb.ResolveEncounter) -> Next:
    """Sells Provisions, and the treasure; leaves when the treasure is sold, else stays, face down."""
    price = play.tables.price
    if command.choice == pb.ENCOUNTER_CHOICE_BUY_TREASURE:
        change_gold(play, play.seat, -price["trader_treasure"])
        play.happen(pb.EncounterRemoved(room=room.id, encounter=room.encounter))
        take(play, room, [1])
        return play.claim(0)
    if command.choice == pb.ENCOUNTER_CHOICE_BUY_PROVISIONS:
        change_gold(play, play.seat, -price["trader_provisions"] * command.amount)
        change_provisions(play, play.seat, command.amount)
        if len(choices(play.tables, play.game)) > 1:
            return Next.WAIT
    play.happen(pb.EncounterHidden(room=room.id))
    return play.claim(0)


DEALS: dict[str, Callable[[Play, Room, pb.ResolveEncounter], Next]] = {
    "beggar": beggar,
    "shylock": shylock,
    "hexmaster": hexmaster,
    "wise_man": wise_man,
    "wise_man_all": wise_man_all,
    "trader": trader,
}


def try_cage(play: Play, command: pb.ResolveEncounter) -> Next:
    """Out by luck or by a high die; claim the treasure, and move in the same turn. Draws "luck" or "cage"."""
    room = room_of(play.game)
    opens = play.tables.encounters[room.encounter].amounts["opens_from"]
    if command.choice == pb.ENCOUNTER_CHOICE_LUCK:
        out = test_luck(play, play.seat)
    else:
        out = roll(play, play.seat, pb.DIE_KIND_CAGE) >= opens
    play.happen(pb.EncounterResolved(seat=play.seat, room=room.id, encounter=room.encounter, choice=command.choice))
    if not out:
        return Next.END
    play.happen(pb.CageOpened(seat=play.seat))
    play.happen(pb.EncounterRemoved(room=room.id, encounter=room.encounter))
    return play.claim(len(room.stack))
