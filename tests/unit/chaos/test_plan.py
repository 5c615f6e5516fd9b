"""What `make chaos` does to whom is drawn by the seed alone."""

from tests.chaos.plan import DECK, UPSETS, Attack, plan


def kinds(seed: int, kills: int, only: str = "") -> list[str]:
    return [step.kind for step in plan(seed, kills, only) if isinstance(step, Attack)]


def test_a_seed_does_the_same_again() -> None:
    assert list(plan(7, 50)) == list(plan(7, 50))
    assert list(plan(7, 50)) != list(plan(8, 50))


def test_twenty_kills_hit_everybody() -> None:
    assert sorted(kinds(1, 20)) == sorted(" ".join(card) for card in DECK)


def test_every_upset_comes_in_twenty_kills() -> None:
    assert {step for step in plan(1, 20) if isinstance(step, str)} == set(UPSETS)


def test_one_kind_can_be_asked_for() -> None:
    assert set(kinds(1, 9, "engine")) == {"engine kill", "engine pause", "engine stop"}
    assert set(kinds(1, 9, "engine kill")) == {"engine kill"}
