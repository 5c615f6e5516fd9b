"""What a seat, a spectator and an omniscient reader may see (digest 4). Built from nothing; boards stand in `printed`.

Public: sheets, places, numbers of cards, encounters once revealed, Maze Cards once looked at, challenges and tries. A
seat knows its own Key Cards, notebook and rucksack, and the Treasure Cards that it has seen lie or change hands. Nobody
knows the chest before it is open.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Omniscient, Seated, Viewer
from ludolog.rulebooks.warlock_of_firetop_mountain.position import position
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.movement import reach
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    EVERYBODY,
    SEATS,
    TALKS,
    Adventurer,
    Challenge,
    EndReason,
    Game,
    Goods,
    Held,
    Item,
    Offer,
    Player,
    Room,
    WindowKind,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables
from ludolog.rulebooks.warlock_of_firetop_mountain.words import to_message

ALL = SEATS[-1] + 1
"""A bit that no card has: stands for omniscient readers, who know every card."""
REMEMBERED = 4096
"""Parts of views that are kept, the last used ones: a view has some 40, and most are as they were in the one before."""


def bit_of(viewer: Viewer) -> int:
    """Which bit of `Held.known` says that this viewer knows a card."""
    if isinstance(viewer, Omniscient):
        return ALL
    return viewer.seat if isinstance(viewer, Seated) else EVERYBODY


def knows(held: Held, bit: int) -> bool:
    """Whether the viewer of a bit knows a card."""
    return bit == ALL or held.knows(bit)


def view(tables: Tables, game: Game, viewer: Viewer) -> pb.View:
    """The game as this viewer sees it."""
    bit, settings = bit_of(viewer), game.settings
    tables = tables.played(settings)
    seen = pb.View(
        seats=game.seats,
        double_six_rule=settings.double_six_rule,
        strict_7_8=settings.strict_7_8,
        dead_end_extra=settings.dead_end_extra,
        data_set=pb.DataSet.ValueType(settings.data_set),
        most_rounds=settings.most_rounds,
        more_looks=settings.more_looks,
        lesser_warlock=settings.lesser_warlock,
        players=[_player(tables, game, seat, player, bit) for seat, player in enumerate(game.players, 1)],
        rooms=[_room(tables, room, bit) for room in game.rooms],
        items=[_item(tables, item, bit) for item in game.items],
        maze=[
            pb.MazeBox(id=box.id, card=pb.MazeCard.ValueType(box.card if box.seen else 0), seen=box.seen)
            for box in game.maze
        ],
        pvp_unlocked=game.pvp_unlocked,
        handed_in=game.handed_in,
        gone=game.gone,
        last_item=game.last_item,
        key_cards_dealt=bool(game.turn.number),
        winner=game.winner,
        ending=pb.EndReason.ValueType(game.ending or 0),
    )
    _decisions(game, seen, bit)
    if game.ending is EndReason.CHEST_OPENED:
        seen.chest.extend(_faces(game.chest))
    if isinstance(viewer, Seated) and 1 <= viewer.seat <= game.seats:
        _own(tables, game, viewer.seat, seen.own)
    elif isinstance(viewer, Omniscient):
        seen.hidden.CopyFrom(position(game))
    return seen


def _faces(cards: tuple[int, ...]) -> list[pb.KeyCard.ValueType]:
    return cast("list[pb.KeyCard.ValueType]", list(cards))


def _decisions(game: Game, seen: pb.View, bit: int) -> None:
    to_message(game.turn, seen.turn)
    to_message(game.window, seen.window)
    if game.fight:
        to_message(game.fight, seen.fight)
    if game.offer:
        seen.offer.CopyFrom(offer_of(game.offer, bit))
    if game.leaving:
        to_message(game.leaving, seen.leaving)
    for key in game.named:
        to_message(key, seen.named.add())
    seen.challenges.extend(map(_challenge, game.challenges))
    for failed in game.chest_tries:
        to_message(failed, seen.chest_tries.add())


def offer_of(offer: Offer, bit: int) -> pb.Offer:
    """A trade, as `goods_of` tells its sides."""
    give, take = (goods_of(goods, offer, bit) for goods in (offer.give, offer.take))
    return pb.Offer(seat=offer.seat, to=offer.to, give=give, take=take)


def goods_of(goods: Goods | pb.Goods, offer: Offer | pb.TradeOffered | pb.TradeAgreed, bit: int) -> pb.Goods:
    """One side of a trade: its cards are for the two who trade, Key Cards to be shown for the offerer; else so many."""
    told, named = bit in {ALL, offer.seat, offer.to}, bit in {ALL, offer.seat}
    return pb.Goods(
        cards=goods.cards if told else [""] * len(goods.cards),
        gold=goods.gold,
        provisions=goods.provisions,
        look=goods.look,
        key_cards=_faces(tuple(goods.key_cards)) if named else [],
        shows=goods.shows if named else goods.shows + len(goods.key_cards),
    )


def card_of(tables: Tables, card: str) -> pb.Card:
    """A Treasure Card, face up."""
    return tables.card_messages[card]


def encounter_of(tables: Tables, card: str) -> pb.EncounterCard:
    """An Encounter Card, face up."""
    return tables.encounter_messages[card]


def _slots(tables: Tables, cards: tuple[Held, ...], bit: int) -> list[pb.Slot]:
    return [
        pb.Slot(
            slot=slot,
            card=card_of(tables, held.card) if knows(held, bit) else None,
            shown=held.shown,
            fresh=held.fresh,
        )
        for slot, held in enumerate(cards, 1)
    ]


def _player(tables: Tables, game: Game, seat: int, player: Player, bit: int) -> pb.PlayerView:
    known_first = tuple(sorted(player.rucksack, key=lambda held: not knows(held, bit)))
    seen = pb.PlayerView(
        seat=seat,
        piece=pb.Piece.ValueType(player.piece),
        stage=pb.Stage.ValueType(player.stage),
        lives=player.lives,
        extras=player.extras,
        rucksack=_slots(tables, known_first, bit),
        key_cards=len(player.key_cards),
        talks_left=max(0, TALKS - game.talks[seat - 1]),
    )
    if player.adventurer:
        seen.adventurer.CopyFrom(_sheet(player.adventurer))
        bonus = max((tables.treasures[held.card].bonus for held in player.rucksack if held.shown), default=0)
        seen.attack = player.adventurer.skill + bonus
    return seen


@lru_cache(maxsize=REMEMBERED)
def _sheet(adventurer: Adventurer) -> pb.Adventurer:
    return to_message(adventurer, pb.Adventurer())


@lru_cache(maxsize=REMEMBERED)
def _challenge(made: Challenge) -> pb.Challenge:
    return to_message(made, pb.Challenge())


@lru_cache(maxsize=REMEMBERED)
def _room(tables: Tables, room: Room, bit: int) -> pb.RoomView:
    """A room; few of them change from one view to the next. Nobody changes the message."""
    known = bool(room.encounter) and (room.revealed or bit == ALL)
    return pb.RoomView(
        id=room.id,
        occupied=bool(room.encounter),
        encounter=encounter_of(tables, room.encounter) if known else None,
        face_up=room.face_up,
        fixed=room.id in tables.fixed,
        treasures=_slots(tables, room.stack, bit),
        last_leaver=room.last_leaver,
        last_leaver_life=room.last_leaver_life,
    )


def _item(tables: Tables, item: Item, bit: int) -> pb.ItemView:
    return pb.ItemView(
        item=item.item,
        place=item.place,
        owner=item.owner,
        left_by=item.left_by,
        left_turn=item.left_turn,
        card=card_of(tables, item.held.card) if knows(item.held, bit) else None,
        shown=item.held.shown,
    )


def _own(tables: Tables, game: Game, seat: int, own: pb.Own) -> None:
    player = game.player(seat)
    own.seat = seat
    own.key_cards.extend(_faces(player.key_cards))
    to_message(player.notebook, own.notebook)
    own.notebook.SetInParent()
    window = game.window
    on_move = window.kind is WindowKind.MOVE and window.seat == seat and not game.leaving and not game.offer
    if on_move and player.ready and not game.ending:
        own.reach.extend(reach(tables, tables.boards[game.settings.data_set], game, seat))


def may_recall(game: Game, viewer: Viewer) -> bool:
    """Nothing has to be forgotten: notebooks keep what was seen."""
    return True


def secrets(tables: Tables, game: Game, viewer: Viewer) -> tuple[str, ...]:
    """Names of cards that this viewer has never been shown: they must stand in nothing that it is sent."""
    if isinstance(viewer, Omniscient):
        return ()
    bit = bit_of(viewer)
    places = (*(player.rucksack for player in game.players), *(room.stack for room in game.rooms))
    cards = [held for place in places for held in place] + [item.held for item in game.items]
    hidden = [held.card for held in cards if not knows(held, bit)]
    hidden += [room.encounter for room in game.rooms if room.encounter and not room.revealed]
    hidden += [f"KEY_CARD_{card}" for card in range(1, 10) if card not in _known_keys(game, viewer)]
    return tuple(hidden)


def _known_keys(game: Game, viewer: Viewer) -> set[int]:
    known = set(game.chest) if game.ending is EndReason.CHEST_OPENED else set()
    if isinstance(viewer, Seated) and 1 <= viewer.seat <= game.seats:
        player = game.player(viewer.seat)
        known |= set(player.key_cards) | {fact.card for fact in player.notebook.seen}
        known |= {fact.card for fact in player.notebook.lacks}
    return known
