"""What there is to measure: sections that know the names of their figures before they measure anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.figures import Figure


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured: everything, or just enough to see that it works."""

    quick: bool = False

    def of(self, full: int, quick: int) -> int:
        """A number of this scale."""
        return quick if self.quick else full


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that are measured together. `names` costs nothing."""

    names: Callable[[], Sequence[str]]
    measure: Callable[[Scale], Iterable[Figure]]

    def wanted(self, asked: Sequence[str]) -> bool:
        """True if one of its names is asked for."""
        return any(chosen(name, asked) for name in self.names())


def chosen(name: str, asked: Sequence[str]) -> bool:
    """True for a name that is asked for: by itself, by a part that it begins with ("rules"), or by nothing at all."""
    return not asked or any(name == part or name.startswith(f"{part}.") for part in asked)
