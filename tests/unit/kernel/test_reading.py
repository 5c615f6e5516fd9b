"""Values of content files have their types and ranges."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from ludolog.kernel import Component
from ludolog.kernel.reading import component, entries, key_of, number, one_each, text, toml

SOURCED = 'source = "rulebook"\nsection = "1"\n'


class Colour(enum.IntEnum):
    RED = 1
    DARK_BLUE = 2


@pytest.mark.parametrize("value", [0, 4, True, 2.0, "2", None])
def test_a_number_is_whole_and_within_its_bounds(value: Any) -> None:
    assert number({"n": 3}, "n", 1, 3) == 3
    with pytest.raises(ValueError, match="n must be a whole number, 1 to 3"):
        number({"n": value}, "n", 1, 3)


@pytest.mark.parametrize("value", ["", 1, None])
def test_a_text_isnt_empty(value: Any) -> None:
    with pytest.raises(ValueError, match="t must be a text"):
        text({"t": value}, "t")


def test_a_name_is_one_of_a_closed_set_in_lower_snake() -> None:
    assert key_of(Colour, {"key": "dark_blue"}) is Colour.DARK_BLUE
    for other in ("DARK_BLUE", "green"):
        with pytest.raises(ValueError, match=f"'{other}' isn't one of red, dark_blue"):
            key_of(Colour, {"key": other})


def test_each_name_stands_once() -> None:
    one_each("f.toml", [Colour.DARK_BLUE, Colour.RED], Colour)
    for found in ([Colour.RED], [Colour.RED, Colour.RED, Colour.DARK_BLUE]):
        with pytest.raises(ValueError, match=r"f\.toml: one entry each for red, dark_blue"):
            one_each("f.toml", found, Colour)


def test_entries_are_lists_of_tables() -> None:
    content = {"f.toml": f"[[card]]\n{SOURCED}[single]\n{SOURCED}".encode(), "g.toml": b"\xff"}
    assert entries(content, "f.toml", "card") == [{"source": "rulebook", "section": "1"}]
    for key in ("single", "other"):
        with pytest.raises(ValueError, match=rf"f.toml: no \[\[{key}\]\]"):
            entries(content, "f.toml", key)
    with pytest.raises(ValueError, match=r"g\.toml: 'utf-8'"):
        toml(content, "g.toml")
    with pytest.raises(ValueError, match=r"content lacks h\.toml"):
        toml(content, "h.toml")


def test_a_component() -> None:
    entry = {"key": "die", "title": "Dice", "count": 2, "source": "found", "section": "box"}
    assert component(entry) == Component("die", "Dice", 2, "found", "box")
    with pytest.raises(ValueError, match="count must be"):
        component({**entry, "count": 0})
