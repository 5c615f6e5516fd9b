"""Whether a house player comes out of a room or a meeting alive, in parts of a thousand."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_fight import THOUSAND, chance_to_win
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import Mind

UNSEEN = (7, 7)
"""SKILL and STAMINA that a face-down encounter is reckoned with."""
MEAL = 4
TRAP = 50
"""Parts of a thousand that traps and traders cost."""


def odds(mind: Mind, room_id: str) -> int:
    """To come out of a room alive by a fight to the death."""
    return _odds(mind, room_id, mind.sheet.stamina)


def best_odds(mind: Mind, room_id: str) -> int:
    """The same after eating all that helps; on the way through the mountain's guards only, elsewhere a certainty."""
    return _odds(mind, room_id, best_stamina(mind)) if room_id in mind.guarded else THOUSAND


def best_stamina(mind: Mind) -> int:
    """STAMINA after eating all that helps."""
    return min(mind.sheet.initial_stamina, mind.sheet.stamina + MEAL * mind.sheet.provisions)


def _odds(mind: Mind, room_id: str, stamina: int) -> int:
    room = mind.room(room_id)
    if room is None or not room.occupied:
        return THOUSAND
    known = room.encounter
    if not known.id:
        return (THOUSAND + chance_to_win(mind.me.attack - UNSEEN[0], stamina, UNSEEN[1])) // 2
    if not known.skill:
        return THOUSAND - TRAP
    return 0 if immune(mind, known.id) else _creature(mind, known, stamina)


def _creature(mind: Mind, known: pb.EncounterCard, stamina: int) -> int:
    special = mind.tables.encounters[known.id].special
    if (special == "dragon" and mind.holds("dragonfire")) or (known.undead and mind.holds("giver_of_sleep")):
        return THOUSAND
    skill = known.skill - (_jewel(mind) if special == "warlock" else 0)
    result = chance_to_win(mind.me.attack - skill, stamina, known.stamina)
    return result if deadly_after(mind, known.id) is None else result * 3 // 4


def deadly_after(mind: Mind, encounter: str) -> int | None:
    """Wounds after which a creature's odds are halved, because it can kill at once (Ghoul, Vampire)."""
    card = mind.tables.encounters[encounter]
    if card.special == "ghoul":
        return card.amounts["deadly_wound"] - 2
    return 0 if card.special == "vampire" else None


def _jewel(mind: Mind) -> int:
    """What the Cyclops Jewel takes off the Warlock's SKILL."""
    carried = [mind.tables.treasures[card.id] for card in mind.cards]
    return sum(card.amounts["warlock_skill"] for card in carried if card.special == "jewel")


def immune(mind: Mind, encounter: str) -> bool:
    """Whether the own blows can't wound it (Wight, without a magic weapon)."""
    armed = any(card.kind == pb.CARD_KIND_SWORD for card in mind.cards) or mind.holds("giver_of_sleep")
    return mind.tables.encounters[encounter].special == "wight" and not armed


def against(mind: Mind, seat: int) -> int:
    """To beat another adventurer, or make them flee."""
    other = mind.view.players[seat - 1]
    return chance_to_win(mind.me.attack - other.attack, mind.sheet.stamina, other.adventurer.stamina)
