"""From updates to commands: the entry that is answered, and that no conversation goes on for ever."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from google.protobuf.message import Message

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as tempel
from ludolog.api.match.v1 import match_pb2
from ludolog.fairness import BlockChance
from ludolog.kernel import Chance, Kind, LegalCommand, Seat, Seated, open_match, wire
from ludolog.kernel.judge import fold
from ludolog.rulebooks import catalogue
from services.bots.crew import house_name
from services.bots.thinking import MOST_TALK, any_move, bot_of, think

RULEBOOK = catalogue.load("tempel_des_schreckens")
BLOCK = b"b" * 32


def opening(seat: int) -> match_pb2.Update:
    """What a seat is sent after the set-up of a table where seat 2 begins."""
    events = open_match(RULEBOOK, tempel.Options(starting_player=2), 3, BlockChance(BLOCK))
    state = fold(RULEBOOK, RULEBOOK.blank, events)
    legal = RULEBOOK.legal_commands(state, Seat(seat))
    return match_pb2.Update(
        sequence=1,
        view=wire.pack(RULEBOOK.view(state, Seated(Seat(seat)))),
        legal_commands=[wire.legal_command(RULEBOOK, entry) for entry in legal],
        awaiting=wire.decisions(RULEBOOK.awaiting(state)),
    )


def chatterbox(view: Message, legal: Sequence[LegalCommand], seat: Seat, chance: Chance) -> Message | None:
    """Talks whenever it may, else makes the first move."""
    talk = [entry for entry in legal if entry.kind is Kind.TALK]
    if talk:
        return tempel.PointAt(owner=1)
    return legal[0].command if legal else None


def test_a_move_names_the_decision_that_it_answers() -> None:
    thought = any_move(RULEBOOK, Seat(2), opening(2), BlockChance(BLOCK))
    assert thought is not None
    assert thought.is_move
    assert thought.decision_id == opening(2).awaiting[0].decision_id
    command = tempel.Command()
    assert thought.command.Unpack(command)
    assert command.HasField("open_chamber")


def test_whoever_isnt_to_move_may_talk_and_waits_otherwise() -> None:
    assert any_move(RULEBOOK, Seat(1), opening(1), BlockChance(BLOCK)) is None
    thought = think(RULEBOOK, chatterbox, Seat(1), opening(1), BlockChance(BLOCK), 0)
    assert thought is not None
    assert (thought.is_move, thought.decision_id) == (False, "")


@pytest.mark.parametrize(("talked", "is_move"), [(0, False), (MOST_TALK - 1, False), (MOST_TALK, True)])
def test_no_conversation_goes_on_for_ever(talked: int, is_move: bool) -> None:
    thought = think(RULEBOOK, chatterbox, Seat(2), opening(2), BlockChance(BLOCK), talked)
    assert thought is not None
    assert thought.is_move is is_move


def test_an_unknown_kind_of_bot_is_the_best_one() -> None:
    assert bot_of(RULEBOOK, "random") is RULEBOOK.bots["random"]
    assert bot_of(RULEBOOK, "") is bot_of(RULEBOOK, "nobody") is next(iter(RULEBOOK.bots.values()))


def test_house_players_have_names_of_their_own() -> None:
    names = [house_name(number) for number in range(1, 101)]
    assert len(set(names)) == 100
    assert (names[0], names[20]) == ("Ada", "Ada 2")
