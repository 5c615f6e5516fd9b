"""Exact odds, by counting every way the dice can fall: the digest's figures (2.11), from the rules themselves."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import pytest

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.rulebooks.beast_hunter.names import RollPurpose, SearchKind, Tower
from ludolog.rulebooks.beast_hunter.rules.building import places
from ludolog.rulebooks.beast_hunter.rules.combat import NATURES
from tests.property.beast_hunter.scripted import TABLES, TWO_DICE, after, chance_to_win, position

LANCE = {"disintegrator_lance": "GRADE_STANDARD"}
PLATE = {"silver_plate": "GRADE_STANDARD"}
PEAK, CAVERNS, SCAR = "REGION_HALEBEARD_PEAK", "REGION_COASTAL_CAVERNS", "REGION_THE_SCAR"


@pytest.mark.parametrize(
    ("region", "level", "forged", "share"),
    [
        (PEAK, 2, {}, 0.9950),
        (PEAK, 3, {}, 0.9831),
        (PEAK, 4, {}, 0.7063),
        (SCAR, 4, {}, 0.7063),
        (CAVERNS, 4, {}, 0.6365),
        (PEAK, 0, {}, 0.2081),
        (CAVERNS, 0, LANCE, 0.6348),
        (SCAR, 0, PLATE, 0.4419),
        (SCAR, 0, {**LANCE, **PLATE}, 0.8660),
    ],
)
def test_fights_to_the_death(region: str, level: int, forged: dict[str, str], share: float) -> None:
    assert chance_to_win(region, level, forged=forged) == pytest.approx(share, abs=0.00005)


@pytest.mark.parametrize(("region", "level"), [(CAVERNS, 1), (CAVERNS, 4), (PEAK, 2)])
def test_escapes(region: str, level: int) -> None:
    """20 of 36 ways, whatever the beast is."""
    before = position(combat={"region": region, "level": level})
    out = [dice for dice in TWO_DICE if after(before, pb.EscapeRoll(), escape=list(dice)).combat is None]
    assert len(out) == 20


def test_single_combat_rolls() -> None:
    """The Shell-Cracker Troll, 2 hit points, hits on 1 and 2, hit on 5 and 6: one roll, all 36 ways."""
    before = position(combat={"region": CAVERNS, "level": 2})
    found: Counter[tuple[int, bool]] = Counter()
    for dice in TWO_DICE:
        then = after(before, pb.AttackRoll(), combat=list(dice))
        found[10 - then.hit_points, then.combat is None] += 1
    assert found == {(0, True): 4, (1, False): 16, (2, False): 4, (0, False): 12}


def test_search_results_of_random_placements() -> None:
    """Digest 2.11, of 46,656 ways to fill six squares."""
    kinds: Counter[Any] = Counter()
    levels: Counter[int] = Counter()
    for top, bottom in product(product(range(1, 7), repeat=3), repeat=2):
        value = sum((a - b) * worth for a, b, worth in zip(top, bottom, (100, 10, 1), strict=True))
        result = TABLES.result(value)
        kinds[result.kind, value > 0] += 1
        if result.kind is SearchKind.ENCOUNTER:
            levels[result.level] += 1
    assert kinds == {
        (SearchKind.AMBUSH, False): 216,
        (SearchKind.LAIR, True): 1_170,
        (SearchKind.TRACK, True): 5_760,
        (SearchKind.ENCOUNTER, True): 16_290,
        (SearchKind.ENCOUNTER, False): 23_220,
    }
    assert levels == {0: 12_960, 1: 10_368, 2: 7_776, 3: 5_184, 4: 3_222}


WORTHS = (100, 10, 1, -100, -10, -1)
"""What a face in each of the six squares adds to the result."""


def best_search(low: int, high: int) -> float:
    """The best chance of a result within bounds over a whole search, every die placed in the best way."""
    wanted, pairs = range(low, high + 1), tuple(combinations(range(6), 2))

    @cache
    def last(empty: tuple[int, ...], base: int) -> float:
        p, q = (WORTHS[square] for square in empty)
        return sum(base + p * a + q * b in wanted or base + p * b + q * a in wanted for a, b in TWO_DICE) / 36

    @cache
    def rest(empty: tuple[int, ...], base: int) -> float:
        if len(empty) == 2:
            return last(empty, base)
        places = [
            (WORTHS[p], WORTHS[q], tuple(square for square in empty if square not in (p, q)))
            for p, q in pairs
            if p in empty and q in empty
        ]
        total = 0.0
        for a, b in combinations_with_replacement(range(1, 7), 2):
            both = (rest(left, base + p * x + q * y) for p, q, left in places for x, y in {(a, b), (b, a)})
            total += max(both) * (1 if a == b else 2)
        return total / 36

    return rest(tuple(range(6)), 0)


@pytest.mark.parametrize(("high", "chance"), [(0, 0.0484), (10, 0.3945), (99, 0.8149)])
def test_the_best_placement_of_a_search(high: int, chance: float) -> None:
    """Digest 2.11: each maximised alone."""
    assert best_search(0, high) == pytest.approx(chance, abs=0.00005)


def test_faults_of_the_last_roll_of_a_tower() -> None:
    """Eighteen 1s: both dice have a place in 1 of 36 ways; one of them in 11, as the other one is a fault."""
    rows = ["..1.", ".11.", "111.", "111.", "1111", "1111", "1.__"]
    game = position(today={"action": "ACTION_BUILD", "tower": "TOWER_EASTERN"}, towers={"eastern": {"rows": rows}})
    assert places(TABLES, game, 1) == [19, 20]
    assert all(places(TABLES, game, value) == [] for value in range(2, 7))
    faults = Counter(sum(value != 1 for value in dice) for dice in TWO_DICE)
    assert faults == {0: 1, 1: 10, 2: 25}


def test_the_first_roll_of_a_tower_never_makes_a_fault() -> None:
    for tower in Tower:
        empty = position(today={"action": "ACTION_BUILD", "tower": f"TOWER_{tower.name}"}, stores={"stone": 1})
        rolling = after(empty, pb.RollDice(), build=[1, 2])
        for cell in range(1, 21):
            placed = after(rolling, pb.PlaceTowerDie(die=1, cell=cell))
            assert places(TABLES, placed, 2)
            assert places(TABLES, placed, 1)


def test_natures() -> None:
    assert Counter(nature.name for nature in NATURES) == {"COWED": 1, "CRUEL": 3, "CUNNING": 2}


def test_rage() -> None:
    """Foul Weather and Madness in one region: 1 in 9 for each living Terrible Beast, 1 in 3 with all of them."""
    raging = Counter(
        TABLES.region_on(foul) for foul, mad in TWO_DICE if TABLES.region_on(foul) is TABLES.region_on(mad)
    )
    assert {Fraction(ways, 36) for ways in raging.values()} == {Fraction(1, 9)}
    assert sum(raging.values()) == 12


def test_every_purpose_has_its_draw() -> None:
    assert RollPurpose.ENCOUNTER_LEVEL.draw == "encounter level"
    assert len({purpose.draw for purpose in RollPurpose}) == len(RollPurpose) == 14
