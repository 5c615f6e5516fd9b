"""Chance by script: values by place or by name, nothing missing and nothing left."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import pytest

from ludolog.kernel import Draw
from ludolog.testkit.scripted import ScriptedChance, ScriptError


class Animal(enum.Enum):
    FOX = 1
    OWL = 2


class WildCard(enum.IntEnum):
    JOKER = 7


@dataclass(frozen=True)
class Named:
    id: str


def test_dice_come_in_order() -> None:
    chance = ScriptedChance({"hit": [3, 5], "dodge": [1]})
    assert [chance.d6("hit"), chance.d6("dodge"), chance.d6("hit")] == [3, 1, 5]
    assert chance.draws == [Draw("hit", 6, (3,)), Draw("dodge", 6, (1,)), Draw("hit", 6, (5,))]
    assert chance.left_over() == {}


@pytest.mark.parametrize(
    ("value", "found"),
    [(2, Animal.OWL), ("OWL", Animal.OWL), ("ANIMAL_OWL", Animal.OWL), ("FOX", Animal.FOX)],
)
def test_a_choice_is_a_place_or_a_name(value: object, found: Animal) -> None:
    chance = ScriptedChance({"which": [value]})
    assert chance.choose("which", [Animal.FOX, Animal.OWL]) is found
    assert chance.draws == [Draw("which", 2, (found.value,))]


def test_names_of_all_kinds_of_items() -> None:
    items = ["text", Named("thing"), WildCard.JOKER, 12]
    for number, value in enumerate(["text", "thing", "WILD_CARD_JOKER"], 1):
        chance = ScriptedChance({"p": [value]})
        assert chance.choose("p", items) is items[number - 1]
    assert ScriptedChance({"p": [4]}).choose("p", items) == 12


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ([3, 1, 2], (3, 1, 2)),
        (["c", "a", "b"], (3, 1, 2)),
        (["c", "..."], (3, 1, 2)),
        (["..."], (1, 2, 3)),
        ([2, "..."], (2, 1, 3)),
    ],
)
def test_a_shuffle_is_a_list_of_places_or_items(value: list[object], places: tuple[int, ...]) -> None:
    chance = ScriptedChance({"p": [value]})
    assert chance.shuffle("p", "abc") == tuple("abc"[place - 1] for place in places)
    assert chance.draws == [Draw("p", 3, places)]


def test_equal_items_take_the_first_free_place() -> None:
    chance = ScriptedChance({"p": [["b", "a", "a", "b"]]})
    assert chance.shuffle("p", "aabb") == ("b", "a", "a", "b")
    assert chance.draws[0].values == (3, 1, 2, 4)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (["a", "b"], "2 of 3 items are placed; missing: c"),
        (["a", "a", "..."], "'a' isn't one of b, c"),
        (["a", "x", "..."], "'x' isn't one of b, c"),
        ([1, 1, "..."], "place 1 isn't one of"),
        ([4, "..."], "place 4 isn't one of"),
        ("abc", "a shuffle's value is a list"),
    ],
)
def test_a_shuffle_that_doesnt_fit_is_refused(value: object, said: str) -> None:
    with pytest.raises(ScriptError, match=said):
        ScriptedChance({"p": [value]}).shuffle("p", "abc")


@pytest.mark.parametrize("face", [0, 7, "3", True])
def test_a_die_has_six_faces(face: object) -> None:
    with pytest.raises(ScriptError, match="isn't a face"):
        ScriptedChance({"p": [face]}).d6("p")


def test_missing_and_left_over_values_are_named() -> None:
    with pytest.raises(ScriptError, match=r"no value is left in given\.draws for 'p', which draws a die"):
        ScriptedChance({"p": []}).d6("p")
    assert ScriptedChance({"p": [1], "q": []}).left_over() == {"p": [1]}
