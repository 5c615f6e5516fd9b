"""What happened, in one line for each public event, for the terminal. What only keeps the books has an empty one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

ENDINGS = {
    pb.END_REASON_OPPONENTS_LEFT: "Nobody else is left",
    pb.END_REASON_ROUND_LIMIT: "The last round is over: the mountain keeps its treasure",
}

DICE = {
    pb.DIE_KIND_BRIDGE: " for the bridge",
    pb.DIE_KIND_CAGE: " to get out of the cage",
    pb.DIE_KIND_EXIT: " for the way out of the Secret Passage",
    pb.DIE_KIND_FIRE: " for the Hell Hound's fire",
    pb.DIE_KIND_FOOL: " for the Fool's Gold",
    pb.DIE_KIND_PICKPOCKET: " for the Pickpocket",
    pb.DIE_KIND_SHIELD: " for the Magic Shield",
}
"""What a die is rolled for."""


def tell(tables: Tables, event: Message, names: Mapping[int, str], view: pb.View) -> str:
    """Tell a public event in one line of plain text; `names`: seat → name, "player 3" where there is none.

    `view`: any of the match; it says by which options cards are different.
    """
    line = LINES.get(type(event), "")
    return line if isinstance(line, str) else line(Told(tables.played(view), event, names))


def claim(said: pb.Claim | pb.ClaimMade, names: Mapping[int, str]) -> str:
    """What was said of a key; "player 3" where a seat has no name."""
    owner = names.get(said.owner, f"player {said.owner}") if said.owner else "the chest"
    return f"key {said.number} is{'' if said.holds else ' not'} {'with' if said.owner else 'in'} {owner}"


@dataclass(frozen=True, slots=True)
class Told:
    """An event `e`, and words for what stands in it."""

    tables: Tables
    e: Any
    names: Mapping[int, str]

    @property
    def who(self) -> str:
        """The player whom it is about."""
        return self.name(self.e.seat)

    def name(self, seat: int) -> str:
        """A player."""
        return self.names.get(seat, f"player {seat}")

    def card(self, card: str) -> str:
        """A Treasure Card; an empty id is one face down."""
        if not card:
            return "a card"
        return self.tables.treasures[card].called

    def cards(self, cards: Iterable[str]) -> str:
        """Treasure Cards; those that are face down are counted."""
        ids = list(cards)
        hidden = ids.count("") if ids else 1
        covered = [] if not hidden else ["a card"] if hidden == 1 else [f"{hidden} cards"]
        return ", ".join([self.card(card) for card in ids if card] + covered)

    def creature(self, encounter: str) -> str:
        """An Encounter Card, or the crocodile."""
        return f"the {self.tables.encounters[encounter].title}" if encounter else "the creature"

    def place(self, space: str) -> str:
        """A space."""
        return self.tables.place(space)

    def goods(self, goods: pb.Goods) -> str:
        """One side of a trade."""
        parts = [self.card(card) for card in goods.cards]
        parts += [f"{goods.gold} Gold"] * bool(goods.gold) + [f"{goods.provisions} Provisions"] * bool(goods.provisions)
        shows = goods.shows + len(goods.key_cards)
        which = f" ({_faces(goods.key_cards)})" if goods.key_cards else ""
        parts += [f"a look at {shows} Key Card{'s' * (shows > 1)}{which}"] * bool(shows)
        return ", ".join(parts + ["a look at Key Cards"] * goods.look) or "nothing"

    def answers(self, answers: Iterable[pb.Answer]) -> str:
        """What the others showed, as far as the reader may know."""
        told = [f"{self.name(answer.seat)} shows {_faces(answer.cards)}" for answer in answers if answer.cards]
        return f"{'; '.join(told)}." if told else "The others show their cards."


def _faces(cards: Iterable[int]) -> str:
    return ", ".join("a blank" if card == pb.KEY_CARD_BLANK else str(card) for card in cards)


def _extras(extras: pb.ExtrasTaken) -> str:
    provisions = [f"{extras.provisions} more Provisions"] * bool(extras.provisions)
    return " and ".join(provisions + [f"{extras.gold} Gold"] * bool(extras.gold)) or "nothing more"


def _by(points: int, what: str) -> str:
    return f"loses {-points} {what}" if points < 0 else f"gains {points} {what}"


def _dice(dice: Iterable[int]) -> str:
    return "+".join(map(str, dice))


def _throw(dice: Sequence[int], total: int) -> str:
    """What two dice make with SKILL."""
    return f"{_dice(dice)} + SKILL {total - sum(dice)} = {total}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _battle(x: Told) -> str:
    if x.e.opponent:
        return f"{x.who} attacks {x.name(x.e.opponent)}."
    return f"{x.who} fights {x.creature(x.e.encounter)}: SKILL {x.e.skill}, STAMINA {x.e.stamina}."


def _reads(effect: str) -> str:
    """What a card says: the end of a sentence."""
    return f": {effect}" if effect else "."


def _met(x: Told) -> str:
    return f"{x.who} meets {x.creature(x.e.encounter)}{_reads(x.tables.encounters[x.e.encounter].effect)}"


def _used(x: Told, verb: str) -> str:
    return f"{x.who} {verb} {x.card(x.e.card)}{_reads(x.tables.treasures[x.e.card].effect)}"


def _attack(x: Told) -> str:
    other = x.name(x.e.opponent) if x.e.opponent else x.creature(x.e.encounter)
    ours, theirs = _throw(x.e.dice, x.e.total), _throw(x.e.opponent_dice, x.e.opponent_total)
    tie = " Nobody is hit." if x.e.total == x.e.opponent_total else ""
    return f"{x.who} {ours}; {other} {theirs}.{tie}"


def _shown(x: Told) -> str:
    which = f": {_faces(x.e.cards)}" if x.e.cards else ""
    if x.e.by_magic:
        return f"{x.who} sees Key Cards of {x.name(x.e.owner)}{which}."
    return f"{x.name(x.e.owner)} shows {x.who} Key Cards{which}."


def _claimed(x: Told) -> str:
    if not x.e.number:
        return f"{x.who} talks to {x.name(x.e.to)}."
    return f"{x.who} tells {x.name(x.e.to)}: {claim(x.e, x.names)}."


def _found(x: Told) -> str:
    return f"{x.who} looks into {x.e.box}: {'a way through' if x.e.card == pb.MAZE_CARD_THROUGH else 'a dead end'}."


def _died(x: Told) -> str:
    return f"The adventurer of {x.who} dies{f' by the hand of {x.name(x.e.killer)}' if x.e.killer else ''}."


Line: TypeAlias = str | Callable[[Told], str]
LINES: dict[type[Message], Line] = {
    pb.GameCreated: lambda x: f"An expedition of {x.e.seats} gathers at the Entrance.",
    pb.PieceChosen: lambda x: f"{x.who} takes the {pb.Piece.Name(x.e.piece)[6:].lower()} piece.",
    pb.CharacterRolled: lambda x: (
        f"{x.who} rolls an adventurer: SKILL {x.e.skill}, STAMINA {x.e.stamina}, LUCK {x.e.luck}."
    ),
    pb.ExtrasTaken: lambda x: f"{x.who} packs {_extras(x.e)}.",
    pb.AdventurerReborn: lambda x: f"{x.who} sends another adventurer.",
    pb.KeyCardsDealt: "The Key Cards are dealt.",
    pb.StartPlayerChosen: lambda x: f"{x.who} begins.",
    pb.TurnMissed: lambda x: f"{x.who} misses a turn.",
    pb.TurnForfeited: lambda x: f"{x.who} will miss a turn.",
    pb.ProvisionsEaten: lambda x: f"{x.who} eats.",
    pb.MovementRolled: lambda x: f"{x.who} rolls {x.e.die} to move.",
    pb.Moved: lambda x: f"{x.who} goes to {x.place(x.e.path[-1])}." if x.e.path else "",
    pb.ChallengeMade: lambda x: f"{x.who} challenges: who has key {x.e.number}?",
    pb.ChallengeAnswered: lambda x: x.answers(x.e.answers),
    pb.ChallengeDeclined: lambda x: f"{x.who} makes no Key Challenge.",
    pb.EncounterRevealed: _met,
    pb.EncounterRemoved: lambda x: f"Gone: {x.creature(x.e.encounter)}.",
    pb.BattleStarted: _battle,
    pb.AttackRolled: _attack,
    pb.DieRolled: lambda x: f"{x.who} rolls {x.e.die}{DICE.get(x.e.kind, '')}.",
    pb.Wounded: lambda x: (
        f"{x.who if x.e.seat else _capital(x.creature(x.e.encounter))} is wounded: STAMINA {x.e.stamina}."
    ),
    pb.MonsterKilled: lambda x: f"{x.who} has beaten {x.creature(x.e.encounter)}.",
    pb.LuckTested: lambda x: (
        f"{x.who} tests LUCK with {_dice(x.e.dice)}: {'lucky' if x.e.lucky else 'unlucky'}, LUCK {x.e.luck}."
    ),
    pb.LuckChanged: lambda x: f"{x.who} {_by(x.e.by, 'LUCK')}.",
    pb.StaminaChanged: lambda x: f"{x.who} {_by(x.e.by, 'STAMINA')}.",
    pb.SkillChanged: lambda x: f"{x.who} {_by(x.e.by, 'SKILL')}.",
    pb.GoldChanged: lambda x: f"{x.who} {_by(x.e.by, 'Gold')}.",
    pb.ProvisionsChanged: lambda x: f"{x.who} {_by(x.e.by, 'Provisions')}.",
    pb.LanternLost: lambda x: f"{x.who} loses a lantern.",
    pb.LanternTaken: lambda x: f"{x.who} takes the lantern of {x.name(x.e.loser)}.",
    pb.EscapeRolled: lambda x: (
        f"{x.who} escapes: {x.e.die} on the Escape Table{', unharmed' * (x.e.penalty == 'unharmed')}."
    ),
    pb.Escaped: lambda x: f"{x.who} flees to {x.place(x.e.to)}.",
    pb.SpoilsTaken: lambda x: f"{x.who} takes spoils of {x.name(x.e.loser)}.",
    pb.TreasureClaimed: lambda x: f"{x.who} claims {x.cards(x.e.cards)}.",
    pb.TreasurePickedUp: lambda x: f"{x.who} picks up {x.cards(x.e.cards)}.",
    pb.TreasureRevealed: lambda x: _used(x, "shows"),
    pb.TreasureUsed: lambda x: _used(x, "uses"),
    pb.TreasureLeft: lambda x: f"{x.who} leaves {x.card(x.e.card)} behind.",
    pb.TreasureStolen: lambda x: f"{x.who} loses {x.cards(x.e.cards)}.",
    pb.GraveLaid: lambda x: f"The treasure of {x.who} lies in {x.place(x.e.place)}.",
    pb.TradeOffered: lambda x: f"{x.who} offers {x.name(x.e.to)} {x.goods(x.e.give)} for {x.goods(x.e.take)}.",
    pb.TradeAgreed: lambda x: f"{x.name(x.e.to)} agrees.",
    pb.TradeDeclined: lambda x: f"{x.who} declines.",
    pb.KeyCardsShown: _shown,
    pb.ClaimMade: _claimed,
    pb.GiftGiven: lambda x: f"{x.who} has the Fool's gift.",
    pb.PassageEntered: lambda x: f"{x.who} steps into {x.place(x.e.entrance)}.",
    pb.PassageLeft: lambda x: f"{x.who} comes out at {x.place(x.e.entrance)}.",
    pb.RiverTried: lambda x: f"{x.who} tries the {pb.RiverWay.Name(x.e.way)[10:].lower()}.",
    pb.RiverCrossed: lambda x: f"{x.who} is across the river.",
    pb.FellInRiver: lambda x: f"{x.who} falls in: a crocodile!",
    pb.MazeApproached: lambda x: f"{x.who} stops beside {x.place(x.e.box)}.",
    pb.MazeInvestigated: _found,
    pb.AdventurerCaged: lambda x: f"{x.who} is caged.",
    pb.CageOpened: lambda x: f"{x.who} is out of the cage.",
    pb.AdventurerCursed: lambda x: f"{x.who} has {x.name(x.e.target)} cursed.",
    pb.AdventurerDied: _died,
    pb.PvpUnlocked: "From now on adventurers may fight each other.",
    pb.ChestKeyNamed: lambda x: f"{x.who} names key {x.e.number} with {x.card(x.e.card)}.",
    pb.ChestAnswered: lambda x: x.answers(x.e.answers),
    pb.ChestTried: lambda x: f"{x.who} tried {_faces(x.e.numbers)}: {x.e.wrong} wrong." if x.e.wrong else "",
    pb.SentToSouthBank: lambda x: f"{x.who} is on the south bank.",
    pb.SeatBecamePassive: lambda x: f"{x.who} takes no further part.",
    pb.GameWon: lambda x: f"{x.who} opens the chest with {_faces(x.e.chest)}!",
    pb.GameEnded: lambda x: f"{ENDINGS.get(x.e.reason, 'The game is over')}.",
}
