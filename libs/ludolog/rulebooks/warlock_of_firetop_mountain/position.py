"""The whole state as a message and back: for scenarios and debugging. What a position leaves out is filled in."""

from __future__ import annotations

from typing import Literal, cast

from msgspec.structs import replace

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.rulebooks.warlock_of_firetop_mountain.evolve_cards import bits, by_id
from ludolog.rulebooks.warlock_of_firetop_mountain.notebook import Notebook
from ludolog.rulebooks.warlock_of_firetop_mountain.options import settings_from
from ludolog.rulebooks.warlock_of_firetop_mountain.position_blanks import filled
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.opening import begun
from ludolog.rulebooks.warlock_of_firetop_mountain.sanity import check_game
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    SEATS,
    Adventurer,
    Challenge,
    ChestTry,
    EndReason,
    Fight,
    Game,
    Held,
    Item,
    Leaving,
    Maze,
    MazeCard,
    NamedKey,
    Offer,
    Piece,
    Player,
    Room,
    Settings,
    Stage,
    Turn,
    Window,
    WindowKind,
    is_room,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables
from ludolog.rulebooks.warlock_of_firetop_mountain.words import from_message, held_from, held_message, to_message

KEYS_IN_CHEST = 3
PRESENT: dict[str, Literal["skill", "stamina", "luck"]] = {"skill": "skill", "stamina": "stamina", "luck": "luck"}


def position(game: Game) -> pb.Position:
    """The whole state; the options aren't part of it."""
    message = pb.Position(
        players=[_player_message(seat, player) for seat, player in enumerate(game.players, 1)],
        rooms=[_room_message(room) for room in game.rooms],
        maze=[pb.MazeBox(id=box.id, card=pb.MazeCard.ValueType(box.card), seen=box.seen) for box in game.maze],
        chest=_faces(game.chest),
        undealt=_faces(game.undealt),
        last_item=game.last_item,
        handed_in=game.handed_in,
        gone=game.gone,
        pvp_unlocked=game.pvp_unlocked,
        talks=game.talks,
        winner=game.winner,
        ending=pb.EndReason.ValueType(game.ending or 0),
    )
    to_message(game.turn, message.turn)
    message.turn.SetInParent()
    to_message(game.window, message.window)
    for name in ("fight", "offer", "leaving"):
        if (part := getattr(game, name)) is not None:
            to_message(part, getattr(message, name))
    for name in ("named", "items", "challenges", "chest_tries"):
        for part in getattr(game, name):
            to_message(part, getattr(message, name).add())
    return message


def _faces(cards: tuple[int, ...]) -> list[pb.KeyCard.ValueType]:
    return cast("list[pb.KeyCard.ValueType]", list(cards))


def _player_message(seat: int, player: Player) -> pb.PlayerPosition:
    message = pb.PlayerPosition(
        seat=seat,
        piece=pb.Piece.ValueType(player.piece),
        stage=pb.Stage.ValueType(player.stage),
        lives=player.lives,
        extras=player.extras,
        dead=player.adventurer is None,
        rucksack=[held_message(held) for held in player.rucksack],
        key_cards=_faces(player.key_cards),
    )
    to_message(player.notebook, message.notebook)
    if player.adventurer is not None:
        to_message(player.adventurer, message.adventurer)
    return message


def _room_message(room: Room) -> pb.RoomPosition:
    return pb.RoomPosition(
        id=room.id,
        encounter=room.encounter,
        face_up=room.face_up,
        revealed=room.revealed,
        stack=pb.Stack(cards=[held_message(held) for held in room.stack]),
        last_leaver=room.last_leaver,
        last_leaver_life=room.last_leaver_life,
    )


def from_position(tables: Tables, message: pb.Position, seats: int, options: pb.Options) -> Game:
    """A state from a position, filled in as the proto says. ValueError for one that can't come about."""
    for player in message.players:
        if player.dead and player.HasField("adventurer"):
            raise ValueError(f"seat {player.seat}: dead, and an adventurer")
    settings = settings_from(options)
    tables = tables.played(settings)
    full = filled(message, seats, tables.boards[settings.data_set].entrance)
    game = _with_limit(_game(tables, full, seats, settings))
    check_game(tables, game)
    return game if full.HasField("window") else begun(tables, game)


def _game(tables: Tables, message: pb.Position, seats: int, settings: Settings) -> Game:
    board = tables.boards[settings.data_set]
    given = {player.seat: player for player in message.players}
    if len(given) != len(message.players) or any(not 1 <= seat <= seats for seat in given):
        raise ValueError(f"players: one for each seat, 1 to {seats}")
    players = [_player(given.get(seat), seat, board.entrance) for seat in range(1, seats + 1)]
    items = tuple(_item(item) for item in message.items)
    taken = [held.card for player in players for held in player.rucksack]
    taken += [item.held.card for item in items] + list(message.handed_in)
    rooms, left, gone = _rooms(tables, message, list(board.rooms), {board.study, board.treasure_room}, taken)
    chest, hands = _keys(message, players)
    turn = from_message(Turn, message.turn)
    if turn.number:
        players = [_once_alive(player) for player in players]
    fight = from_message(Fight, message.fight) if message.HasField("fight") else None
    window = from_message(Window, message.window) if message.HasField("window") else _window(turn, fight, players)
    return Game(
        settings=settings,
        players=tuple(replace(player, key_cards=hand) for player, hand in zip(players, hands, strict=True)),
        rooms=rooms,
        maze=_maze(tables, message, list(board.boxes), board.through),
        chest=chest,
        undealt=tuple(message.undealt),
        turn=turn,
        window=window,
        fight=_in_battle(tables, fight) if fight else None,
        offer=from_message(Offer, message.offer) if message.HasField("offer") else None,
        leaving=from_message(Leaving, message.leaving) if message.HasField("leaving") else None,
        named=tuple(from_message(NamedKey, key) for key in message.named),
        items=items,
        last_item=message.last_item or max((item.item for item in items), default=0),
        handed_in=tuple(sorted((*message.handed_in, *left))),
        gone=tuple(sorted((*message.gone, *gone))),
        pvp_unlocked=message.pvp_unlocked,
        challenges=tuple(from_message(Challenge, made) for made in message.challenges),
        chest_tries=tuple(from_message(ChestTry, failed) for failed in message.chest_tries),
        talks=tuple(message.talks) or (0,) * seats,
        winner=message.winner,
        ending=EndReason(message.ending) if message.ending else None,
    )


def _with_limit(game: Game) -> Game:
    """CLAIM where nothing could be taken never is: the whole stack may be."""
    window = game.window
    told = window.limit or game.leaving or game.ending or not 1 <= window.seat <= game.seats
    if window.kind is not WindowKind.CLAIM or told:
        return game
    adventurer = game.player(window.seat).ready
    if adventurer is None or not is_room(adventurer.place) or game.here(window.seat):
        return game
    return replace(game, window=replace(window, limit=len(game.room(adventurer.place).stack)))


def _once_alive(player: Player) -> Player:
    """In a game that has begun: who has no adventurer had one."""
    return replace(player, lives=player.lives or 1) if player.stage is Stage.CHARACTER else player


def _item(message: pb.Item) -> Item:
    """What lies about; a grave's owner knows it, and who left it. ValueError where the card isn't said."""
    if not message.held.card:
        raise ValueError(f"item {message.item} at {message.place!r}: held names the card that lies there")
    for name in ("owner", "left_by"):
        if not 0 <= getattr(message, name) <= SEATS[-1]:
            raise ValueError(f"item {message.item}: {name} {getattr(message, name)}: 0 to {SEATS[-1]}")
    item = from_message(Item, message)
    known = item.held.known | bits(*{item.owner, item.left_by} - {0})
    return replace(item, held=replace(item.held, known=known))


def _window(turn: Turn, fight: Fight | None, players: list[Player]) -> Window:
    """What is to be decided where the position doesn't say."""
    if fight and not fight.escaped:
        return Window(WindowKind.FIGHT, fight.opponent if fight.agreed else fight.seat)
    if fight and fight.opponent and fight.escaped in {fight.seat, fight.opponent}:
        loser = players[fight.escaped - 1]
        rich = loser.rucksack or (loser.adventurer and loser.adventurer.lanterns)
        return (
            Window(WindowKind.SPOILS, fight.other(fight.escaped)) if rich else Window(WindowKind.FLIGHT, fight.escaped)
        )
    dead = 1 <= turn.seat <= len(players) and players[turn.seat - 1].ready is None
    return Window(WindowKind.REBIRTH if dead else WindowKind.MOVE if turn.pips_left else WindowKind.START, turn.seat)


def _in_battle(tables: Tables, fight: Fight) -> Fight:
    """A creature has the values of its card where nothing else is said."""
    card = tables.encounters.get(fight.encounter)
    if card is None:
        return fight
    return replace(fight, skill=fight.skill or card.skill, stamina=fight.stamina or card.stamina)


def _player(message: pb.PlayerPosition | None, seat: int, entrance: str) -> Player:
    message = message or pb.PlayerPosition()
    stage = Stage(message.stage or (Stage.CHARACTER if message.dead else Stage.READY))
    there = stage in {Stage.READY, Stage.EXTRAS} and not message.dead
    adventurer = from_message(Adventurer, message.adventurer)
    if there:
        adventurer = _filled(message.adventurer, adventurer, seat)
        if stage is Stage.READY and not adventurer.place:
            adventurer = replace(adventurer, place=entrance)
    rucksack = by_id(
        replace(held, known=held.known | bits(seat)) for held in (held_from(card) for card in message.rucksack)
    )
    unborn = message.stage in {pb.STAGE_PIECE, pb.STAGE_CHARACTER}
    return Player(
        piece=message.piece
        or (0 if stage is Stage.PIECE or (stage is Stage.PASSIVE and message.seat) else Piece(seat)),
        stage=stage,
        lives=message.lives or (0 if unborn or stage is Stage.PASSIVE else max(1, message.adventurer.life)),
        extras=message.extras,
        adventurer=adventurer if there else None,
        rucksack=rucksack,
        key_cards=tuple(sorted(message.key_cards)),
        notebook=from_message(Notebook, message.notebook),
    )


def _filled(message: pb.Adventurer, read: Adventurer, seat: int) -> Adventurer:
    """Zeros that no adventurer has stand for the default one; present scores begin at Initial."""
    default = Adventurer()
    initial = {
        "skill": read.initial_skill or read.skill,
        "stamina": read.initial_stamina or max(read.stamina, default.stamina),
        "luck": read.initial_luck or max(read.luck, default.luck),
    }
    present = {name: getattr(read, name) if message.HasField(PRESENT[name]) else initial[name] for name in initial}
    return replace(
        read,
        life=read.life or 1,
        name=read.name or f"Adventurer {seat}",
        initial_skill=initial["skill"],
        initial_stamina=initial["stamina"],
        initial_luck=initial["luck"],
        **present,
    )


def _rooms(
    tables: Tables, message: pb.Position, ids: list[str], bare: set[str], taken: list[str]
) -> tuple[tuple[Room, ...], list[str], list[str]]:
    """Rooms as given; what is left of both decks goes into the others in order. Returns what finds no place, too."""
    given = {room.id: room for room in message.rooms}
    if len(given) != len(message.rooms) or not set(given) <= set(ids):
        raise ValueError(f"rooms: {sorted(set(given) - set(ids))} aren't on the board, or one stands twice")
    used = [held.card for room in given.values() for held in room.stack.cards] + taken
    if len(set(used)) != len(used) or not set(used) <= set(tables.treasures):
        raise ValueError(f"treasures: a card stands twice, or isn't in the box: {sorted(used)}")
    seen = [room.encounter for room in given.values() if room.encounter] + list(message.gone)
    if len(set(seen)) != len(seen) or not set(seen) <= set(tables.encounters):
        raise ValueError(f"encounters: a card stands twice, or isn't in the box: {sorted(seen)}")
    treasures = [card for card in tables.treasures if card not in used]
    encounters = [card for card in tables.shuffled if card not in seen]
    rooms = []
    for room_id in ids:
        room = given.get(room_id) or pb.RoomPosition()
        fixed = tables.fixed.get(room_id)
        encounter = room.encounter
        if not room.HasField("encounter") and room_id not in _without_card(ids, bare, tables):
            encounter = fixed.id if fixed else encounters.pop(0) if encounters else ""
        face_up = room.face_up if room.HasField("face_up") else fixed is not None and bool(encounter)
        stack = tuple(held_from(held) for held in room.stack.cards)
        if not room.HasField("stack") and room_id not in bare and treasures:
            stack = (Held(treasures.pop(0), fresh=True),)
        rooms.append(
            Room(
                id=room_id,
                encounter=encounter,
                face_up=face_up,
                revealed=room.revealed if room.HasField("revealed") else face_up,
                stack=stack,
                last_leaver=room.last_leaver,
                last_leaver_life=room.last_leaver_life or (1 if room.last_leaver else 0),
            )
        )
    return tuple(rooms), treasures, encounters


def _without_card(ids: list[str], bare: set[str], tables: Tables) -> set[str]:
    """Rooms that never hold an Encounter Card: the Treasure Room."""
    return {room for room in ids if room in bare and room not in tables.fixed}


def _keys(message: pb.Position, players: list[Player]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Chest and hands as given; the other numbers are dealt in order, the lowest first, to the chest first."""
    hands = [player.key_cards for player in players]
    chest: tuple[int, ...] = tuple(sorted(message.chest))
    used = [*chest, *(card for hand in hands for card in hand), *message.undealt]
    if len(set(used)) != len(used) or not set(used) <= set(range(1, 10)):
        raise ValueError(f"Key Cards: each number once, 1 to 9, not {sorted(used)}")
    left = [number for number in range(1, 10) if number not in used]
    if not chest:
        chest, left = tuple(left[:KEYS_IN_CHEST]), left[KEYS_IN_CHEST:]
    while left and any(not hand for hand in hands):
        hands[next(place for place, hand in enumerate(hands) if not hand)] = (left.pop(0),)
    each = -(-6 // len(hands))
    for place, hand in enumerate(hands):
        while left and len(hand) < each and not message.undealt:
            hand = tuple(sorted((*hand, left.pop(0))))  # noqa: PLW2901 - the hand as it grows
        hands[place] = hand
    return chest, hands


def _maze(tables: Tables, message: pb.Position, ids: list[str], through: int) -> tuple[Maze, ...]:
    given = {box.id: box for box in message.maze}
    if not set(given) <= set(ids):
        raise ValueError(f"maze: boxes are {ids}")
    open_ones = through - sum(box.card == pb.MAZE_CARD_THROUGH for box in given.values())
    boxes = []
    for box_id in ids:
        box = given.get(box_id) or pb.MazeBox()
        card = MazeCard(box.card)
        if card is MazeCard.UNKNOWN:
            card = MazeCard.THROUGH if open_ones > 0 else MazeCard.DEAD_END
            open_ones -= 1
        boxes.append(Maze(box_id, card, box.seen))
    return tuple(boxes)
