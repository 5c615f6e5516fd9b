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


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_among_its_own_kind_the_chest_is_opened_within_the_limit(seats: int) -> None:
    """No stalemate over keys that lie in graves, with Shylock or in somebody's rucksack."""
    for number in range(2):
        table = match(seats, dict.fromkeys(map(Seat, range(1, seats + 1)), EXPLORER), f"ends/{seats}/{number}")
        assert table.match.outcome is not None
        assert table.match.outcome.reason == "CHEST_OPENED"


def test_its_answers_are_quick() -> None:
    timed = Timed(EXPLORER)
    match(3, {Seat(seat): timed for seat in (1, 2, 3)}, "quick")
    assert median(timed.answers_ms) < 10
    assert max(timed.answers_ms) < 200


def test_the_interval_is_wilsons() -> None:
    assert wilson(8, 10) == pytest.approx((0.4901, 0.9434), abs=1e-3)
    assert wilson(0, 200) == pytest.approx((0, 0.0188), abs=1e-3)
