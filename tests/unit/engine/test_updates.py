"""What an audience learns of a commit: all that it may know, nothing else, in the same bytes."""

import msgspec
import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.kernel import OMNISCIENT, SPECTATOR, Seat, Seated, Viewer
from ludolog.record.updates import legal_commands, present, update
from tests.unit.engine.play import RULEBOOK, Game

SEATS: tuple[Viewer, ...] = tuple(Seated(Seat(n)) for n in (1, 2, 3))
EVERYBODY: tuple[Viewer, ...] = (*SEATS, SPECTATOR, OMNISCIENT)


@pytest.fixture(scope="module")
def whole() -> Game:
    game = Game()
    game.play_on()
    return game


def test_only_a_seat_has_legal_commands_and_only_while_the_match_is_on(whole: Game) -> None:
    for before, commit, after in whole.steps:
        told = {viewer: update(RULEBOOK, before, after, commit, viewer) for viewer in EVERYBODY}
        assert not told[SPECTATOR].legal_commands
        assert not told[OMNISCIENT].legal_commands
        over = after.outcome is not None
        awaited = {decision.seat for decision in told[SPECTATOR].awaiting}
        moving = {viewer.seat for viewer in SEATS if isinstance(viewer, Seated) and told[viewer].legal_commands}
        assert bool(awaited) is not over
        assert awaited <= moving if not over else not moving
        assert all(one.HasField("outcome") is over for one in told.values())


def test_every_audience_gets_every_commit_with_its_number_time_view_and_story(whole: Game) -> None:
    for number, (before, commit, after) in enumerate(whole.steps, 1):
        for viewer in EVERYBODY:
            told = update(RULEBOOK, before if number > 1 else None, after, commit, viewer)
            assert (told.sequence, told.snapshot) == (number, False)
            assert told.commit_time == commit.commit_time
            assert told.view.TypeName() == RULEBOOK.view_type.DESCRIPTOR.full_name
            assert {event.TypeName() for event in told.events} <= {RULEBOOK.public_event_type.DESCRIPTOR.full_name}
            assert not any(decision.HasField("deadline") for decision in told.awaiting)
        assert update(RULEBOOK, before, after, commit, SPECTATOR).events


def test_the_same_commit_gives_the_same_bytes(whole: Game) -> None:
    again = Game()
    again.play_on()
    for (before, commit, after), (before_too, commit_too, after_too) in zip(whole.steps, again.steps, strict=True):
        for viewer in EVERYBODY:
            first = update(RULEBOOK, before, after, commit, viewer)
            second = update(RULEBOOK, before_too, after_too, commit_too, viewer)
            assert first.SerializeToString(deterministic=True) == second.SerializeToString(deterministic=True)


def test_a_snapshot_is_the_same_without_the_story(whole: Game) -> None:
    for before, commit, after in whole.steps:
        for viewer in EVERYBODY:
            told = update(RULEBOOK, before, after, commit, viewer)
            del told.events[:]
            told.snapshot = True
            assert update(RULEBOOK, None, after, commit, viewer, snapshot=True) == told
            assert present(RULEBOOK, after, commit.sequence, viewer) == told


def test_nothing_of_the_commit_itself_is_told(whole: Game) -> None:
    create = whole.create
    for before, commit, after in whole.steps:
        for viewer in (*SEATS, SPECTATOR):
            data = update(RULEBOOK, before, after, commit, viewer).SerializeToString()
            for hidden in (create.commitment, *(seat.entropy for seat in create.seats)):
                assert hidden not in data


def test_a_match_that_was_called_off_offers_nothing_and_before_its_founding_shows_nothing() -> None:
    game = Game()
    commit = game.do("engine", log_pb2.MatchCause(aborted=log_pb2.Aborted()))
    for viewer in EVERYBODY:
        told = present(RULEBOOK, game.match, commit.sequence, viewer)
        assert told.outcome.reason == "ABORTED"
        assert told.HasField("view")
        assert not told.awaiting
        assert not told.legal_commands
        assert legal_commands(RULEBOOK, game.match, viewer) == []
    unfounded = msgspec.structs.replace(game.match, founding=None)
    told = present(RULEBOOK, unfounded, 1, SPECTATOR)
    assert told.outcome.reason == "ABORTED"
    assert not told.HasField("view")
