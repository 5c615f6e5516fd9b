"""Windows that can be decided in, and what is remembered from before: for positions and imagined games."""

from __future__ import annotations

from ludolog.rulebooks.warlock_of_firetop_mountain.rules import chest
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS
from ludolog.rulebooks.warlock_of_firetop_mountain.sanity_talk import Problems
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    ChestTry,
    Game,
    Item,
    MazeCard,
    Piece,
    Player,
    Stage,
    WindowKind,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

KEYS = 3
LARGEST = 10_000
"""Gold, turns to be missed, lives and the like: more than any game has."""
MANY = 1_000_000
"""The same of turns, and of things that lie about."""
CREATING = {Stage.PIECE, Stage.CHARACTER, Stage.EXTRAS}


def outside(value: int, least: int, most: int) -> bool:
    """Beyond bounds, both included."""
    return not least <= value <= most


def window_problems(tables: Tables, game: Game) -> Problems:
    """A window in which nobody could decide anything, or something else would have to be decided."""
    window, fight = game.window, game.fight
    kind, seat = window.kind, window.seat
    begun = game.turn.number > 0
    creates = any(player.stage in CREATING for player in game.players)
    yield "window: SET_UP, and the game has begun", kind is WindowKind.SET_UP and begun
    yield f"window: SET_UP of seat {seat}; it is everybody's", kind is WindowKind.SET_UP and seat != 0
    yield "window: SET_UP, and nobody creates an adventurer", kind is WindowKind.SET_UP and not creates
    yield "window: OVER, and nobody leaves cards behind", kind is WindowKind.OVER and game.leaving is None
    if not 1 <= seat <= game.seats:
        yield f"window: {kind.name} of nobody", kind is not WindowKind.SET_UP
        return
    alive = game.player(seat).stage not in CREATING
    yield f"window: REBIRTH of seat {seat}, who has an adventurer", kind is WindowKind.REBIRTH and alive
    if kind in {WindowKind.SPOILS, WindowKind.FLIGHT}:
        fled = fight is not None and fight.opponent > 0 and fight.escaped in {fight.seat, fight.opponent}
        yield f"window: {kind.name}, and nobody has escaped from an adventurer (10.4)", not fled
        if fight and fled:
            asked = fight.escaped if kind is WindowKind.FLIGHT else fight.other(fight.escaped)
            yield f"window: {kind.name} is seat {asked}'s, not seat {seat}'s", seat != asked
    if kind is WindowKind.FIGHT and fight:
        yield f"window: FIGHT of seat {seat}, who doesn't fight", seat not in {fight.seat, fight.opponent}
        yield "fight.escaped: and still it goes on", fight.escaped != 0
        yield f"fight.seat {fight.seat} isn't on turn", fight.seat != game.turn.seat
    battle = {WindowKind.FIGHT, WindowKind.SPOILS, WindowKind.FLIGHT}
    yield f"fight: in {kind.name}", fight is not None and kind not in battle
    yield from _chest(tables, game)
    yield from _begins(game)


def _chest(tables: Tables, game: Game) -> Problems:
    window, named = game.window, game.named
    if window.kind is not WindowKind.CHEST:
        yield f"named: in {window.kind.name}; keys are named at the CHEST (13.1)", bool(named)
        return
    held = {card.card for card in game.player(window.seat).rucksack}
    cards = [(key.number, tables.treasures[key.card] if key.card in held else None) for key in named]
    covered = all(card and chest.covers(card, number) for number, card in cards)
    skeletons = [card.id for _, card in cards if card and card.kind == "skeleton"]
    twice = len({number for number, _ in cards}) != len(cards) or len(set(skeletons)) != len(skeletons)
    yield "named: keys that cards in the rucksack don't cover (13.1)", not covered
    yield "named: a key or a Skeleton Key stands twice (A20)", twice
    yield f"named: 1 or 2 of {KEYS} keys", not 0 < len(named) < KEYS
    adventurer = game.player(window.seat).ready
    place = adventurer.place if adventurer else ""
    yield (
        "window: CHEST outside the Treasure Room (13.1)",
        (place != tables.boards[game.settings.data_set].treasure_room),
    )
    yield "window: CHEST, and no keys to go on with (13.1)", not chest.nameable(tables, game, window.seat)


def _begins(game: Game) -> Problems:
    """A turn that has still to begin is at START, with nothing in between."""
    between = game.offer or game.leaving or game.fight or game.named
    yield (
        "turn.unbegun: at START, with nothing in between",
        game.turn.unbegun and (game.window.kind is not WindowKind.START or bool(between)),
    )


def turn_problems(tables: Tables, game: Game) -> Problems:
    """What is counted of a turn, and what lies open in it."""
    turn = game.turn
    yield f"turn.number {turn.number}: 0 to {MANY}", outside(turn.number, 0, MANY)
    most = game.settings.most_rounds
    yield f"turn.round {turn.round}: 0 to {most}, the last one", outside(turn.round, 0, most)
    sold = max((card.amounts.get("most_provisions", 0) for card in tables.encounters.values()), default=0)
    yield f"turn.bought {turn.bought}: 0 to {sold}", outside(turn.bought, 0, sold)
    through = {box.id for box in game.maze if box.card is MazeCard.THROUGH}
    yield f"turn.open_box {turn.open_box}: no way through", bool(turn.open_box) and turn.open_box not in through
    board = tables.boards[game.settings.data_set]
    places = {"", *board.neighbours, *board.boxes}
    yield f"turn.started_at {turn.started_at!r}: nowhere on the board", turn.started_at not in places
    yield f"turn.must_leave {turn.must_leave!r}: no room", turn.must_leave not in {"", *board.rooms}
    limit = game.window.limit
    yield f"window.limit {limit}: 0 to {len(tables.treasures)}", outside(limit, 0, len(tables.treasures))


def player_problems(game: Game, seat: int, player: Player) -> Problems:
    """What a player has, and what only an adventurer has."""
    who = f"seat {seat}"
    pieces = [other.piece for other in game.players]
    yield f"{who}: piece {player.piece}: 0 to {len(Piece)}", outside(player.piece, 0, len(Piece))
    yield f"{who}: piece {player.piece} stands twice (1.7)", bool(player.piece) and pieces.count(player.piece) > 1
    yield f"{who}: Treasure Cards without an adventurer", bool(player.rucksack) and player.adventurer is None
    yield f"{who}: lives {player.lives}: 0 to {LARGEST}", outside(player.lives, 0, LARGEST)
    most = 3 if player.stage is Stage.EXTRAS else 0
    yield f"{who}: extras {player.extras}: 0 to {most} in {player.stage.name} (2.11)", outside(player.extras, 0, most)


def memory_problems(tables: Tables, game: Game) -> Problems:
    """What is remembered of challenges and tries, what has left the game, and who won."""
    for made in game.challenges:
        wrong = outside(made.seat, 1, game.seats) or made.number not in NUMBERS or outside(made.turn, 0, MANY)
        yield f"challenges: seat {made.seat}, number {made.number}, turn {made.turn} can't be", wrong
    for failed in game.chest_tries:
        yield f"chest_tries: {failed.numbers}, {failed.wrong} of them wrong, can't be", _untrue(game, failed)
    shuffled = set(tables.shuffled)
    yield "gone: fixed encounters stay (1.2)", not set(game.gone) <= shuffled
    yield f"winner {game.winner}: 0 to {game.seats}", outside(game.winner, 0, game.seats)
    yield "winner: and the game isn't over", bool(game.winner) and game.ending is None
    board = tables.boards[game.settings.data_set]
    for room in game.rooms:
        bare = room.id in {board.study, board.treasure_room}
        yield f"{room.id}: a treasure stack in Study or Treasure Room (1.1)", bare and bool(room.stack)
        open_ = bool(room.encounter) and (room.face_up or room.id in tables.fixed)
        yield f"{room.id}: {room.encounter} lies face up, and wasn't revealed", open_ and not room.revealed
        gone = outside(room.last_leaver, 0, game.seats) or outside(room.last_leaver_life, 0, LARGEST)
        yield f"{room.id}: last_leaver {room.last_leaver}: 0 to {game.seats}", gone
        yield from _known(game, f"{room.id}: stack", [card.known for card in room.stack])
    for seat, player in enumerate(game.players, 1):
        yield from _known(game, f"seat {seat}: rucksack", [card.known for card in player.rucksack])
    yield from _items(game)


def _untrue(game: Game, failed: ChestTry) -> bool:
    numbers = set(failed.numbers)
    counted = len(failed.numbers) == len(numbers) == KEYS and numbers <= set(NUMBERS)
    wrong = len(numbers - set(game.chest))
    return outside(failed.seat, 1, game.seats) or not counted or not failed.wrong or failed.wrong != wrong


def _known(game: Game, what: str, known: list[int]) -> Problems:
    strangers = any(not bits & 1 and bits >> (game.seats + 1) for bits in known)
    yield f"{what}: known_by names seats beyond {game.seats}", strangers


def _items(game: Game) -> Problems:
    numbers = [item.item for item in game.items]
    yield "items: a number stands twice", len(set(numbers)) != len(numbers)
    highest = max(numbers, default=0)
    yield f"last_item {game.last_item}: {highest} to {MANY}", outside(game.last_item, max(0, highest), MANY)
    for item in game.items:
        yield f"item {item.item}: its number is 1 or more", item.item < 1
        yield f"item {item.item}: owner and left_by are seats, left_turn is a turn", _by_nobody(game, item)
    yield from _known(game, "items", [item.held.known for item in game.items])


def _by_nobody(game: Game, item: Item) -> bool:
    people = outside(item.owner, 0, game.seats) or outside(item.left_by, 0, game.seats)
    return people or outside(item.left_turn, 0, game.turn.number)
