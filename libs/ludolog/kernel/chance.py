"""Chance is an argument. Every draw has a purpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")


class Draw(msgspec.Struct, frozen=True):
    """One recorded draw: `size` equally likely values, results counted from 1; a shuffle holds the permutation."""

    purpose: str
    size: int
    values: tuple[int, ...]


class Chance(Protocol):
    """Unbiased draws. An implementation records each as a `Draw`, in order."""

    def d6(self, purpose: str) -> int:
        """Roll one die, 1 to 6. Recorded as size 6, one value."""

    def choose(self, purpose: str, options: Sequence[T]) -> T:
        """Choose one of at least one option. Recorded as size len(options), one value: its place from 1."""

    def shuffle(self, purpose: str, items: Sequence[T]) -> tuple[T, ...]:
        """Put the items in random order. Recorded as size len(items); value i: the old place (from 1) of item i."""
