"""Draws are unbiased and repeatable. Bounds are quantiles of chi-square at 1e-6, computed beforehand."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludolog.fairness import BlockChance, BlockNeeded, block, commitment, derive_seed, entropy_digest

blocks = st.binary(min_size=32, max_size=32)
# Degrees of freedom → the value that chi-square exceeds once in a million.
LIMITS = {1: 23.93, 5: 35.89, 23: 73.20, 51: 115.96}


def stream(label: str, number: int) -> BlockChance:
    seed = derive_seed(label.encode().ljust(32, b"."), "m")
    return BlockChance(block(seed, "m", number + 1, entropy_digest([b"e" * 16])))


def chi_square(counts: Counter[object], kinds: int) -> float:
    expected = counts.total() / kinds
    assert len(counts) <= kinds
    return sum((seen - expected) ** 2 / expected for seen in counts.values()) + expected * (kinds - len(counts))


@given(blocks, st.lists(st.integers(), max_size=60))
def test_a_shuffle_is_a_permutation_and_says_which(data: bytes, items: list[int]) -> None:
    chance = BlockChance(data)
    shuffled = chance.shuffle("p", items)
    (draw,) = chance.draws
    assert sorted(shuffled) == sorted(items)
    assert sorted(draw.values) == list(range(1, len(items) + 1))
    assert shuffled == tuple(items[place - 1] for place in draw.values)


@given(blocks, st.lists(st.integers(min_value=1, max_value=2**32), min_size=1, max_size=20))
def test_choices_are_in_range_and_repeatable(data: bytes, sizes: list[int]) -> None:
    first, second = BlockChance(data), BlockChance(data)
    for size in sizes:
        assert first.choose("p", range(size)) == second.choose("q", range(size)) < size
    assert [draw.values for draw in first.draws] == [draw.values for draw in second.draws]


@given(st.lists(st.binary(max_size=20), max_size=5), st.lists(st.binary(max_size=20), max_size=5))
def test_no_two_lists_of_contributions_have_one_digest(one: list[bytes], other: list[bytes]) -> None:
    assert (entropy_digest(one) == entropy_digest(other)) == (one == other)


@given(blocks, blocks)
def test_every_part_of_a_block_counts(seed: bytes, entropy: bytes) -> None:
    found = {
        block(seed, "m", 1, entropy),
        block(seed, "m", 2, entropy),
        block(seed, "n", 1, entropy),
        block(seed, "m", 1, entropy_digest([entropy])),
        block(commitment(seed), "m", 1, entropy),
        commitment(seed),
        seed,
    }
    assert len(found) == 7


def test_without_a_block_the_first_draw_asks_for_it() -> None:
    with pytest.raises(BlockNeeded):
        BlockChance(None).d6("p")
    assert BlockChance(None).shuffle("p", ["only"]) == ("only",)


def test_dice_are_fair() -> None:
    rolls = Counter(chance.d6("p") for number in range(3_000) for chance in [stream("dice", number)] for _ in range(10))
    assert chi_square(Counter(rolls), 6) < LIMITS[5]


def test_first_and_second_draw_of_a_block_are_fair() -> None:
    for nth in range(2):
        seen: Counter[object] = Counter()
        for number in range(20_000):
            chance = stream("nth", number)
            seen[[chance.d6("p") for _ in range(2)][nth]] += 1
        assert chi_square(seen, 6) < LIMITS[5]


def test_every_order_is_as_likely_as_any_other() -> None:
    orders: Counter[object] = Counter(stream("orders", number).shuffle("p", "abcd") for number in range(24_000))
    assert set(orders) == set(permutations("abcd"))
    assert chi_square(orders, 24) < LIMITS[23]


@pytest.mark.parametrize("place", [0, 25, 51])
def test_every_card_is_as_likely_at_each_place(place: int) -> None:
    deck = range(52)
    cards: Counter[object] = Counter(stream("deck", number).shuffle("p", deck)[place] for number in range(5_200))
    assert chi_square(cards, 52) < LIMITS[51]


def test_a_size_that_doesnt_divide_the_words_is_fair() -> None:
    """With a plain remainder the lower half of 3 · 2**30 would come up twice as often as the rest."""
    size = 3 * 2**30
    lower: Counter[object] = Counter(
        stream("large", number).choose("p", range(size)) < 2**30 for number in range(20_000)
    )
    expected = lower.total() / 3
    assert (lower[True] - expected) ** 2 / expected + (lower[False] - 2 * expected) ** 2 / (2 * expected) < LIMITS[1]
