"""Reading content files: every entry has a source, every value its type and range."""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from ludolog.kernel import Content

Entry: TypeAlias = Mapping[str, Any]
E = TypeVar("E", bound=enum.IntEnum)
SOURCES = ("rulebook", "found", "reconstruction")
LARGEST = 10_000


def entries(content: Content, name: str, key: str) -> list[dict[str, Any]]:
    """The entries of a kind in a file. ValueError where there is none, or one without a source."""
    if name not in content:
        raise ValueError(f"content lacks {name}")
    try:
        found = tomllib.loads(content[name].decode()).get(key)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{name}: {error}") from error
    if not isinstance(found, list) or not found:
        raise ValueError(f"{name}: no [[{key}]]")
    for entry in found:
        if entry.get("source") not in SOURCES or not entry.get("section"):
            raise ValueError(f"{name}: an entry without source ({', '.join(SOURCES)}) or section: {entry}")
    return found


def number(entry: Entry, field: str, minimum: int, maximum: int = LARGEST) -> int:
    """A whole number within bounds, both included. ValueError for anything else."""
    value = entry.get(field)
    if type(value) is not int or not minimum <= value <= maximum:
        raise ValueError(f"{field} must be a whole number, {minimum} to {maximum}: {dict(entry)}")
    return value


def text(entry: Entry, field: str) -> str:
    """A text that isn't empty. ValueError for anything else."""
    value = entry.get(field)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{field} must be a text: {dict(entry)}")
    return value


def key_of(names: type[E], entry: Entry, field: str = "key") -> E:
    """One of a closed set of names, in lower_snake. ValueError for any other."""
    name = text(entry, field)
    if name.upper() not in names.__members__ or name != name.lower():
        raise ValueError(f"{field}: {name!r} isn't one of {', '.join(member.lower() for member in names.__members__)}")
    return names[name.upper()]


def one_each(name: str, found: Iterable[E], names: type[E]) -> None:
    """ValueError unless every name stands once."""
    if sorted(found) != sorted(names):
        raise ValueError(f"{name}: one entry each for {', '.join(member.name.lower() for member in names)}")


def adjacent(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Orthogonal neighbours; diagonal ones don't count."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1
