"""A random state that a viewer can't tell from the real one.

What the view doesn't show is dealt anew: Key Cards so that they fit the viewer's notebook and the tries at the chest,
Treasure Cards (Gold and Provisions only where nobody has held a card since set-up), Encounter Cards, Maze Cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Chance, Omniscient, Viewer
from ludolog.rulebooks.warlock_of_firetop_mountain.evolve_cards import bits, by_id, goods
from ludolog.rulebooks.warlock_of_firetop_mountain.notebook import Notebook
from ludolog.rulebooks.warlock_of_firetop_mountain.options import settings_from
from ludolog.rulebooks.warlock_of_firetop_mountain.position import from_position
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    MAGIC_SWORDS,
    PUBLIC,
    RUCKSACK,
    TALKS,
    Adventurer,
    Challenge,
    ChestTry,
    EndReason,
    Fight,
    Game,
    Goods,
    Held,
    Item,
    Leaving,
    Maze,
    MazeCard,
    NamedKey,
    Offer,
    Player,
    Room,
    Settings,
    Stage,
    Turn,
    Window,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables, Treasure
from ludolog.rulebooks.warlock_of_firetop_mountain.view import bit_of
from ludolog.rulebooks.warlock_of_firetop_mountain.words import from_message

KEYS_IN_CHEST = 3
DEALS = 50
"""Deals of Treasure Cards that are tried at most, to find one that can be."""


def determinize(tables: Tables, seen: pb.View, viewer: Viewer, chance: Chance) -> Game:
    """Draw a state. Draws: "hidden keys", "hidden treasures", "hidden encounters", "hidden maze", "hidden offer"."""
    options = pb.Options(**{name: getattr(seen, name) for name in pb.Options.DESCRIPTOR.fields_by_name})
    if isinstance(viewer, Omniscient):
        return from_position(tables, seen.hidden, seen.seats, options)
    settings = settings_from(options)
    tables = tables.played(settings)
    deal = Deal(tables, seen, bit_of(viewer), chance)
    chest, hands, undealt = deal_keys(seen, chance)
    players = tuple(deal.player(player, hands[player.seat - 1]) for player in seen.players)
    return Game(
        settings=settings,
        players=players,
        rooms=tuple(deal.room(room) for room in seen.rooms),
        maze=_maze(tables, settings, seen, chance),
        chest=chest,
        undealt=undealt,
        turn=from_message(Turn, seen.turn),
        window=from_message(Window, seen.window),
        fight=from_message(Fight, seen.fight) if seen.HasField("fight") else None,
        offer=deal.offer(players) if seen.HasField("offer") else None,
        leaving=from_message(Leaving, seen.leaving) if seen.HasField("leaving") else None,
        named=tuple(from_message(NamedKey, key) for key in seen.named),
        items=tuple(deal.item(item) for item in seen.items),
        last_item=seen.last_item,
        handed_in=tuple(seen.handed_in),
        gone=tuple(seen.gone),
        pvp_unlocked=seen.pvp_unlocked,
        challenges=tuple(from_message(Challenge, made) for made in seen.challenges),
        chest_tries=tuple(from_message(ChestTry, failed) for failed in seen.chest_tries),
        talks=tuple(TALKS - player.talks_left for player in seen.players),
        winner=seen.winner,
        ending=EndReason(seen.ending) if seen.ending else None,
    )


class Deal:
    """Cards that the viewer doesn't know, in a random order, and what they are put into."""

    def __init__(self, tables: Tables, seen: pb.View, bit: int, chance: Chance) -> None:
        self.seen = seen
        self.bit = bit
        self.chance = chance
        known = {slot.card.id for slot in _slots(seen) if slot.HasField("card")} | set(seen.handed_in)
        known |= {item.card.id for item in seen.items if item.HasField("card")}
        hidden = [card for card in tables.treasures.values() if card.id not in known]
        for _ in range(DEALS):
            self._deal(tables, hidden, chance)
            if not self._too_many_swords(tables):
                break
        met = {room.encounter.id for room in seen.rooms if room.HasField("encounter")} | set(seen.gone)
        encounters = [card for card in tables.shuffled if card not in met]
        self.encounters = list(chance.shuffle("hidden encounters", encounters)) if encounters else []

    def _deal(self, tables: Tables, hidden: Sequence[Treasure], chance: Chance) -> None:
        fresh = sum(slot.fresh and not slot.HasField("card") for room in self.seen.rooms for slot in room.treasures)
        held = [card.id for card in hidden if not card.is_money]
        held = list(chance.shuffle("hidden treasures", held)) if held else []
        if self.seen.HasField("leaving"):
            self._hand_swords(tables, held, len(hidden) - fresh)
        self.held, rest = held[: len(hidden) - fresh], held[len(hidden) - fresh :]
        rest += [card.id for card in hidden if card.is_money]
        self.fresh = list(chance.shuffle("hidden treasures", rest)) if rest else []

    def _hand_swords(self, tables: Tables, held: list[str], lying: int) -> None:
        """Who has to leave cards and isn't over the limit of the rucksack carries too many magic swords (A15).

        `held`: the deal, changed in place; of its first `lying` cards the last ones are dealt to seat 1, and so on.
        """
        leaving = self.seen.leaving
        rucksacks = [player.rucksack for player in self.seen.players]
        leaver = rucksacks[leaving.seat - 1]
        if leaving.optional or len(leaver) > RUCKSACK:
            return
        before = sum(not slot.HasField("card") for rucksack in rucksacks[: leaving.seat - 1] for slot in rucksack)
        unknown = sum(not slot.HasField("card") for slot in leaver)
        places = list(range(lying - before - unknown, lying - before))
        swords = [card for card in held if tables.treasures[card].kind == "sword"]
        for sword, place in zip(swords, places, strict=False):
            other = held.index(sword)
            held[place], held[other] = sword, held[place]

    def _too_many_swords(self, tables: Tables) -> bool:
        """Somebody who isn't leaving any would carry more magic swords than anybody may (A15)."""
        dealt = iter(reversed(self.held))
        for player in self.seen.players:
            cards = [slot.card.id if slot.HasField("card") else next(dealt) for slot in player.rucksack]
            if player.seat == self.seen.leaving.seat:
                continue
            if sum(tables.treasures[card].kind == "sword" for card in cards) > MAGIC_SWORDS:
                return True
        return False

    def card(self, slot: pb.Slot | pb.ItemView, *, fresh: bool, also: int = 0) -> Held:
        """A card as the viewer knows it, or one of the hidden ones."""
        if slot.HasField("card"):
            known = PUBLIC if slot.shown else bits(self.bit) if self.bit else 0
            return Held(slot.card.id, known | also, fresh)
        return Held((self.fresh if fresh else self.held).pop(), also, fresh)

    def player(self, player: pb.PlayerView, hand: tuple[int, ...]) -> Player:
        """A player, with what the viewer can't see filled in."""
        own = self.seen.own
        mine = bool(own.seat) and own.seat == player.seat
        return Player(
            piece=player.piece,
            stage=Stage(player.stage),
            lives=player.lives,
            extras=player.extras,
            adventurer=from_message(Adventurer, player.adventurer) if player.HasField("adventurer") else None,
            rucksack=by_id(self.card(slot, fresh=False, also=bits(player.seat)) for slot in player.rucksack),
            key_cards=hand,
            notebook=from_message(Notebook, own.notebook) if mine else Notebook(),
        )

    def room(self, room: pb.RoomView) -> Room:
        """A room."""
        encounter = ""
        if room.occupied:
            encounter = room.encounter.id if room.HasField("encounter") else self.encounters.pop()
        return Room(
            id=room.id,
            encounter=encounter,
            face_up=room.face_up,
            revealed=room.HasField("encounter"),
            stack=tuple(self.card(slot, fresh=slot.fresh) for slot in room.treasures),
            last_leaver=room.last_leaver,
            last_leaver_life=room.last_leaver_life,
        )

    def item(self, item: pb.ItemView) -> Item:
        """A card that lies about."""
        held = self.card(item, fresh=False, also=bits(*{item.owner, item.left_by} - {0}))
        return Item(item.item, item.place, held, item.owner, item.left_by, item.left_turn)

    def offer(self, players: Sequence[Player]) -> Offer:
        """An offer; between others it is of as many of the cards that they carry, and of as many of their Key Cards."""
        seen = self.seen.offer
        give, take = _goods(seen.give, players[seen.seat - 1]), _goods(seen.take, players[seen.to - 1])
        if give.shows:
            shown = self.chance.shuffle("hidden offer", players[seen.seat - 1].key_cards)[: give.shows]
            give = replace(give, key_cards=tuple(sorted(shown)), shows=0)
        return Offer(seen.seat, seen.to, give, take)


def _goods(message: pb.Goods, owner: Player) -> Goods:
    carried = tuple(held.card for held in owner.rucksack)[: len(message.cards)]
    cards = tuple(message.cards) if all(message.cards) else carried
    return replace(goods(message), cards=cards)


def _slots(seen: pb.View) -> Iterator[pb.Slot]:
    for player in seen.players:
        yield from player.rucksack
    for room in seen.rooms:
        yield from room.treasures


def _maze(tables: Tables, settings: Settings, seen: pb.View, chance: Chance) -> tuple[Maze, ...]:
    open_ones = tables.boards[settings.data_set].through
    shut = len(seen.maze) - open_ones
    known = [MazeCard(box.card) for box in seen.maze if box.seen]
    cards = [MazeCard.THROUGH] * (open_ones - known.count(MazeCard.THROUGH))
    cards += [MazeCard.DEAD_END] * (shut - known.count(MazeCard.DEAD_END))
    hidden = list(chance.shuffle("hidden maze", cards)) if cards else []
    return tuple(Maze(box.id, MazeCard(box.card) if box.seen else hidden.pop(), box.seen) for box in seen.maze)


def deal_keys(seen: pb.View, chance: Chance) -> tuple[tuple[int, ...], list[tuple[int, ...]], tuple[int, ...]]:
    """Chest, hands by seat, and cards that wait to be dealt, so that they fit everything that the viewer knows."""
    seats = range(1, seen.seats + 1)
    dealt = seen.key_cards_dealt
    owners: list[int] = [0] * (0 if seen.chest else KEYS_IN_CHEST)
    hands: dict[int, list[int]] = {seat: [] for seat in seats}
    fixed: dict[int, int] = dict.fromkeys(map(int, seen.chest), 0)
    if seen.HasField("own"):
        fixed |= {int(card): seen.own.seat for card in seen.own.key_cards}
        fixed |= {fact.card: fact.seat for fact in seen.own.notebook.seen}
    room = {seat: seen.players[seat - 1].key_cards for seat in seats}
    for seat in fixed.values():
        if seat:
            room[seat] -= 1
    owners += [seat for seat in seats for _ in range(room[seat])]
    if not dealt:
        owners += [-1] * (9 - len(fixed) - len(owners))
    free = [number for number in range(1, 10) if number not in fixed]
    order = list(chance.shuffle("hidden keys", owners)) if owners else []
    chosen = _fit(seen, free, order, dict(fixed))
    for number, owner in sorted(chosen.items()):
        if owner > 0:
            hands[owner].append(number)
    chest = tuple(sorted(number for number, owner in chosen.items() if owner == 0))
    undealt = tuple(sorted(number for number, owner in chosen.items() if owner < 0))
    return chest, [tuple(sorted(hands[seat])) for seat in seats], undealt


def _fit(seen: pb.View, free: Sequence[int], owners: list[int], chosen: dict[int, int]) -> dict[int, int]:
    """Give each free number an owner; the first way that fits, in the random order of the owners."""
    lacks: set[tuple[int, int]] = {(int(fact.card), fact.seat) for fact in seen.own.notebook.lacks}
    lacks |= {
        (number, seat)
        for seat in (*seen.own.notebook.complete, *([seen.own.seat] if seen.HasField("own") else []))
        for number in free
    }
    tries = [(set(failed.numbers), failed.wrong) for failed in seen.chest_tries]

    def go(place: int, left: list[int]) -> bool:
        if place == len(free):
            chest = {number for number, owner in chosen.items() if owner == 0}
            return all(len(numbers - chest) == wrong for numbers, wrong in tries)
        for owner in dict.fromkeys(left):
            if (free[place], owner) in lacks:
                continue
            chosen[free[place]] = owner
            rest = list(left)
            rest.remove(owner)
            if go(place + 1, rest):
                return True
            del chosen[free[place]]
        return False

    if not go(0, owners):
        raise ValueError("no deal of Key Cards fits this view")
    return chosen
