"""House players: what a seat sees goes in, a command comes out; nothing is remembered but what the view shows.

"explorer" weighs rooms by what may be in them against the way and the fight, deduces the chest by elimination,
challenges what it can't place, and goes for the chest as soon as its keys cover a set that may well be right.
"""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Chance, LegalCommand, Seat, candidates
from ludolog.kernel.players import fill
from ludolog.rulebooks.warlock_of_firetop_mountain import bot_plan
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_fight import chance_to_win
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_keys import (
    chest_triples,
    covers,
    own_cards,
    worth_of,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

LOSING, WINNING = 350, 800
"""Parts of a thousand: below the first it flees, above the second it picks a fight."""
RAFT_LUCK = 9


def explorer(
    tables: Tables, seen: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance
) -> Message | None:
    """One command for the decision that is open; None to wait."""
    if not isinstance(seen, pb.View) or not seen.HasField("own"):
        return None
    view = pb.View(board=tables.boards[DataSet(seen.data_set)].message)
    view.MergeFrom(seen)
    if (use := _treasure(view, candidates(legal), seat)) is not None:
        return use
    moves = [entry for entry in candidates(legal) if entry.decision_id]
    if not moves:
        return None
    kinds: dict[str, list[LegalCommand]] = {}
    for entry in moves:
        kinds.setdefault(type(entry.command).__name__, []).append(entry)
    for name, choose in CHOICES.items():
        if name in kinds and (chosen := choose(view, kinds[name], seat, chance)) is not None:
            return chosen
    return fill(chance.choose("move", moves), chance)


def _me(view: pb.View, seat: int) -> pb.Adventurer:
    return view.players[seat - 1].adventurer


def _treasure(view: pb.View, entries: list[LegalCommand], seat: int) -> Message | None:
    """Cards that are worth using now: swords and other lasting ones, stones, potions when weak, what ends a battle."""
    me = view.players[seat - 1]
    for entry in entries:
        if not isinstance(entry.command, pb.UseTreasure):
            continue
        card = next((card for card in own_cards(view) if card.id == entry.command.card), None)
        title = card.title if card else ""
        if "Strength" in title and _me(view, seat).stamina > _me(view, seat).initial_stamina // 2:
            continue
        if "Fortune" in title and _me(view, seat).luck > _me(view, seat).initial_luck - 4:
            continue
        if "Stone" in title and entry.command.seat in view.own.notebook.complete:
            continue
        if "Scroll of Asking" in title and entry.command.number not in _best_numbers(view, seat):
            continue
        if any(slot.shown for slot in me.rucksack if slot.card.id == entry.command.card) and not view.HasField("fight"):
            continue
        return entry.command
    return None


def _first(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    return fill(entries[0], chance)


def _extras(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    return max((entry.command for entry in entries), key=lambda command: getattr(command, "provisions", 0))


def _challenge(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """The number that splits the sets that may be right most evenly; none once the chest is known."""
    numbers = _best_numbers(view, seat)
    return pb.KeyChallenge(number=chance.choose("number", numbers)) if numbers else pb.DeclineChallenge()


def _best_numbers(view: pb.View, seat: int) -> list[int]:
    triples = chest_triples(view)
    asked = {made.number for made in view.challenges if made.seat == seat}
    open_ = {number for triple in triples for number in triple} - asked
    if len(triples) <= 1 or not open_:
        return []
    weights = {number: abs(2 * sum(number in triple for triple in triples) - len(triples)) for number in open_}
    least = min(weights.values())
    return sorted(number for number in open_ if weights[number] == least)


def _chest(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Name a set that may be right and is covered; before the first key only where it is worth the walk."""
    named = {key.number for key in view.named}
    gone = {key.card for key in view.named}
    cards = [card for card in own_cards(view) if card.id not in gone]
    if not named and not bot_plan.ready(view):
        return None
    left = [triple for triple in chest_triples(view) if named <= set(triple)]
    for triple in left:
        wanted = set(triple) - named
        if not covers([*cards, *_reusable(view, gone)], triple):
            continue
        offered = [entry.command for entry in entries if isinstance(entry.command, pb.ChestChallenge)]
        fitting = [command for command in offered if command.number in wanted]
        bunches = [command for command in fitting if _numbers(view, command.card)]
        if fitting:
            return (bunches or fitting)[0]
    return entries[0].command if named else None


def _reusable(view: pb.View, gone: set[str]) -> list[pb.Card]:
    return [card for card in own_cards(view) if card.id in gone and card.numbers]


def _numbers(view: pb.View, card_id: str) -> list[int]:
    return [number for card in own_cards(view) if card.id == card_id for number in card.numbers]


def _eat(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    return entries[0].command if bot_plan.hungry(view, seat) else None


def _escape(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    fight, me = view.fight, view.players[seat - 1]
    if fight.opponent:
        other = view.players[(fight.opponent if fight.seat == seat else fight.seat) - 1]
        odds = chance_to_win(me.attack - other.attack, me.adventurer.stamina, other.adventurer.stamina)
    else:
        odds = chance_to_win(me.attack - fight.skill, me.adventurer.stamina, fight.stamina)
        if fight.encounter in bot_plan.DEADLY and fight.wounds >= bot_plan.DEADLY[fight.encounter]:
            odds //= 2
        if bot_plan.immune(view, fight.encounter):
            odds = 0
    return entries[0].command if odds < LOSING and me.adventurer.stamina > 1 else None


def _move(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Toward what is worth most for its way."""
    ends = {entry.command.to: entry.command for entry in entries if isinstance(entry.command, pb.Move)}
    return ends[bot_plan.destination(view, seat, sorted(ends))] if ends else None


def _passage(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    offered = [entry.command for entry in entries if isinstance(entry.command, pb.ExitSecretPassage)]
    ends = {command.entrance: command for command in offered}
    best = bot_plan.destination(view, seat, sorted({*ends, _me(view, seat).place}), passing=False)
    return ends.get(best)


def _maze(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    beside = [entry.command for entry in entries if getattr(entry.command, "box", "") != view.turn.open_box]
    return beside[0] if beside and bot_plan.through_box(view, seat) else None


def _river(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Across only where the goal is on the other side: by ferry, by raft with LUCK, else by the bridge."""
    if not bot_plan.crosses(view, seat):
        return None
    offered = {entry.command.way: entry.command for entry in entries if isinstance(entry.command, pb.CrossRiver)}
    raft = _me(view, seat).luck >= RAFT_LUCK
    order = (pb.RIVER_WAY_FERRY, pb.RIVER_WAY_RAFT if raft else pb.RIVER_WAY_BRIDGE, pb.RIVER_WAY_BRIDGE)
    return next((offered[way] for way in order if way in offered), None)


def _claim(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    entry = entries[0]
    stack = next((room.treasures for room in view.rooms if room.id == _me(view, seat).place), ())
    most = getattr(entry.parameters[0].domain, "maximum", 1) if entry.parameters else 1
    wanted = sorted(stack, key=lambda slot: -(worth_of(slot.card, view) if slot.card.id else 8))
    return pb.ClaimTreasure(slots=sorted(slot.slot for slot in wanted[:most]))


def _pick_up(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    domain = entries[0].parameters[0].domain
    choices, most = getattr(domain, "choices", ()), getattr(domain, "maximum", 1)
    return pb.PickUp(items=sorted(int(key) for key, _ in choices[:most]))


def _leave(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    worth = {card.id: worth_of(card, view) for card in own_cards(view)}
    return min((e.command for e in entries), key=lambda command: worth.get(getattr(command, "card", ""), 99))


def _fight(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Attack only who carries cards and is very likely beaten."""
    me = view.players[seat - 1]
    for entry in entries:
        other = view.players[getattr(entry.command, "opponent", 1) - 1]
        spare = me.adventurer.stamina - bot_plan.RESERVE
        odds = chance_to_win(me.attack - other.attack, spare, other.adventurer.stamina)
        if other.rucksack and odds > WINNING:
            return entry.command
    return None


def _deal(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Pay for treasure, look at Key Cards of one who isn't known yet, test LUCK while there is much of it."""
    offered = {getattr(entry.command, "choice", 0): entry.command for entry in entries}
    looks = [e.command for e in entries if getattr(e.command, "choice", 0) == pb.ENCOUNTER_CHOICE_LOOK]
    unknown = [look for look in looks if getattr(look, "seat", 0) not in view.own.notebook.complete]
    if unknown:
        return unknown[0]
    if pb.ENCOUNTER_CHOICE_LUCK in offered:
        return offered[pb.ENCOUNTER_CHOICE_LUCK if _me(view, seat).luck > bot_plan.RESERVE else pb.ENCOUNTER_CHOICE_DIE]
    order = (pb.ENCOUNTER_CHOICE_PAY, pb.ENCOUNTER_CHOICE_BUY_TREASURE, pb.ENCOUNTER_CHOICE_PASS)
    return next((offered[choice] for choice in order if choice in offered), None)


def _spoils(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    order = (pb.SPOILS_KEYS, pb.SPOILS_RANDOM, pb.SPOILS_NAMED, pb.SPOILS_NOTHING)

    def rank(command: Message) -> tuple[int, bool]:
        return order.index(getattr(command, "choice", pb.SPOILS_NOTHING)), not getattr(command, "lantern", False)

    return min((entry.command for entry in entries), key=rank)


def _plain(view: pb.View, entries: list[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    return entries[0].command


CHOICES = {
    "CreateCharacter": _plain,
    "ChestChallenge": _chest,
    "AllocateExtras": _extras,
    "ClaimTreasure": _claim,
    "PickUp": _pick_up,
    "LeaveBehind": _leave,
    "KeepAll": _first,
    "KeyChallenge": _challenge,
    "EatProvisions": _eat,
    "Escape": _escape,
    "AttackRound": _first,
    "TakeSpoils": _spoils,
    "CrossRiver": _river,
    "ResolveEncounter": _deal,
    "ExitSecretPassage": _passage,
    "InvestigateMaze": _maze,
    "Move": _move,
    "RollMovement": _first,
    "DeclareFight": _fight,
    "EndTurn": _first,
    "DeclineTrade": _first,
}
