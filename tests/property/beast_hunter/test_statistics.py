"""Dice are drawn as the book's odds say. The seeds are fixed: these never fail by chance."""

from collections import Counter

import pytest

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.kernel import Commanded, Seat, judge
from ludolog.testkit.offline import digest_of
from tests.property.beast_hunter.scripted import RULEBOOK, position

ROLLS = 2_000


def test_natures_of_terrible_beasts() -> None:
    game = position(
        today={"action": "ACTION_SEARCH", "region": "REGION_THE_SCAR"}, regions={"the_scar": {"lair_found": True}}
    )
    found: Counter[int] = Counter()
    for number in range(ROLLS):
        events = judge(
            RULEBOOK, game, Commanded(Seat(1), pb.SpendSearchOnLair()), 1, BlockChance(digest_of("nature", number))
        )
        found.update(event.nature for event in events if isinstance(event, pb.NatureRevealed))
    assert sum(found.values()) == ROLLS
    assert found[pb.NATURE_COWED] / ROLLS == pytest.approx(1 / 6, abs=0.03)
    assert found[pb.NATURE_CRUEL] / ROLLS == pytest.approx(1 / 2, abs=0.04)
    assert found[pb.NATURE_CUNNING] / ROLLS == pytest.approx(1 / 3, abs=0.035)


def test_directions_of_attacks() -> None:
    """E 7/18, S 6/18, SW 5/18, and each region one time in three."""
    game = position(days_crossed=2, today={"action": "ACTION_SEARCH", "region": "REGION_THE_SCAR"})
    directions: Counter[int] = Counter()
    regions: Counter[int] = Counter()
    for number in range(ROLLS):
        events = judge(
            RULEBOOK, game, Commanded(Seat(1), pb.EndSearchDay()), 1, BlockChance(digest_of("attack", number))
        )
        attacks = [event for event in events if isinstance(event, pb.VillageAttacked)]
        directions.update(event.direction for event in attacks)
        regions.update(event.region for event in attacks)
    assert sum(directions.values()) == ROLLS
    for tower, ways in ((pb.TOWER_EASTERN, 7), (pb.TOWER_SOUTHERN, 6), (pb.TOWER_SOUTH_WESTERN, 5)):
        assert directions[tower] / ROLLS == pytest.approx(ways / 18, abs=0.035)
    assert all(count / ROLLS == pytest.approx(1 / 3, abs=0.035) for count in regions.values())


def test_rage_comes_one_time_in_three() -> None:
    game = position(days_crossed=3, today={"action": "ACTION_SEARCH", "region": "REGION_THE_SCAR"})
    raging = 0
    for number in range(ROLLS):
        events = judge(RULEBOOK, game, Commanded(Seat(1), pb.EndSearchDay()), 1, BlockChance(digest_of("rage", number)))
        raging += any(isinstance(event, pb.AttackerChosen) and event.rage for event in events)
    assert raging / ROLLS == pytest.approx(1 / 3, abs=0.035)
