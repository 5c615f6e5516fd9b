"""Chance by script: purpose → values in order. Scenarios never use a seed."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ludolog.kernel import Draw

T = TypeVar("T")
REST = "..."
"""In a shuffle: all items that aren't named, in the order in which they were."""


class ScriptError(Exception):
    """The script doesn't fit what the rules draw."""


class ScriptedChance:
    """Draws from a script. `draws` records them; `left_over` says what was never asked for."""

    def __init__(self, script: Mapping[str, Sequence[Any]]) -> None:
        """Take purpose → values in order: a face, a place (from 1) or an item, a shuffle's places or items."""
        self.draws: list[Draw] = []
        self._script = {purpose: list(values) for purpose, values in script.items()}

    def left_over(self) -> dict[str, list[Any]]:
        """Values that weren't drawn, by purpose."""
        return {purpose: values for purpose, values in self._script.items() if values}

    def d6(self, purpose: str) -> int:
        """The script's next value, 1 to 6."""
        value = self._next(purpose, "a die")
        if value not in range(1, 7) or isinstance(value, bool):
            raise ScriptError(f"{purpose}: {value!r} isn't a face of a die")
        self.draws.append(Draw(purpose, 6, (value,)))
        return int(value)

    def choose(self, purpose: str, options: Sequence[T]) -> T:
        """The option at the script's next place (from 1), or the first one with its name."""
        value = self._next(purpose, f"one of {len(options)}: {_names(options)}")
        index = _place(purpose, value, options, range(len(options)))
        self.draws.append(Draw(purpose, len(options), (index + 1,)))
        return options[index]

    def shuffle(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """The items in the script's order."""
        value = self._next(purpose, f"a shuffle of {len(items)}: {_names(items)}")
        if not isinstance(value, list):
            raise ScriptError(f"{purpose}: a shuffle's value is a list, not {value!r}")
        left = list(range(len(items)))
        order: list[int] = []
        for position, wanted in enumerate(value, 1):
            if wanted == REST and position == len(value):
                order += left
                left = []
                break
            place = _place(purpose, wanted, items, left)
            left.remove(place)
            order.append(place)
        if left:
            missing = _names([items[place] for place in left])
            raise ScriptError(f"{purpose}: {len(order)} of {len(items)} items are placed; missing: {missing}")
        self.draws.append(Draw(purpose, len(items), tuple(place + 1 for place in order)))
        return tuple(items[place] for place in order)

    def _next(self, purpose: str, what: str) -> Any:
        values = self._script.get(purpose)
        if not values:
            raise ScriptError(f"no value is left in given.draws for {purpose!r}, which draws {what}")
        return values.pop(0)


def _place(purpose: str, wanted: Any, items: Sequence[Any], free: Sequence[int]) -> int:
    """Index of the wanted item among the free ones: by place where a number is given, else by name."""
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        if wanted - 1 not in free:
            raise ScriptError(f"{purpose}: place {wanted} isn't one of {[index + 1 for index in free]}")
        return wanted - 1
    for index in free:
        if wanted in _names_of(items[index]):
            return index
    raise ScriptError(f"{purpose}: {wanted!r} isn't one of {_names([items[index] for index in free])}")


def _names_of(item: Any) -> tuple[Any, ...]:
    """What an item may be called: an enum GOLD or CHAMBER_GOLD (its type's name first); anything else by id or text."""
    if isinstance(item, enum.Enum):
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", type(item).__name__).upper()
        return f"{prefix}_{item.name}", item.name
    for attribute in ("id", "key", "name"):
        if isinstance(name := getattr(item, attribute, None), str):
            return (name,)
    return item, str(item)


def _names(items: Sequence[Any]) -> str:
    return ", ".join(str(_names_of(item)[0]) for item in items)
