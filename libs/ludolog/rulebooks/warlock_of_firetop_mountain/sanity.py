"""What holds whenever a decision is waited for: for positions, and after every commit in property tests."""

from __future__ import annotations

from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.deals import OFFERS
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.key_challenge import NUMBERS
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import excess
from ludolog.rulebooks.warlock_of_firetop_mountain.sanity_talk import (
    Problems,
    leaving_problems,
    notebook_problems,
    offer_problems,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.sanity_windows import (
    LARGEST,
    memory_problems,
    player_problems,
    turn_problems,
    window_problems,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    Adventurer,
    Fight,
    Game,
    MazeCard,
    Stage,
    WindowKind,
    is_box,
    is_entrance,
    is_room,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

FACES = 6
HIGHEST = {"skill": FACES + 6, "stamina": 2 * FACES + 12, "luck": FACES + 6}
"""Initial scores (2.2 to 2.4). Lower ones than the dice give are allowed: examples become short by them."""
ALIVE = {"skill": 0, "stamina": 1, "luck": 0}
"""The least that an adventurer has (2.8, ruling A29; a curse takes SKILL)."""
KEYS_IN_CHEST = 3
BATTLE = {WindowKind.FIGHT, WindowKind.SPOILS, WindowKind.FLIGHT}


def check_game(tables: Tables, game: Game) -> None:
    """ValueError names everything that can't be; `tables` are those that the table chose to play with."""
    if problems := [text for text, wrong in _problems(tables, game) if wrong]:
        raise ValueError("; ".join(problems))


def _problems(tables: Tables, game: Game) -> Problems:
    board = tables.boards[game.settings.data_set]
    yield from _table(board, game)
    for seat, player in enumerate(game.players, 1):
        who = f"seat {seat}"
        yield f"{who}: {player.stage.name} without an adventurer", _lacks_adventurer(game, seat)
        life = player.adventurer.life if player.adventurer else 0
        yield f"{who}: adventurer {life} of {player.lives} lives", player.lives < life
        yield from player_problems(game, seat, player)
        yield from _rucksack(tables, game, seat)
        yield f"{who}: heard or told a claim about no key, or of no player", _hearsay(game, seat)
        yield from notebook_problems(game, seat)
        if player.adventurer is not None:
            yield from _scores(who, player.adventurer)
            yield from _goods(who, player.adventurer)
        if player.ready:
            yield from _place(tables, board, game, who, player.ready)
    for item in game.items:
        money = tables.treasures[item.held.card].is_money
        yield f"item {item.item}: {item.held.card} is handed in when discovered (8.2), it can't lie about", money
    yield from _cards_in_place(tables, board, game)
    yield from turn_problems(tables, game)
    yield from memory_problems(tables, game)
    if not game.ending:
        yield from _waited_for(tables, game)
        yield from window_problems(tables, game)
    if game.offer:
        yield from offer_problems(game, game.offer)
    if game.leaving:
        yield from leaving_problems(game, game.leaving)
    if game.fight and not game.ending:
        yield from _battle(tables, game, game.fight)


def _lacks_adventurer(game: Game, seat: int) -> bool:
    player = game.player(seat)
    return (player.adventurer is None) == (player.stage in {Stage.EXTRAS, Stage.READY})


def _hearsay(game: Game, seat: int) -> bool:
    """Claims name another player, a key, and an owner (0: the chest)."""
    book = game.player(seat).notebook
    return any(
        _outside(said.seat, 1, game.seats)
        or said.seat == seat
        or said.number not in NUMBERS
        or _outside(said.owner, 0, game.seats)
        or said.turn < 0
        for said in (*book.heard, *book.told)
    )


def _outside(value: int, least: int, most: int) -> bool:
    return not least <= value <= most


def _table(board: Board, game: Game) -> Problems:
    seats, turn, window = game.seats, game.turn, game.window
    talks = len(game.talks) != seats or any(count < 0 for count in game.talks)
    yield f"talks: 0 or more for each of {seats} seats", talks
    yield f"turn.seat: seats are 1 to {seats}", _outside(turn.seat, 0, seats)
    yield f"window.seat: seats are 1 to {seats}", _outside(window.seat, 0, seats)
    begun = window.kind is not WindowKind.SET_UP
    yield "turn: the game has begun, so its number is 1 or more", begun and turn.number < 1
    yield f"turn.die {turn.die}: 0 to {FACES}", _outside(turn.die, 0, FACES)
    yield f"turn.pips_left {turn.pips_left}: 0 to {turn.die}", _outside(turn.pips_left, 0, max(turn.die, 0))
    fighting = window.kind is WindowKind.FIGHT and not game.ending
    dealt = bool(game.chest) or begun
    yield f"chest: {KEYS_IN_CHEST} keys (1.6)", dealt and len(game.chest) != KEYS_IN_CHEST
    through = sum(box.card is MazeCard.THROUGH for box in game.maze)
    yield f"maze: {board.through} ways through, not {through}", bool(game.maze) and through != board.through
    yield "window: FIGHT without a battle", fighting and game.fight is None
    places = set(board.neighbours) | set(board.boxes)
    for item in game.items:
        yield f"item {item.item} lies nowhere on the board: {item.place!r}", item.place not in places
    on_turn = 1 <= turn.seat <= seats and game.player(turn.seat).stage is Stage.PASSIVE
    yield f"turn.seat {turn.seat} plays no more", begun and on_turn and not (game.ending or game.leaving)


def _cards_in_place(tables: Tables, board: Board, game: Game) -> Problems:
    """Fixed encounters in their rooms, the others in the other rooms (1.2)."""
    for room in game.rooms:
        fixed = tables.fixed.get(room.id)
        shuffled = room.encounter in tables.shuffled and room.id != board.treasure_room
        fits = shuffled if fixed is None else room.encounter == fixed.id
        yield f"{room.id}: {room.encounter} can't lie there (1.2)", bool(room.encounter) and not fits


def _waited_for(tables: Tables, game: Game) -> Problems:
    """Windows that somebody can decide in."""
    window, turn = game.window, game.turn
    kind = window.kind
    others = {*BATTLE, WindowKind.SET_UP}
    yield (
        f"window: {kind.name} of seat {window.seat}, who isn't on turn",
        kind not in others and window.seat != turn.seat,
    )
    if not 1 <= window.seat <= game.seats:
        return
    adventurer = game.player(window.seat).ready
    bodiless = {WindowKind.SET_UP, WindowKind.REBIRTH, WindowKind.OVER}
    yield f"window: {kind.name} of seat {window.seat}, who has no adventurer", kind not in bodiless and not adventurer
    if kind in {WindowKind.MOVE, WindowKind.CHALLENGE}:
        yield f"window: {kind.name}, and turn.pips_left is 0", not turn.pips_left
    if kind is WindowKind.CAGE:
        yield "window: CAGE of somebody who isn't caged", adventurer is None or not adventurer.caged
    if kind is WindowKind.ENCOUNTER:
        place = adventurer.place if adventurer else ""
        card = tables.encounters.get(game.room(place).encounter) if is_room(place) else None
        yield "window: ENCOUNTER, and no card that offers a choice", card is None or card.special not in OFFERS


def _rucksack(tables: Tables, game: Game, seat: int) -> Problems:
    player = game.player(seat)
    money = [held.card for held in player.rucksack if tables.treasures[held.card].is_money]
    yield f"seat {seat}: {', '.join(money)} in the rucksack: handed in when discovered (8.2)", bool(money)
    if game.leaving is None and not game.ending:
        cards, swords = excess(tables, game, seat)
        yield f"seat {seat}: {cards} Treasure Cards over the limit (2.10), and nobody is leaving any", bool(cards)
        yield f"seat {seat}: more than one magic sword (2.10, A15), and nobody is leaving any", bool(swords)


def _scores(who: str, adventurer: Adventurer) -> Problems:
    for name, most in HIGHEST.items():
        initial, present = getattr(adventurer, f"initial_{name}"), getattr(adventurer, name)
        least = ALIVE[name]
        yield f"{who}: initial_{name} {initial}: 1 to {most} (2.2 to 2.4)", _outside(initial, 1, most)
        yield f"{who}: {name} {present}: {least} to {initial}, its Initial (2.6)", _outside(present, least, initial)


def _goods(who: str, adventurer: Adventurer) -> Problems:
    for name in ("gold", "provisions", "lanterns", "misses_turns"):
        yield f"{who}: {name} below 0", getattr(adventurer, name) < 0
        yield f"{who}: {name} above {LARGEST}", getattr(adventurer, name) > LARGEST


def _place(tables: Tables, board: Board, game: Game, who: str, adventurer: Adventurer) -> Problems:
    place = adventurer.place
    if place not in board.neighbours and place not in board.boxes:
        yield f"{who} stands nowhere on the board: {place!r}", True
        return
    card = tables.encounters.get(game.room(place).encounter) if is_room(place) else None
    caged = adventurer.caged and (card is None or card.special != "cage")
    yield f"{who}: caged, and {place} is no room with the Cage Trap", caged
    yield f"{who}: in_passage on {place}, no Secret Passage space", adventurer.in_passage and not is_entrance(place)
    yield f"{who}: pending_encounter on {place}, no room", adventurer.pending_encounter and not is_room(place)
    box = adventurer.investigating
    yield f"{who}: investigating {box} from {place}, not beside it", bool(box) and board.box_at.get(place) != box
    room = adventurer.must_leave
    yield f"{who}: must_leave {room}: no room", bool(room) and room not in board.rooms
    door = adventurer.entered_by
    yield f"{who}: entered_by {door!r}: no space beside {place}", bool(door) and door not in board.ways(place)
    yield f"{who}: on {place}, whose Maze Card isn't turned up", is_box(place) and not _seen(game, place)


def _seen(game: Game, box: str) -> bool:
    return any(card.id == box and card.card is MazeCard.THROUGH for card in game.maze)


def _battle(tables: Tables, game: Game, fight: Fight) -> Problems:
    seats = {fight.seat, fight.opponent} - {0}
    yield "fight: seats are none, or the same", not fight.seat or fight.seat == fight.opponent
    yield f"fight: seats are 1 to {game.seats}", any(_outside(seat, 0, game.seats) for seat in seats)
    if any(_outside(seat, 1, game.seats) for seat in seats):
        return
    yield "fight.escaped: nobody, or one of those who fight", fight.escaped not in {0, *seats}
    here = [player.ready.place for seat in seats if (player := game.player(seat)).ready]
    fights = game.window.kind in BATTLE and not game.leaving
    gone = set(here) != {fight.place} or len(here) != len(seats)
    yield f"fight: not all who fight stand on {fight.place!r}", fights and game.window.kind is WindowKind.FIGHT and gone
    yield "fight.rounds, wounds: below 0", min(fight.rounds, fight.wounds) < 0
    yield f"fight.rounds, wounds, skill: above {LARGEST}", max(fight.rounds, fight.wounds, fight.skill) > LARGEST
    if not fight.opponent:
        card = tables.encounters.get(fight.encounter)
        yield f"fight: {fight.encounter!r} is no creature", card is None or not card.stamina
        yield (
            f"fight: {fight.encounter!r} isn't the creature of {fight.place}",
            fights and not _met_there(tables, game, fight),
        )
        most = card.stamina if card else 0
        yield f"fight.stamina {fight.stamina}: 1 to {most}, as on the card", _outside(fight.stamina, 1, most)


def _met_there(tables: Tables, game: Game, fight: Fight) -> bool:
    if is_room(fight.place):
        return game.room(fight.place).encounter == fight.encounter
    return fight.encounter == "CROCODILE" and fight.place in tables.boards[game.settings.data_set].banks
