"""Reading content files (TOML): every entry has a source, every value its type and range.

An entry names its `source` (of SOURCES) and its `section`: where it stands in the book, or what it was made up from.
"""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from ludolog.kernel.rulebook import Component, Content

Entry: TypeAlias = Mapping[str, Any]
E = TypeVar("E", bound=enum.IntEnum)
SOURCES = ("rulebook", "found", "reconstruction")
LARGEST = 10_000


def toml(content: Content, name: str) -> dict[str, Any]:
    """A file, parsed. ValueError where it isn't there, or isn't TOML."""
    if name not in content:
        raise ValueError(f"content lacks {name}")
    try:
        return tomllib.loads(content[name].decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{name}: {error}") from error


def check_sources(name: str, found: Iterable[Entry]) -> None:
    """ValueError for an entry that doesn't say where it is from."""
    for entry in found:
        if entry.get("source") not in SOURCES or not entry.get("section"):
            raise ValueError(f"{name}: an entry without source ({', '.join(SOURCES)}) or section: {entry}")


def entries(content: Content, name: str, key: str) -> list[dict[str, Any]]:
    """The entries of a kind in a file. ValueError where there is none, or one without a source."""
    found = toml(content, name).get(key)
    if not isinstance(found, list) or not found:
        raise ValueError(f"{name}: no [[{key}]]")
    check_sources(name, found)
    return found


def component(entry: Entry) -> Component:
    """What lies in the box, by an entry with key, title and count. ValueError where one is missing."""
    return Component(
        text(entry, "key"), text(entry, "title"), number(entry, "count", 1), entry["source"], entry["section"]
    )


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
