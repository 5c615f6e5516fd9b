"""1. Setting Up For Play, 2. Creating Characters, 5. Starting the Game. Rulings A1, A2, A18, A45."""

from __future__ import annotations

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import BadInput, Chance, Events, Refusal
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.options import ROUNDS, settings_from
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.play import Next, Play
from ludolog.rulebooks.warlock_of_firetop_mountain.state import (
    BLANK,
    MazeCard,
    Piece,
    Stage,
    WindowKind,
)
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import Tables

NAME = 20
"""Longest name of an adventurer, in code points."""
KEYS_IN_CHEST = 3
EXTRAS_FROM = 12
"""2.11: extras are 12 less Initial SKILL."""
NO_SKILL = 99
"""A player without adventurer ranks last where SKILL decides."""


def set_up(tables: Tables, options: pb.Options, seats: int, chance: Chance) -> Events:
    """1.1 to 1.6. Draws: "treasure cards", "encounter cards", "maze cards", "key cards" (the chest's three first)."""
    if options.most_rounds and options.most_rounds not in ROUNDS:
        raise BadInput("options.most_rounds", f"must be 0 or {ROUNDS[0]} to {ROUNDS[-1]}")
    settings = settings_from(options)
    play = Play(tables.played(settings), BLANK, chance)
    play.happen(
        pb.GameCreated(
            seats=seats,
            double_six_rule=settings.double_six_rule,
            strict_7_8=settings.strict_7_8,
            dead_end_extra=settings.dead_end_extra,
            data_set=pb.DataSet.ValueType(settings.data_set),
            most_rounds=settings.most_rounds,
            more_looks=settings.more_looks,
            lesser_warlock=settings.lesser_warlock,
            meal_ruling=settings.meal_ruling,
        )
    )
    play.happen(populate(play.tables, play.board, chance))
    keys = [pb.KeyCard.ValueType(number) for number in chance.shuffle("key cards", range(1, 10))]
    play.happen(pb.KeyCardsShuffled(chest=keys[:KEYS_IN_CHEST], rest=keys[KEYS_IN_CHEST:]))
    play.happen(pb.WindowOpened(kind=pb.WINDOW_KIND_SET_UP))
    return tuple(play.events)


def populate(tables: Tables, board: Board, chance: Chance) -> pb.BoardPopulated:
    """1.1, 1.2, 1.6: treasure in each room but two, encounters on top, fixed ones in theirs, Maze Cards."""
    rooms = [room for room in board.rooms if room not in {board.study, board.treasure_room}]
    treasures = chance.shuffle("treasure cards", list(tables.treasures))
    encounters = list(chance.shuffle("encounter cards", tables.shuffled))
    laid = []
    for room in board.rooms:
        fixed = tables.fixed.get(room)
        card = fixed.id if fixed else "" if room == board.treasure_room else encounters.pop(0)
        laid.append(pb.Laid(room=room, card=card, fixed=fixed is not None))
    shut = len(board.boxes) - board.through
    maze = chance.shuffle("maze cards", [MazeCard.THROUGH] * board.through + [MazeCard.DEAD_END] * shut)
    return pb.BoardPopulated(
        treasures=[pb.Laid(room=room, card=card) for room, card in zip(rooms, treasures, strict=True)],
        encounters=laid,
        maze=[
            pb.MazeBox(id=box, card=pb.MazeCard.ValueType(card)) for box, card in zip(board.boxes, maze, strict=True)
        ],
    )


def require_stage(play: Play, seat: int, stage: Stage, section: str) -> None:
    """What the player has to do next. Refuses: NOT_NOW."""
    if play.game.player(seat).stage is not stage:
        raise Refusal("NOT_NOW", section, window=play.game.window.kind.name)


def free_pieces(play: Play) -> list[Piece]:
    """Pieces that nobody has chosen."""
    taken = {player.piece for player in play.game.players}
    return [piece for piece in Piece if piece not in taken]


def choose_piece(play: Play, seat: int, command: pb.ChoosePiece) -> Next:
    """1.7. Refuses: PIECE_TAKEN, NOT_NOW."""
    require_stage(play, seat, Stage.PIECE, "1.7")
    if Piece(command.piece) not in free_pieces(play):
        raise Refusal("PIECE_TAKEN", "1.7", piece=Piece(command.piece).name)
    play.happen(pb.PieceChosen(seat=seat, piece=command.piece))
    return Next.WAIT


def create_character(play: Play, seat: int, command: pb.CreateCharacter) -> Next:
    """2.2 to 2.5: SKILL, STAMINA, LUCK. Draws "character" four times. Refuses: NOT_NOW; BadInput for a bad name."""
    if len(command.name) > NAME or not command.name.isprintable():
        raise BadInput("create_character.name", f"at most {NAME} characters, printable ones")
    require_stage(play, seat, Stage.CHARACTER, "2.2")
    dice = [play.chance.d6("character") for _ in range(4)]
    skill = 9 + (dice[0] - 1) // 2
    play.happen(
        pb.CharacterRolled(
            seat=seat,
            life=play.game.player(seat).lives + 1,
            name=command.name or f"Adventurer {seat}",
            sex=command.sex,
            dice=dice,
            skill=skill,
            stamina=dice[1] + dice[2] + 12,
            luck=dice[3] + 6,
            extras=EXTRAS_FROM - skill,
        )
    )
    return Next.WAIT


def allocate_extras(play: Play, seat: int, command: pb.AllocateExtras) -> Next:
    """2.11: so many units may be taken, split as one likes. Refuses: WRONG_EXTRAS, NOT_NOW."""
    require_stage(play, seat, Stage.EXTRAS, "2.11")
    extras = play.game.player(seat).extras
    if min(command.provisions, command.gold) < 0 or command.provisions + command.gold > extras:
        raise Refusal("WRONG_EXTRAS", "2.11", extras=extras)
    taken = pb.ExtrasTaken(seat=seat, provisions=command.provisions, gold=command.gold, place=play.board.entrance)
    play.happen(taken)
    if play.game.window.kind is WindowKind.SET_UP:
        return finish(play)
    play.happen(pb.AdventurerReborn(seat=seat, life=play.game.player(seat).lives))
    return Next.BEGIN if play.game.window.kind is WindowKind.REBIRTH and play.seat == seat else Next.WAIT


def finish(play: Play) -> Next:
    """Once every adventurer exists: deal the Key Cards (1.5) and find who begins (5.1)."""
    if any(player.stage not in {Stage.READY, Stage.PASSIVE} for player in play.game.players):
        return Next.WAIT
    deal(play)
    ready = [seat for seat, player in enumerate(play.game.players, 1) if player.ready]
    lowest = min(skill(play, seat) for seat in ready)
    tied = [seat for seat in ready if skill(play, seat) == lowest]
    start = highest(play, tied, 1, pb.TIE_KIND_START)[0]
    play.happen(pb.StartPlayerChosen(seat=start))
    play.happen(pb.TurnStarted(seat=start, number=1, round=1))
    return Next.BEGIN


def skill(play: Play, seat: int) -> int:
    """Initial SKILL of a seat's adventurer."""
    adventurer = play.game.player(seat).adventurer
    return adventurer.initial_skill if adventurer else NO_SKILL


def deal(play: Play) -> None:
    """1.5 and A2: evenly by seat, then spare cards one each to the lowest SKILL; equal ones dice for it."""
    seats = range(1, play.game.seats + 1)
    each, spare = divmod(len(play.game.undealt), play.game.seats)
    cards = list(play.game.undealt)
    hands = {seat: [cards.pop(0) for _ in range(each)] for seat in seats}
    for seat in lowest_skill(play, spare):
        hands[seat].append(cards.pop(0))
    play.happen(
        pb.KeyCardsDealt(
            hands=[
                pb.Hand(seat=seat, cards=[pb.KeyCard.ValueType(card) for card in sorted(hand)], count=len(hand))
                for seat, hand in hands.items()
            ]
        )
    )


def lowest_skill(play: Play, number: int) -> list[int]:
    """So many seats with the lowest SKILL. Draws "key card tie" where SKILL doesn't decide."""
    chosen: list[int] = []
    for value in sorted({skill(play, seat) for seat in range(1, play.game.seats + 1)}):
        if len(chosen) == number:
            break
        tied = [seat for seat in range(1, play.game.seats + 1) if skill(play, seat) == value]
        chosen += highest(play, tied, number - len(chosen), pb.TIE_KIND_KEY_CARD)
    return chosen


def highest(play: Play, seats: list[int], number: int, kind: pb.TieKind.ValueType) -> list[int]:
    """So many of the seats, by the highest dice; equal ones roll again. Draws "start tie" or "key card tie"."""
    if len(seats) <= number:
        return seats
    purpose = "start tie" if kind == pb.TIE_KIND_START else "key card tie"
    rolls = {seat: play.chance.d6(purpose) for seat in seats}
    play.happen(pb.TieDiced(kind=kind, rolls=[pb.SeatDie(seat=seat, die=die) for seat, die in rolls.items()]))
    border = sorted(rolls.values(), reverse=True)[number - 1]
    above = [seat for seat in seats if rolls[seat] > border]
    level = [seat for seat in seats if rolls[seat] == border]
    return above + highest(play, level, number - len(above), kind)


def extras_splits(extras: int) -> list[pb.AllocateExtras]:
    """Every way to share out extras, all of them first, Provisions first; they may be left as well ("choice", 2.11)."""
    return [
        pb.AllocateExtras(provisions=units - gold, gold=gold)
        for units in range(extras, -1, -1)
        for gold in range(units + 1)
    ]
