"""What holds for every game: the door that each cause goes through."""

from __future__ import annotations

import pytest

from ludolog.fairness import BlockChance
from ludolog.kernel import BadInput, Cause, Refusal, Resigned, Seat, StaleDecision, TimedOut, judge, open_match
from ludolog.rulebooks import catalogue
from tests.unit.record.matches import NAME, finished

BLOCK = BlockChance(bytes(32))


def test_a_match_needs_a_number_of_seats_that_the_book_allows() -> None:
    rulebook = catalogue.load(NAME)
    with pytest.raises(Refusal, match="WRONG_PLAYER_COUNT") as found:
        open_match(rulebook, rulebook.options_type(), rulebook.seats[-1] + 1, BLOCK)
    assert found.value.facts["maximum"] == rulebook.seats[-1]


@pytest.mark.parametrize("seat", [0, -1, 99])
def test_there_must_be_such_a_seat(seat: int) -> None:
    table = finished()
    with pytest.raises(BadInput, match="seat"):
        judge(table.rulebook, table.game, Resigned(Seat(seat)), table.setting.seats, BLOCK)


@pytest.mark.parametrize("cause", [Resigned(Seat(1)), TimedOut("d", Seat(1))])
def test_nothing_happens_after_the_end(cause: Cause) -> None:
    table = finished()
    with pytest.raises(Refusal, match="GAME_OVER"):
        judge(table.rulebook, table.game, cause, table.setting.seats, BLOCK)


def test_refusals_read_well() -> None:
    assert str(Refusal("NOT_KEY_PLAYER", "Gameplay 1", expected_seat=3)) == (
        "NOT_KEY_PLAYER (Gameplay 1): expected_seat=3"
    )
    assert str(Refusal("GAME_OVER", "Game End")) == "GAME_OVER (Game End)"
    assert str(StaleDecision("d-1")) == "that decision isn't open any more"
