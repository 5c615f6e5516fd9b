"""What `make chaos` does to whom is drawn by the seed alone."""

import pytest

from tests.chaos.plan import DECK, UPSETS, Attack, plan


def attacks(seed: int, kills: int, only: str = "") -> list[Attack]:
    return [attack for step in plan(seed, kills, only) if not isinstance(step, str) for attack in step]


def kinds(seed: int, kills: int, only: str = "") -> list[str]:
    return [attack.kind for attack in attacks(seed, kills, only)]


def test_a_seed_does_the_same_again() -> None:
    assert list(plan(7, 50)) == list(plan(7, 50))
    assert list(plan(7, 50)) != list(plan(8, 50))


@pytest.mark.parametrize("seed", range(20))
def test_twenty_kills_hit_everybody(seed: int) -> None:
    assert sorted(kinds(seed, 20)) == sorted(" ".join(card) for card in DECK)
    assert [attack.number for attack in attacks(seed, 20)] == list(range(1, 21))


@pytest.mark.parametrize("seed", range(20))
def test_every_upset_comes_in_twenty_kills(seed: int) -> None:
    assert {step for step in plan(seed, 20) if isinstance(step, str)} == set(UPSETS)


def test_now_and_then_two_are_hit_at_once_and_never_the_same_one_twice() -> None:
    pairs = [step for step in plan(1, 400) if not isinstance(step, str) and len(step) > 1]
    assert pairs
    for one, other in pairs:
        if one.victim == other.victim:
            assert one.victim in ("engine", "gateway", "spectator")
            assert int(one.which * 2) != int(other.which * 2)


def test_one_kind_can_be_asked_for() -> None:
    assert set(kinds(1, 9, "engine")) == {"engine kill", "engine pause", "engine stop"}
    assert set(kinds(1, 9, "engine kill")) == {"engine kill"}
