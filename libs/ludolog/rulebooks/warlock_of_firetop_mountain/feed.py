"""What a seat, a spectator and an omniscient reader may know of what happened.

Most events are public and go out as they are. Those in `_TELL` are built anew, without what is hidden from the viewer:
an empty card id is a card face down. Blows and wounds name the creature, so that each update says what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Events, Viewer
from ludolog.rulebooks.warlock_of_firetop_mountain.state import Game, Held
from ludolog.rulebooks.warlock_of_firetop_mountain.view import ALL, bit_of, goods_of, knows


def feed(before: Game, event: Message, after: Game, viewer: Viewer) -> Events:
    """Public events for an event, payloads of PublicEvent. KeyError for a message that isn't one of the events."""
    tell = _TELL.get(type(event))
    if tell is None:
        if type(event) not in _PUBLIC:
            raise KeyError(type(event).DESCRIPTOR.name)
        return (event,)
    return (tell(before, event, after, bit_of(viewer)),)


def _board_populated(before: Game, event: pb.BoardPopulated, after: Game, bit: int) -> Message:
    everything = bit == ALL
    return pb.BoardPopulated(
        treasures=[pb.Laid(room=laid.room, card=laid.card if everything else "") for laid in event.treasures],
        encounters=[
            pb.Laid(room=laid.room, card=laid.card if everything or laid.fixed else "", fixed=laid.fixed)
            for laid in event.encounters
        ],
        maze=event.maze if everything else [pb.MazeBox(id=box.id) for box in event.maze],
    )


def _key_cards_shuffled(before: Game, event: pb.KeyCardsShuffled, after: Game, bit: int) -> Message:
    return event if bit == ALL else pb.KeyCardsShuffled()


def _key_cards_dealt(before: Game, event: pb.KeyCardsDealt, after: Game, bit: int) -> Message:
    hands = [
        pb.Hand(seat=hand.seat, cards=hand.cards if bit in {ALL, hand.seat} else [], count=hand.count)
        for hand in event.hands
    ]
    return pb.KeyCardsDealt(hands=hands)


def _answers(answers: Iterable[pb.Answer], seat: int, bit: int) -> list[pb.Answer]:
    """The challenger sees every card, who shows one their own."""
    return [
        pb.Answer(seat=answer.seat, cards=answer.cards if bit in {ALL, seat, answer.seat} else []) for answer in answers
    ]


def _challenge_answered(before: Game, event: pb.ChallengeAnswered, after: Game, bit: int) -> Message:
    answers = _answers(event.answers, event.seat, bit)
    return pb.ChallengeAnswered(seat=event.seat, number=event.number, answers=answers)


def _chest_answered(before: Game, event: pb.ChestAnswered, after: Game, bit: int) -> Message:
    return pb.ChestAnswered(seat=event.seat, answers=_answers(event.answers, event.seat, bit))


def _key_cards_shown(before: Game, event: pb.KeyCardsShown, after: Game, bit: int) -> Message:
    """Magic leaves the owner ignorant of which card was seen (A35)."""
    told = bit in {ALL, event.seat} or (bit == event.owner and not event.by_magic)
    return pb.KeyCardsShown(
        seat=event.seat,
        owner=event.owner,
        cards=event.cards if told else [],
        complete=event.complete and (told or event.by_magic),
        by_magic=event.by_magic,
    )


def _claim_made(before: Game, event: pb.ClaimMade, after: Game, bit: int) -> Message:
    """What was said is for the one who heard it (12.5); that the two talked is public, as with a look (A35)."""
    return event if bit in {ALL, event.seat, event.to} else pb.ClaimMade(seat=event.seat, to=event.to)


def _seen(cards: Iterable[str], where: Iterable[Held], bit: int) -> list[str]:
    """Cards that the viewer knows where they are now; the others face down."""
    known = {held.card for held in where if knows(held, bit)}
    return [card if card in known else "" for card in cards]


def _treasure_claimed(before: Game, event: pb.TreasureClaimed, after: Game, bit: int) -> Message:
    cards = _seen(event.cards, after.player(event.seat).rucksack, bit)
    return pb.TreasureClaimed(seat=event.seat, room=event.room, slots=event.slots, cards=cards)


def _treasure_picked_up(before: Game, event: pb.TreasurePickedUp, after: Game, bit: int) -> Message:
    cards = _seen(event.cards, after.player(event.seat).rucksack, bit)
    return pb.TreasurePickedUp(seat=event.seat, items=event.items, cards=cards)


def _treasure_left(before: Game, event: pb.TreasureLeft, after: Game, bit: int) -> Message:
    (card,) = _seen([event.card], [item.held for item in after.items], bit)
    return pb.TreasureLeft(seat=event.seat, place=event.place, item=event.item, card=card, everything=event.everything)


def _grave_laid(before: Game, event: pb.GraveLaid, after: Game, bit: int) -> Message:
    cards = _seen(event.cards, [item.held for item in after.items], bit)
    return pb.GraveLaid(seat=event.seat, place=event.place, items=event.items, cards=cards)


def _treasure_stolen(before: Game, event: pb.TreasureStolen, after: Game, bit: int) -> Message:
    where = after.player(event.by).rucksack if event.by else after.room(event.room).stack
    cards = sorted(_seen(event.cards, where, bit), key=lambda card: not card)
    return pb.TreasureStolen(seat=event.seat, by=event.by, room=event.room, cards=cards)


def _trade_offered(before: Game, event: pb.TradeOffered, after: Game, bit: int) -> Message:
    give, take = (goods_of(goods, event, bit) for goods in (event.give, event.take))
    return pb.TradeOffered(seat=event.seat, to=event.to, give=give, take=take)


def _trade_agreed(before: Game, event: pb.TradeAgreed, after: Game, bit: int) -> Message:
    give, take = (goods_of(goods, event, bit) for goods in (event.give, event.take))
    return pb.TradeAgreed(seat=event.seat, to=event.to, give=give, take=take)


def _attack_rolled(before: Game, event: pb.AttackRolled, after: Game, bit: int) -> Message:
    told = pb.AttackRolled()
    told.CopyFrom(event)
    told.encounter = before.fight.encounter if before.fight and not event.opponent else ""
    return told


def _wounded(before: Game, event: pb.Wounded, after: Game, bit: int) -> Message:
    creature = before.fight.encounter if before.fight and not event.seat else ""
    return pb.Wounded(seat=event.seat, points=event.points, stamina=event.stamina, encounter=creature)


_TELL: dict[type[Message], Callable[[Game, Any, Game, int], Message]] = {
    pb.BoardPopulated: _board_populated,
    pb.KeyCardsShuffled: _key_cards_shuffled,
    pb.KeyCardsDealt: _key_cards_dealt,
    pb.ChallengeAnswered: _challenge_answered,
    pb.ChestAnswered: _chest_answered,
    pb.KeyCardsShown: _key_cards_shown,
    pb.ClaimMade: _claim_made,
    pb.TreasureClaimed: _treasure_claimed,
    pb.TreasurePickedUp: _treasure_picked_up,
    pb.TreasureLeft: _treasure_left,
    pb.GraveLaid: _grave_laid,
    pb.TreasureStolen: _treasure_stolen,
    pb.TradeOffered: _trade_offered,
    pb.TradeAgreed: _trade_agreed,
    pb.AttackRolled: _attack_rolled,
    pb.Wounded: _wounded,
}
_PUBLIC: frozenset[type[Message]] = frozenset(
    {
        *(pb.GameCreated, pb.PieceChosen, pb.CharacterRolled, pb.ExtrasTaken, pb.AdventurerReborn, pb.TieDiced),
        *(pb.StartPlayerChosen, pb.WindowOpened, pb.TurnStarted, pb.TurnMissed, pb.TurnForfeited, pb.TurnEnded),
        *(pb.ProvisionsEaten, pb.MovementRolled, pb.Moved, pb.ChallengeMade, pb.ChallengeDeclined),
        *(pb.EncounterRevealed, pb.EncounterResolved, pb.EncounterHidden, pb.EncounterRemoved, pb.GiftGiven),
        *(pb.BattleStarted, pb.RoundAgreed, pb.DieRolled, pb.MonsterKilled),
        *(pb.BattleEnded, pb.LuckTested, pb.StaminaChanged, pb.LuckChanged, pb.SkillChanged, pb.GoldChanged),
        *(pb.ProvisionsChanged, pb.LanternLost, pb.LanternTaken, pb.EscapeRolled, pb.Escaped, pb.SpoilsTaken),
        *(pb.TreasureRevealed, pb.TreasureUsed, pb.TreasureHandedIn, pb.LeavingBegun, pb.LeavingEnded),
        *(pb.TradeDeclined, pb.PassageEntered, pb.PassageLeft, pb.RiverTried, pb.RiverCrossed, pb.FellInRiver),
        *(pb.MazeApproached, pb.MazeInvestigated, pb.AdventurerCaged, pb.CageOpened, pb.AdventurerCursed),
        *(pb.AdventurerDied, pb.PvpUnlocked, pb.ChestKeyNamed, pb.ChestTried, pb.SentToSouthBank),
        *(pb.SeatBecamePassive, pb.GameWon, pb.GameEnded),
    }
)
