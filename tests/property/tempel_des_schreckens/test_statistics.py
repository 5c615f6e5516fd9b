"""Hidden roles and rows are drawn as the digest's odds say. The seeds are fixed: these never fail by chance."""

from collections import Counter
from fractions import Fraction

import pytest

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.fairness import BlockChance
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.tempel_des_schreckens.rules.set_up import define_roles, distribute_chambers
from ludolog.rulebooks.tempel_des_schreckens.state import Counts
from ludolog.rulebooks.tempel_des_schreckens.tables import read_tables
from ludolog.testkit.offline import digest_of

TABLES = read_tables(catalogue.read_content("tempel_des_schreckens"))
DEALS = 20_000
LOW = {3: Fraction(1, 2), 4: Fraction(2, 5), 7: Fraction(3, 8), 8: Fraction(1, 3), 10: Fraction(4, 11)}
"""Digest 2.1: chance that the lower number of guardians is in play, because one is set aside."""
CHI_SQUARE_4_DF = 23.5
"""Upper bound for 4 degrees of freedom: exceeded once in 10,000."""


@pytest.mark.parametrize("seats", LOW)
def test_share_of_games_with_few_guardians(seats: int) -> None:
    pack, low = TABLES.roles[seats], 0
    first: Counter[int] = Counter()
    for number in range(DEALS):
        dealt = define_roles(pack, seats, BlockChance(digest_of("roles", seats, number)))
        low += list(dealt.roles).count(pb.ROLE_GUARDIAN) < pack.guardians
        first[dealt.roles[0]] += 1
    assert low / DEALS == pytest.approx(float(LOW[seats]), abs=0.015)
    assert first[pb.ROLE_GUARDIAN] / DEALS == pytest.approx(pack.guardians / pack.total, abs=0.015)


@pytest.mark.parametrize("seats", [5, 6, 9])
def test_all_guardians_are_in_play_where_no_card_is_over(seats: int) -> None:
    pack = TABLES.roles[seats]
    for number in range(200):
        dealt = define_roles(pack, seats, BlockChance(digest_of("roles", seats, number)))
        assert list(dealt.roles).count(pb.ROLE_GUARDIAN) == pack.guardians
        assert dealt.leftover == 0


def test_every_place_in_every_row_is_as_likely() -> None:
    """Where the only gold lies: 15 equally likely places; each row's five by a chi-square test."""
    counts = Counts(empty=13, gold=1, fire=1)
    places: Counter[tuple[int, int]] = Counter()
    deals = 6_000
    for number in range(deals):
        dealt = distribute_chambers(counts, 1, 3, BlockChance(digest_of("rows", number)))
        for row in dealt.rows:
            for slot, chamber in enumerate(row.chambers, 1):
                if chamber == pb.CHAMBER_GOLD:
                    places[row.seat, slot] += 1
    assert sum(places.values()) == deals
    for seat in (1, 2, 3):
        found = [places[seat, slot] for slot in range(1, 6)]
        expected = sum(found) / 5
        assert sum((n - expected) ** 2 / expected for n in found) < CHI_SQUARE_4_DF
        assert sum(found) / deals == pytest.approx(1 / 3, abs=0.025)


def test_the_owners_shuffle_is_independent_of_the_deal() -> None:
    """The first card dealt to a seat lies in each slot of its row equally often."""
    slots: Counter[int] = Counter()
    for number in range(5_000):
        chance = BlockChance(digest_of("independent", number))
        distribute_chambers(TABLES.chambers[3], 1, 3, chance)
        row = next(draw for draw in chance.draws if draw.purpose == "row of seat 2")
        slots[row.values.index(1)] += 1
    assert sum((n - 1000) ** 2 / 1000 for n in slots.values()) < CHI_SQUARE_4_DF
