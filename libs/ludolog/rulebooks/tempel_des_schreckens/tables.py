"""The printed tables (Set Up 1 and 2) and the box, read from content files and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludolog.kernel import Component, Content
from ludolog.rulebooks.tempel_des_schreckens.state import FIRST_HAND, SEATS, Counts, RolePack

SOURCES = ("rulebook", "found", "reconstruction")
FILES = ("box.toml", "chambers.toml", "roles.toml")


@dataclass(frozen=True, slots=True)
class Tables:
    """What is shuffled for how many players, and what is in the box."""

    roles: Mapping[int, RolePack]
    chambers: Mapping[int, Counts]
    components: tuple[Component, ...]


def read_tables(content: Content) -> Tables:
    """Read and check the content. ValueError names the file and what doesn't add up."""
    if missing := [name for name in FILES if name not in content]:
        raise ValueError(f"content lacks {', '.join(missing)}")
    tables = Tables(
        roles={row["players"]: _role_pack(row) for row in _entries(content, "roles.toml", "distribution")},
        chambers={row["players"]: _chambers(row) for row in _entries(content, "chambers.toml", "distribution")},
        components=tuple(_component(row) for row in _entries(content, "box.toml", "component")),
    )
    for name, players in (("roles.toml", tables.roles), ("chambers.toml", tables.chambers)):
        if sorted(players) != list(SEATS):
            raise ValueError(f"{name} must have one entry each for {SEATS[0]} to {SEATS[-1]} players")
    _check_box(tables)
    return tables


def _entries(content: Content, name: str, key: str) -> list[dict[str, Any]]:
    try:
        entries = tomllib.loads(content[name].decode())[key]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise ValueError(f"{name}: {error}") from error
    for entry in entries:
        if entry.get("source") not in SOURCES or not entry.get("section"):
            raise ValueError(f"{name}: an entry without source ({', '.join(SOURCES)}) or section: {entry}")
    seen = [entry.get("players", entry.get("key")) for entry in entries]
    if len(set(seen)) != len(seen):
        raise ValueError(f"{name}: two entries for one of {seen}")
    return entries  # type: ignore[no-any-return]


def _number(entry: Mapping[str, Any], field: str, minimum: int) -> int:
    value = entry.get(field)
    if type(value) is not int or value < minimum:
        raise ValueError(f"{field} must be a whole number from {minimum} on: {dict(entry)}")
    return value


def _role_pack(row: Mapping[str, Any]) -> RolePack:
    """One card for each player, or one more (R1, R3)."""
    pack = RolePack(_number(row, "adventurers", 1), _number(row, "guardians", 1))
    if pack.adventurers + pack.guardians - _number(row, "players", 1) not in (0, 1):
        raise ValueError(f"roles.toml: {pack} isn't one card for each of {row['players']} players, or one more")
    return pack


def _chambers(row: Mapping[str, Any]) -> Counts:
    """Five cards for each player (C1)."""
    counts = Counts(_number(row, "empty", 0), _number(row, "gold", 1), _number(row, "fire", 1))
    if counts.total != FIRST_HAND * _number(row, "players", 1):
        raise ValueError(f"chambers.toml: {counts} isn't {FIRST_HAND} for each of {row['players']} players")
    return counts


def _component(row: Mapping[str, Any]) -> Component:
    return Component(row["key"], row["title"], _number(row, "count", 1), row["source"], row["section"])


def _check_box(tables: Tables) -> None:
    """The box holds what each row of the tables asks for."""
    box = {component.key: component.count for component in tables.components}
    needed = {
        "adventurer": max(pack.adventurers for pack in tables.roles.values()),
        "guardian": max(pack.guardians for pack in tables.roles.values()),
        "empty": max(counts.empty for counts in tables.chambers.values()),
        "gold": max(counts.gold for counts in tables.chambers.values()),
        "fire": max(counts.fire for counts in tables.chambers.values()),
        "key": 1,
    }
    if short := {key: count for key, count in needed.items() if box.get(key, 0) < count}:
        raise ValueError(f"box.toml lacks cards that the tables ask for: {short}")
