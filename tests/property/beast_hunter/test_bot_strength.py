"""The house player beats the random one, its odds are the exact ones. The room's README has figures of more games."""

from statistics import median

import pytest

from ludolog.rulebooks import catalogue
from ludolog.rulebooks.beast_hunter.bot_fight import Foe, Stakes, fight
from ludolog.rulebooks.beast_hunter.bot_forge import best
from ludolog.rulebooks.beast_hunter.bot_search import WEIGHTS, Box
from ludolog.testkit.playing import Timed
from tests.property.beast_hunter.solo import NAME, games

BOTS = catalogue.load(NAME).bots
LIFE_OR_DEATH = Stakes(health=(0.0,) * 11, kill=1.0)
"""Only the kill counts, so that nobody escapes."""


def test_it_beats_the_random_player() -> None:
    """Some games of each; the README's figures are far above what is asked for here."""
    timed = Timed(BOTS["planner"])
    planned, random = games(timed, range(6)), games(BOTS["random"], range(20))
    assert planned.mean - planned.margin > random.mean + random.margin + 30
    assert median(timed.answers_ms) < 10
    assert max(timed.answers_ms) < 200


@pytest.mark.parametrize(
    ("attacks_to", "hit_from", "hit_points", "chance"),
    [
        pytest.param(2, 5, 2, 0.9950, id="Ice Bear"),
        pytest.param(2, 5, 3, 0.9831, id="Blood Wolves"),
        pytest.param(2, 6, 4, 0.7063, id="Horse Eater Hawk"),
        pytest.param(3, 6, 3, 0.6365, id="Nightmare Crab"),
        pytest.param(3, 6, 6, 0.2081, id="Terrible Beast"),
        pytest.param(3, 5, 6, 0.6348, id="Terrible Beast, lance"),
        pytest.param(2, 6, 6, 0.4419, id="Terrible Beast, plate"),
        pytest.param(2, 5, 6, 0.8660, id="Terrible Beast, both"),
    ],
)
def test_odds_of_a_fight_to_the_death(attacks_to: int, hit_from: int, hit_points: int, chance: float) -> None:
    found = fight(Foe(attacks_to, hit_from), LIFE_OR_DEATH).worth(10, hit_points)
    assert found == pytest.approx(chance, abs=0.00005)


@pytest.mark.parametrize(("highest", "chance"), [(0, 0.0484), (10, 0.3945), (99, 0.8149)])
def test_odds_of_a_search_that_is_placed_as_well_as_can_be(highest: int, chance: float) -> None:
    wanted = Box(tuple(int(0 <= result <= highest) for result in range(-555, 556)))
    assert wanted.worth(0, WEIGHTS) == pytest.approx(chance, abs=0.00005)


def test_equal_dice_close_a_box_at_the_bench() -> None:
    cost, squares = best(((4, 0), (0, 0), (0, 2)), (4, 2))
    assert squares == ((0, 1), (2, 0))
    assert cost == pytest.approx(best(((0, 0),), (3, 3))[0] + 5.4, abs=0.3)
