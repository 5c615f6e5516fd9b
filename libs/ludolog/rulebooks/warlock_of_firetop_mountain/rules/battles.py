"""9. Battles: Attack Rounds against creatures and between adventurers. Rulings A6, A8, A9, A33, A37, A41."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.rules import death
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.changes import (
    change_luck,
    change_stamina,
    has_magic_weapon,
    roll,
    shown_special,
    test_luck,
    weapon_bonus,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play, require_window
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Fight, WindowKind, is_entrance
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Encounter

WOUND, DOUBLE_WOUND = 2, 4
"""STAMINA of a wound (9.3 iii), and of one by a double six (9.7)."""
SIX = 6


def current(play: Play) -> Fight:
    """The battle that is on."""
    fight = play.game.fight
    if fight is None:
        raise LookupError("no battle is on")
    return fight


def begin(play: Play, card: Encounter, place: str) -> Next:
    """9.1: a creature is to be fought."""
    play.happen(
        pb.BattleStarted(seat=play.seat, encounter=card.id, place=place, skill=card.skill, stamina=card.stamina)
    )
    return play.open(WindowKind.FIGHT, play.seat)


def declare_fight(play: Play, seat: int, command: pb.DeclareFight) -> Next:
    """6.3 and A6: the adventurer on turn attacks.

    Refuses: PVP_LOCKED, SECRET_PASSAGE, ALREADY_FOUGHT, NOT_THERE, NOT_NOW.
    """
    game = play.game
    require_window(game, seat, "6.3", WindowKind.ARRIVAL)
    place = game.adventurer(seat).place
    if command.opponent not in game.present(place, but=seat):
        raise Refusal("NOT_THERE", "6.3", opponent=command.opponent)
    if is_entrance(place):
        raise Refusal("SECRET_PASSAGE", "14.4")
    if not game.pvp_unlocked:
        raise Refusal("PVP_LOCKED", "5.2")
    if game.turn.fought:
        raise Refusal("ALREADY_FOUGHT", "6.3", ruling="A8")
    play.happen(pb.BattleStarted(seat=seat, opponent=command.opponent, place=place))
    return play.open(WindowKind.FIGHT, seat)


def attack_round(play: Play, seat: int, command: pb.AttackRound) -> Next:
    """9.3. Between adventurers both have to go on (A41). Draws "attack" four times. Refuses: NOT_NOW."""
    require_window(play.game, seat, "9.3", WindowKind.FIGHT)
    fight = current(play)
    if not fight.opponent:
        return against_creature(play, fight)
    if fight.rounds and not fight.agreed:
        play.happen(pb.RoundAgreed(seat=seat))
        return play.open(WindowKind.FIGHT, fight.opponent)
    return between_adventurers(play, fight)


def roll_attack(play: Play, fight: Fight, opponent_skill: int) -> tuple[list[int], list[int], int]:
    """9.3 i and ii: the creature, or the other adventurer, rolls first. Returns both dice, and the seat's lead."""
    theirs = [play.chance.d6("attack"), play.chance.d6("attack")]
    ours = [play.chance.d6("attack"), play.chance.d6("attack")]
    their_total = sum(theirs) + opponent_skill
    our_total = sum(ours) + attack_skill(play, fight.seat)
    play.happen(
        pb.AttackRolled(
            seat=fight.seat,
            opponent=fight.opponent,
            opponent_dice=theirs,
            dice=ours,
            opponent_total=their_total,
            total=our_total,
        )
    )
    return theirs, ours, our_total - their_total


def attack_skill(play: Play, seat: int) -> int:
    """SKILL with one weapon (2.7)."""
    return play.game.adventurer(seat).skill + weapon_bonus(play, seat)


def damage(play: Play, dice: list[int]) -> int:
    """2, or by the optional rule 4 for a double six that wins the round (9.7)."""
    return DOUBLE_WOUND if play.game.settings.double_six_rule and dice == [SIX, SIX] else WOUND


def wound(play: Play, seat: int, points: int) -> None:
    """An adventurer is wounded; the Magic Shield may save a point, by the die. Draws "shield"."""
    shield = shown_special(play, seat, "shield")
    if shield and roll(play, seat, pb.DIE_KIND_SHIELD) == shield.amounts["saves_on"]:
        points = max(0, points - shield.amounts["saves_stamina"])
    stamina = max(0, play.game.adventurer(seat).stamina - points)
    play.happen(pb.Wounded(seat=seat, points=points, stamina=stamina))


def against_creature(play: Play, fight: Fight) -> Next:
    """A round against a creature, with what is special about it."""
    card, seat = play.tables.encounters[fight.encounter], fight.seat
    jewel = shown_special(play, seat, "jewel") if card.special == "warlock" else None
    skill = fight.skill - jewel.amounts["warlock_skill"] if jewel else fight.skill
    theirs, ours, ahead = roll_attack(play, fight, skill)
    if card.special == "vampire" and theirs[0] == theirs[1] and not test_luck(play, seat):
        return death.killed_by_creature(play, seat)
    if ahead < 0:
        return _struck(play, card, seat, theirs)
    if ahead > 0 and not (card.special == "wight" and not has_magic_weapon(play, seat)):
        points = damage(play, ours)
        left = max(0, fight.stamina - points)
        play.happen(pb.Wounded(points=points, stamina=left))
        if not left:
            return victory(play)
    return Next.WAIT


def _struck(play: Play, card: Encounter, seat: int, dice: list[int]) -> Next:
    wound(play, seat, damage(play, dice))
    if card.special == "hell_hound" and roll(play, seat, pb.DIE_KIND_FIRE) <= card.amounts["fire_up_to"]:
        change_stamina(play, seat, -card.amounts["fire_stamina"])
    paralysed = card.special == "ghoul" and current(play).wounds >= card.amounts["deadly_wound"]
    if paralysed or not play.game.adventurer(seat).stamina:
        return death.killed_by_creature(play, seat)
    return Next.WAIT


def victory(play: Play) -> Next:
    """9.4 to 9.6: the creature is dead; LUCK +1; the treasure may be claimed. Fixed ones come anew (7.7)."""
    fight, seat = current(play), play.seat
    play.happen(pb.MonsterKilled(seat=seat, encounter=fight.encounter))
    change_luck(play, seat, 1)
    play.happen(pb.BattleEnded(seat=seat))
    if fight.encounter == "CROCODILE":
        play.happen(pb.SentToSouthBank(seat=seat, place=play.board.south_bank))
        return Next.END
    if fight.place not in play.tables.fixed:
        play.happen(pb.EncounterRemoved(room=fight.place, encounter=fight.encounter))
    return play.claim(len(play.game.room(fight.place).stack))


def between_adventurers(play: Play, fight: Fight) -> Next:
    """A round between adventurers: who declared it is the adventurer of 9.3, the other stands for the monster (9.2)."""
    theirs, ours, ahead = roll_attack(play, fight, attack_skill(play, fight.opponent))
    if ahead:
        loser, dice = (fight.opponent, ours) if ahead > 0 else (fight.seat, theirs)
        wound(play, loser, damage(play, dice))
        if not play.game.adventurer(loser).stamina:
            return death.killed_by_adventurer(play, loser, fight.other(loser))
    return play.open(WindowKind.FIGHT, fight.seat)
