"""Draws against the digest's odds: battles (2.4), luck (3.1), tables (2.6); and its distances (2.3, 2.7), exactly."""

import itertools
from collections import Counter, deque

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Commanded, Seat, fold, judge
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet, Game, is_room
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from ludolog.testkit.chance import SeededChance
from tests.property.warlock_of_firetop_mountain.playing import RULEBOOK

TABLES = read_tables(RULEBOOK.content)
BATTLES = 500
WITHIN = 0.07
"""Three standard deviations of a share of 500, and more."""
ODDS = [
    *(("DRAGON", "R_f", skill, won) for skill, won in ((9, 0.66), (10, 0.91), (11, 0.99))),
    *(("WARLOCK", "R_g", skill, won) for skill, won in ((9, 0.52), (10, 0.85), (11, 0.98))),
    *(("E17", "R_A", skill, won) for skill, won in ((9, 0.91), (10, 0.99), (11, 1.0))),
    ("CROCODILE", "c15_14", 9, 1.0),
]


def position(sheet: dict[str, object], **parts: object) -> Game:
    message = json_format.ParseDict({"players": [{"seat": 1, "adventurer": sheet}], **parts}, pb.Position())
    game = RULEBOOK.from_position(message, 2, pb.Options())
    assert isinstance(game, Game)
    return game


def do(game: Game, command: Message, chance: SeededChance) -> Game:
    after = fold(RULEBOOK, game, judge(RULEBOOK, game, Commanded(Seat(1), command), 2, chance))
    assert isinstance(after, Game)
    return after


@pytest.mark.parametrize(("creature", "place", "skill", "share"), ODDS)
def test_battles_are_won_as_often_as_the_digest_says(creature: str, place: str, skill: int, share: float) -> None:
    """An adventurer of STAMINA 19 who never escapes."""
    card = TABLES.encounters[creature]
    fight = {"seat": 1, "encounter": creature, "place": place, "skill": card.skill, "stamina": card.stamina}
    rooms = [{"id": "R_A", "encounter": "E17", "face_up": True}] if creature == "E17" else []
    begin = position(
        {"initial_skill": skill, "stamina": 19, "initial_stamina": 19, "place": place},
        rooms=rooms,
        fight=fight,
        window={"kind": "WINDOW_KIND_FIGHT", "seat": 1},
    )
    chance, won = SeededChance(f"battle/{creature}/{skill}"), 0
    for _ in range(BATTLES):
        game = begin
        while game.fight:
            game = do(game, pb.AttackRound(), chance)
        won += game.players[0].adventurer is not None
    assert abs(won / BATTLES - share) < WITHIN


def test_luck_and_the_bridge() -> None:
    """LUCK 7 on two dice: 21 of 36 Lucky; the bridge: two falls, one stay, three across of six."""
    chance, rolls = SeededChance("river"), 3_000
    raft, bridge = Counter[str](), Counter[str]()
    begin = position({"luck": 7, "initial_luck": 7, "place": "c15_14"})
    for way, count in ((pb.RIVER_WAY_RAFT, raft), (pb.RIVER_WAY_BRIDGE, bridge)):
        for _ in range(rolls):
            after = do(begin, pb.CrossRiver(way=way), chance)
            adventurer = after.adventurer(1)
            count["fall" if after.fight else adventurer.place] += 1
    assert abs(raft["c15_17"] / rolls - 21 / 36) < 0.03
    assert abs(bridge["fall"] / rolls - 2 / 6) < 0.03
    assert abs(bridge["c15_14"] / rolls - 1 / 6) < 0.03
    assert abs(bridge["c15_17"] / rolls - 3 / 6) < 0.03


def test_characters() -> None:
    """2.3 to 2.5: SKILL 9, 10, 11 equally often; STAMINA 14 to 24, mean 19; LUCK 7 to 12, mean 9.5."""
    chance, rolls = SeededChance("characters"), 3_000
    message = pb.Position(players=[pb.PlayerPosition(seat=1, stage=pb.STAGE_CHARACTER, lives=1)])
    message.turn.number = 3
    message.turn.seat = 2
    begin = RULEBOOK.from_position(message, 2, pb.Options())
    sheets = [do(begin, pb.CreateCharacter(), chance).adventurer(1) for _ in range(rolls)]
    skills = Counter(sheet.initial_skill for sheet in sheets)
    assert set(skills) == {9, 10, 11}
    assert all(abs(count / rolls - 1 / 3) < 0.03 for count in skills.values())
    assert {sheet.initial_stamina for sheet in sheets} == set(range(14, 25))
    assert abs(sum(sheet.initial_stamina for sheet in sheets) / rolls - 19) < 0.15
    assert {sheet.initial_luck for sheet in sheets} == set(range(7, 13))


def spaces(board: Board, start: str, goal: str, boxes: tuple[str, ...] = ()) -> int:
    """Shortest way in spaces, with these boxes open; rooms end a way."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        place = waiting.popleft()
        if place == goal:
            return found[place]
        if is_room(place) and place != start:
            continue
        near = board.boxes[place].touches if place in board.boxes else board.neighbours[place]
        opened = [box for box in boxes if place in board.boxes[box].touches]
        for other in (*near, *opened):
            if other not in found:
                found[other] = found[place] + 1
                waiting.append(other)
    raise AssertionError(f"no way from {start} to {goal}")


@pytest.mark.parametrize(
    ("data_set", "track", "best", "worst", "last"),
    [(DataSet.TWO_HOUR, 30, 14, 24, 3), (DataSet.WIDE, 39, 17, 31, 5)],
)
def test_distances(data_set: DataSet, track: int, best: int, worst: int, last: int) -> None:
    board = TABLES.boards[data_set]
    assert spaces(board, board.entrance, board.south_bank) == 20
    assert spaces(board, board.north_bank, board.lair) == 19
    assert spaces(board, "c15_32", board.study) == track
    assert spaces(board, board.study, board.treasure_room) == last
    pairs = {
        pair: spaces(board, "c15_32", board.study, pair)
        for pair in itertools.combinations(board.boxes, 2)
        if {pair[0], pair[1]} & {"X1", "X2", "X3"} and {pair[0], pair[1]} & {"X4", "X5", "X6"}
    }
    assert pairs.pop(("X3", "X4")) == track
    assert (min(pairs.values()), max(pairs.values())) == (best, worst)


@pytest.mark.parametrize(("data_set", "short_cuts", "deals"), [(DataSet.TWO_HOUR, 15, 15), (DataSet.WIDE, 18, 20)])
def test_how_many_deals_of_maze_cards_leave_a_short_cut(data_set: DataSet, short_cuts: int, deals: int) -> None:
    """L2 of the digest: with three ways through, 18 of 20 deals; with four every one, as 16.1 takes for granted."""
    board = TABLES.boards[data_set]
    track = spaces(board, "c15_32", board.study)
    opened = list(itertools.combinations(board.boxes, board.through))
    shorter = [boxes for boxes in opened if spaces(board, "c15_32", board.study, boxes) < track]
    assert (len(shorter), len(opened)) == (short_cuts, deals)
