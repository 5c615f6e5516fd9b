"""House players: what a seat sees goes in, a command comes out; nothing is remembered but what the view shows.

"explorer" weighs rooms, what lies about and other players' rucksacks against the way and the fight, deduces the chest
by elimination, challenges what it can't place, trades by worth, shows Key Cards for a look at others', gives a word for
a word, and goes for the chest as soon as its keys cover a set that may well be right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Chance, Kind, LegalCommand, Seat, candidates
from ludolog.kernel.players import fill
from ludolog.rulebooks.warlock_of_firetop_mountain import bot_odds, bot_plan, bot_talk, bot_words
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_fight import chance_to_win
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_goals import hunt_worth
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_keys import ring
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_mind import Mind
from ludolog.rulebooks.warlock_of_firetop_mountain.bot_worth import card_worth, look_worth, worth
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

LOSING = 350
"""Parts of a thousand: with less it flees."""
BOOTY = 8
"""Points that an attack has to promise."""
RAFT_LUCK = 9


def explorer(
    tables: Tables, seen: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance
) -> Message | None:
    """One command for the decision that is open; None to wait."""
    if not isinstance(seen, pb.View) or not seen.HasField("own"):
        return None
    mind = Mind(tables.played(seen), seen, seat)
    if (use := _treasure(mind, candidates(legal))) is not None:
        return use
    moves, trade = [entry for entry in candidates(legal) if entry.decision_id], candidates(legal, Kind.TRADE)
    if not moves:
        return bot_words.answer(mind, _hearers(trade), chance)
    kinds: dict[str, list[LegalCommand]] = {}
    for entry in moves:
        kinds.setdefault(type(entry.command).__name__, []).append(entry)
    if (said := _talk(mind, trade, kinds, chance)) is not None:
        return said
    for name, choose in CHOICES.items():
        if name in kinds and (chosen := choose(mind, kinds[name], chance)) is not None:
            return chosen
    return fill(chance.choose("move", moves), chance)


def _talk(mind: Mind, entries: list[LegalCommand], moves: Mapping[str, object], chance: Chance) -> Message | None:
    """To who stands here, in the own turn: a word that is owed, an offer unless a meal comes first (4.1), a bluff."""
    hearers = _hearers(entries)
    if (said := bot_words.answer(mind, hearers, chance)) is not None:
        return said
    partners = {entry.command.to for entry in entries if isinstance(entry.command, pb.OfferTrade)}
    if "EatProvisions" in moves and bot_plan.hungry(mind):
        partners.clear()
    return bot_talk.offer(mind, partners, bot_words.said_this_turn(mind), chance) or bot_words.bluff(
        mind, hearers, chance
    )


def _hearers(entries: list[LegalCommand]) -> set[int]:
    return {entry.command.to for entry in entries if isinstance(entry.command, pb.MakeClaim)}


def _treasure(mind: Mind, entries: list[LegalCommand]) -> Message | None:
    """Cards that are worth using now: lasting ones, potions when weak, looks and questions, what ends a battle."""
    shown = {slot.card.id for slot in mind.me.rucksack if slot.shown}
    for entry in entries:
        if isinstance(entry.command, pb.UseTreasure) and _useful(mind, entry.command, shown):
            return entry.command
    return None


def _useful(mind: Mind, command: pb.UseTreasure, shown: set[str]) -> bool:
    me = mind.sheet
    match mind.tables.treasures[command.card].special:
        case "strength":
            return me.stamina <= me.initial_stamina // 2
        case "fortune":
            return me.luck <= me.initial_luck - 4
        case "seeing_stone" | "seeing_glance":
            return look_worth(mind, command.seat) > 0
        case "asking":
            return command.number in _best_numbers(mind)
        case _:
            return command.card not in shown or mind.view.HasField("fight")


def _first(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    return fill(entries[0], chance)


def _extras(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    return max((entry.command for entry in entries), key=lambda command: getattr(command, "provisions", 0))


def _challenge(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """A number that splits the sets that may be right most evenly; none once the chest is known."""
    numbers = bot_words.doubtful(mind, _best_numbers(mind))
    return pb.KeyChallenge(number=chance.choose("number", numbers)) if numbers else pb.DeclineChallenge()


def _best_numbers(mind: Mind) -> list[int]:
    triples = mind.triples
    asked = {made.number for made in mind.view.challenges if made.seat == mind.seat}
    open_ = {number for triple in triples for number in triple} - asked
    if len(triples) <= 1 or not open_:
        return []
    weights = {number: abs(2 * sum(number in triple for triple in triples) - len(triples)) for number in open_}
    least = min(weights.values())
    return sorted(number for number in open_ if weights[number] == least)


def _chest(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """Name a set that may be right and is covered; before the first key only where it is worth the walk."""
    named = {key.number for key in mind.view.named}
    if not named and not mind.ready:
        return None
    used = {key.card for key in mind.view.named}
    left = ring(card for card in mind.cards if card.numbers or card.id not in used)
    offered = [entry.command for entry in entries if isinstance(entry.command, pb.ChestChallenge)]
    for triple in mind.triples:
        wanted = set(triple) - named
        if not named <= set(triple) or left.lacks(wanted):
            continue
        fitting = [command for command in offered if command.number in wanted]
        bunches = [command for command in fitting if mind.tables.treasures[command.card].numbers]
        if fitting:
            return (bunches or fitting)[0]
    return entries[0].command if named else None


def _eat(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    return entries[0].command if bot_plan.hungry(mind) else None


def _escape(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """From who is likely to win; not from a guard on the way when it can't come back stronger than it left."""
    fight, me = mind.view.fight, mind.me
    if not fight.opponent and fight.place in mind.guarded and not me.adventurer.provisions:
        return None
    if fight.opponent:
        odds = bot_odds.against(mind, fight.opponent if fight.seat == mind.seat else fight.seat)
    else:
        odds = chance_to_win(me.attack - fight.skill, me.adventurer.stamina, fight.stamina)
        deadly = bot_odds.deadly_after(mind, fight.encounter)
        if deadly is not None and fight.wounds >= deadly:
            odds //= 2
        if bot_odds.immune(mind, fight.encounter):
            odds = 0
    return entries[0].command if odds < LOSING and me.adventurer.stamina > 1 else None


def _move(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """Toward what is worth most for its way."""
    ends = {entry.command.to: entry.command for entry in entries if isinstance(entry.command, pb.Move)}
    return ends[bot_plan.destination(mind, sorted(ends))] if ends else None


def _passage(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    offered = [entry.command for entry in entries if isinstance(entry.command, pb.ExitSecretPassage)]
    ends = {command.entrance: command for command in offered}
    best = bot_plan.destination(mind, sorted({*ends, mind.sheet.place}), passing=False)
    return ends.get(best)


def _maze(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    beside = [entry.command for entry in entries if getattr(entry.command, "box", "") != mind.view.turn.open_box]
    return beside[0] if beside and bot_plan.through_box(mind) else None


def _river(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """Across only where the goal is on the other side: by ferry, by raft with LUCK, else by the bridge."""
    if not bot_plan.crosses(mind):
        return None
    offered = {entry.command.way: entry.command for entry in entries if isinstance(entry.command, pb.CrossRiver)}
    raft = mind.sheet.luck >= RAFT_LUCK
    order = (pb.RIVER_WAY_FERRY, pb.RIVER_WAY_RAFT if raft else pb.RIVER_WAY_BRIDGE, pb.RIVER_WAY_BRIDGE)
    return next((offered[way] for way in order if way in offered), None)


def _claim(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """The cards that are worth most; none that no other card would be left for."""
    entry, room = entries[0], mind.room(mind.sheet.place)
    most = getattr(entry.parameters[0].domain, "maximum", 1) if entry.parameters else 1
    points = {
        slot.slot: card_worth(mind, slot.card.id, carried=not slot.fresh) for slot in (room.treasures if room else ())
    }
    wanted = sorted(points, key=lambda slot: -points[slot])[:most]
    return pb.ClaimTreasure(slots=sorted(wanted))


def _pick_up(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    if not entries[0].parameters:
        return entries[0].command
    domain = entries[0].parameters[0].domain
    choices, most = getattr(domain, "choices", ()), getattr(domain, "maximum", 1)
    return pb.PickUp(items=sorted(int(key) for key, _ in choices[:most]))


def _leave(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """What is missed least."""
    cards = {entry.command.card: entry.command for entry in entries if isinstance(entry.command, pb.LeaveBehind)}
    return cards[min(cards, key=lambda card: worth(mind, card))] if cards else None


def _fight(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """Attack who carries enough for the odds."""
    worths = {getattr(entry.command, "opponent", 1): entry.command for entry in entries}
    best = max(worths, key=lambda seat: hunt_worth(mind, mind.view.players[seat - 1]))
    return worths[best] if hunt_worth(mind, mind.view.players[best - 1]) > BOOTY else None


def _deal(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    """Pay for treasure, look at Key Cards of one who isn't known yet, test LUCK while there is much of it."""
    offered = {getattr(entry.command, "choice", 0): entry.command for entry in entries}
    looks = [e.command for e in entries if getattr(e.command, "choice", 0) == pb.ENCOUNTER_CHOICE_LOOK]
    unknown = [look for look in looks if look_worth(mind, getattr(look, "seat", 0))]
    if unknown:
        return max(unknown, key=lambda look: look_worth(mind, getattr(look, "seat", 0)))
    if pb.ENCOUNTER_CHOICE_LUCK in offered:
        return offered[pb.ENCOUNTER_CHOICE_LUCK if mind.sheet.luck > bot_plan.RESERVE else pb.ENCOUNTER_CHOICE_DIE]
    order = (pb.ENCOUNTER_CHOICE_PAY, pb.ENCOUNTER_CHOICE_BUY_TREASURE, pb.ENCOUNTER_CHOICE_PASS)
    return next((offered[choice] for choice in order if choice in offered), None)


def _spoils(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    order = (pb.SPOILS_KEYS, pb.SPOILS_RANDOM, pb.SPOILS_NAMED, pb.SPOILS_NOTHING)

    def rank(command: Message) -> tuple[int, bool]:
        return order.index(getattr(command, "choice", pb.SPOILS_NOTHING)), not getattr(command, "lantern", False)

    return min((entry.command for entry in entries), key=rank)


def _answer(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    return bot_talk.acceptance(mind) if bot_talk.accepts(mind) else None


def _plain(mind: Mind, entries: list[LegalCommand], chance: Chance) -> Message | None:
    return entries[0].command


CHOICES = {
    "CreateCharacter": _plain,
    "ChestChallenge": _chest,
    "AllocateExtras": _extras,
    "ClaimTreasure": _claim,
    "PickUp": _pick_up,
    "KeepAll": _first,
    "LeaveBehind": _leave,
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
    "AcceptTrade": _answer,
    "DeclineTrade": _first,
}
