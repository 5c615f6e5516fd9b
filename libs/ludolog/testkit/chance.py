"""Chance for players and test drivers: seeded, and apart from a match's own draws, which it can never shift."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class SeededChance:
    """Draws that are a function of the seed alone, on every platform. Nothing is recorded."""

    def __init__(self, seed: str) -> None:
        """Begin a stream; different texts give independent ones."""
        self._random = random.Random(seed)

    def d6(self, purpose: str) -> int:
        """Roll one die, 1 to 6."""
        return self._random.randrange(6) + 1

    def choose(self, purpose: str, options: Sequence[T]) -> T:
        """Choose one of at least one option. ValueError where there is none."""
        return options[self._random.randrange(len(options))]

    def shuffle(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """Put the items in random order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self._random.randrange(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)
