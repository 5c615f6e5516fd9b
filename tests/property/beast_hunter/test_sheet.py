"""What is on the sheet is conserved: materials, squares, bars; undo leads back to a state that there was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.message import Message
from msgspec.structs import replace

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.kernel import Commanded, Seat, TimedOut, judge, open_match
from ludolog.kernel.players import fill
from ludolog.rulebooks.beast_hunter.rules.course import BARRED
from ludolog.rulebooks.beast_hunter.sanity import check_game
from ludolog.rulebooks.beast_hunter.state import FAULT, Game
from ludolog.testkit.chance import SeededChance
from ludolog.testkit.offline import digest_of
from tests.property.beast_hunter.scripted import RULEBOOK, TABLES

MATCHES = 25


def bare(game: Game) -> Game:
    """The state without what only counts events and placements."""
    return replace(game, moment=0, undone=0, undo=())


def whole(before: Game, event: Message, game: Game) -> None:
    """Nothing is lost and nothing is made that the event doesn't tell."""
    change = [new - old for old, new in zip(before.stores, game.stores, strict=True)] if before.regions else []
    match event:
        case pb.MaterialGained():
            assert change[event.material - 1] == event.amount > 0
            assert sum(map(abs, change)) == event.amount
        case pb.MaterialSpent():
            assert change[event.material - 1] == -event.amount < 0
            assert sum(map(abs, change)) == event.amount
        case pb.PlacementUndone():
            assert bare(game) == bare(before.undo[-1])
        case _:
            assert not any(change)
    assert 0 <= game.hit_points <= game.max_hit_points <= TABLES.numbers["hit_points"]
    assert 0 <= game.determination <= TABLES.numbers["determination"]
    assert all(0 <= count <= TABLES.numbers["storage_circles"] for count in game.stores)
    assert [len(tower.cells) for tower in game.towers] == [20, 20, 20]
    assert all(0 <= value <= FAULT for tower in game.towers for value in tower.cells)
    assert all(len(region.boxes) == TABLES.numbers["search_boxes"] for region in game.regions)
    assert game.moment == before.moment + 1
    if not isinstance(event, pb.PlacementUndone):
        assert game.days_crossed >= before.days_crossed
        assert game.doubt >= before.doubt


def play(number: int) -> Iterator[tuple[Game, Message, Game]]:
    """A random match with timeouts: (before, event, after) for every event."""
    chance = SeededChance(f"sheet/{number}")
    game = RULEBOOK.blank
    for event in open_match(RULEBOOK, pb.Options(), 1, BlockChance(digest_of("sheet", number))):
        before, game = game, RULEBOOK.evolve(game, event)
        yield before, event, game
    commit = 0
    while RULEBOOK.outcome(game) is None:
        commit += 1
        (decision,) = RULEBOOK.awaiting(game)
        cause: Commanded | TimedOut = TimedOut(decision.decision_id, decision.seat)
        if chance.choose("time out", range(20)):
            entry = chance.choose("command", RULEBOOK.legal_commands(game, Seat(1)))
            cause = Commanded(Seat(1), fill(entry, chance), entry.decision_id)
        for event in judge(RULEBOOK, game, cause, 1, BlockChance(digest_of("sheet", number, commit))):
            before, game = game, RULEBOOK.evolve(game, event)
            yield before, event, game
        check_game(TABLES, game)
        assert commit < RULEBOOK.longest_match


@pytest.mark.parametrize("number", range(MATCHES))
def test_the_sheet_is_whole_after_every_event(number: int) -> None:
    for before, event, game in play(number):
        whole(before, event, game)


def test_no_drawn_die_is_ever_undone_and_no_barred_one_changed() -> None:
    """Dice change by draws, by determination where it isn't barred, and never by going back."""
    undone = 0
    for number in range(MATCHES):
        for before, event, game in play(number):
            if isinstance(event, pb.PlacementUndone):
                undone += 1
                assert game.roll is not None
                assert before.roll is None or before.roll.dice == game.roll.dice
            if isinstance(event, pb.DieAdjusted):
                assert game.roll is not None
                assert game.roll.purpose not in BARRED
    assert undone
