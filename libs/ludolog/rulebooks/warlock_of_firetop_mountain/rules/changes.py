"""Changes on the Adventure Sheet (2.6, 3, 9.5): never above Initial, never below 0; luck tests."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Play
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Treasure


def change_stamina(play: Play, seat: int, by: int) -> None:
    """STAMINA, within 0 and Initial (2.6); nothing is told where nothing changes."""
    adventurer = play.game.adventurer(seat)
    value = max(0, min(adventurer.initial_stamina, adventurer.stamina + by))
    if value != adventurer.stamina:
        play.happen(pb.StaminaChanged(seat=seat, by=value - adventurer.stamina, stamina=value))


def change_luck(play: Play, seat: int, by: int) -> None:
    """LUCK, within 0 and Initial (2.6, ruling A29)."""
    adventurer = play.game.adventurer(seat)
    value = max(0, min(adventurer.initial_luck, adventurer.luck + by))
    if value != adventurer.luck:
        play.happen(pb.LuckChanged(seat=seat, by=value - adventurer.luck, luck=value))


def change_skill(play: Play, seat: int, by: int) -> None:
    """SKILL, within 0 and Initial (2.6)."""
    adventurer = play.game.adventurer(seat)
    value = max(0, min(adventurer.initial_skill, adventurer.skill + by))
    if value != adventurer.skill:
        play.happen(pb.SkillChanged(seat=seat, by=value - adventurer.skill, skill=value))


def change_gold(play: Play, seat: int, by: int) -> None:
    """Gold Pieces."""
    if by:
        play.happen(pb.GoldChanged(seat=seat, by=by, gold=play.game.adventurer(seat).gold + by))


def change_provisions(play: Play, seat: int, by: int) -> None:
    """Provisions."""
    if by:
        provisions = play.game.adventurer(seat).provisions + by
        play.happen(pb.ProvisionsChanged(seat=seat, by=by, provisions=provisions))


def test_luck(play: Play, seat: int) -> bool:
    """3.1, 3.2: two dice against LUCK, compared first, then one point is gone. Draws "luck" twice."""
    luck = play.game.adventurer(seat).luck
    dice = [play.chance.d6("luck"), play.chance.d6("luck")]
    lucky = sum(dice) <= luck
    play.happen(pb.LuckTested(seat=seat, dice=dice, lucky=lucky, luck=max(0, luck - 1)))
    return lucky


def roll(play: Play, seat: int, kind: pb.DieKind.ValueType) -> int:
    """Roll a die for something; its purpose is the kind in lower case, such as "bridge"."""
    die = play.chance.d6(pb.DieKind.Name(kind).removeprefix("DIE_KIND_").lower())
    play.happen(pb.DieRolled(seat=seat, kind=kind, die=die))
    return die


def discover(play: Play, seat: int, cards: list[str]) -> None:
    """8.2: Gold and Provisions are revealed when discovered, added to the sheet and handed in."""
    for card in cards:
        treasure = play.tables.treasures[card]
        if treasure.is_money:
            play.happen(pb.TreasureRevealed(seat=seat, card=card))
            _add(play, seat, treasure)
            play.happen(pb.TreasureHandedIn(seat=seat, card=card))


def _add(play: Play, seat: int, treasure: Treasure) -> None:
    if treasure.kind == "gold":
        change_gold(play, seat, treasure.amount)
    else:
        change_provisions(play, seat, treasure.amount)


def shown_special(play: Play, seat: int, special: str) -> Treasure | None:
    """A card of this kind that a seat has turned up (8.1)."""
    shown = (play.tables.treasures[held.card] for held in play.game.player(seat).rucksack if held.shown)
    return next((card for card in shown if card.special == special), None)


def weapon_bonus(play: Play, seat: int) -> int:
    """2.7: the best magic sword that is shown; one weapon at a time."""
    treasures = play.tables.treasures
    return max((treasures[held.card].bonus for held in play.game.player(seat).rucksack if held.shown), default=0)


def has_magic_weapon(play: Play, seat: int) -> bool:
    """A magic sword, or Giver of Sleep as an ordinary weapon, that is shown."""
    return bool(weapon_bonus(play, seat) or shown_special(play, seat, "giver_of_sleep"))
