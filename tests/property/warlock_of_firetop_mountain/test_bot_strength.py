"""The explorer opens the chest, among random players and among its own kind; the room's README has more figures."""

from statistics import median

import pytest

from ludolog.kernel import Seat
from ludolog.testkit.playing import Timed
from tests.property.warlock_of_firetop_mountain.strength import EXPLORER, match, wilson, wins


@pytest.mark.parametrize("seats", [2, 4])
def test_it_beats_random_players(seats: int) -> None:
    """Each seat in turn; by chance it would win one match in `seats`, and random players don't open a chest in time."""
    won = sum(wins(seats, number) for number in range(8))
    assert won >= 6
    assert wilson(won, 8)[0] > 1 / (2 * seats)


def test_its_answers_are_quick() -> None:
    timed = Timed(EXPLORER)
    match(3, {Seat(seat): timed for seat in (1, 2, 3)}, "quick")
    assert median(timed.answers_ms) < 10
    assert max(timed.answers_ms) < 200


def test_the_interval_is_wilsons() -> None:
    assert wilson(8, 10) == pytest.approx((0.4901, 0.9434), abs=1e-3)
    assert wilson(0, 200) == pytest.approx((0, 0.0188), abs=1e-3)
