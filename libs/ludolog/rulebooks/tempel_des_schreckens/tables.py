"""The printed tables (Set Up 1 and 2) and the box, read from content files and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludolog.kernel import Component, Content
from ludolog.kernel.reading import Entry, component, entries, number
from ludolog.rulebooks.tempel_des_schreckens.state import FIRST_HAND, SEATS, Counts, RolePack


@dataclass(frozen=True, slots=True)
class Tables:
    """What is shuffled for how many players, and what is in the box."""

    roles: Mapping[int, RolePack]
    chambers: Mapping[int, Counts]
    components: tuple[Component, ...]


def read_tables(content: Content) -> Tables:
    """Read and check the content. ValueError names the file and what doesn't add up."""
    tables = Tables(
        roles={row["players"]: _role_pack(row) for row in _once(content, "roles.toml", "distribution", "players")},
        chambers={row["players"]: _chambers(row) for row in _once(content, "chambers.toml", "distribution", "players")},
        components=tuple(component(row) for row in _once(content, "box.toml", "component", "key")),
    )
    for name, players in (("roles.toml", tables.roles), ("chambers.toml", tables.chambers)):
        if sorted(players) != list(SEATS):
            raise ValueError(f"{name} must have one entry each for {SEATS[0]} to {SEATS[-1]} players")
    _check_box(tables)
    return tables


def _once(content: Content, name: str, kind: str, key: str) -> list[dict[str, Any]]:
    """The entries of a kind, told apart by this key."""
    found = entries(content, name, kind)
    seen = [entry.get(key) for entry in found]
    if len(set(seen)) != len(seen):
        raise ValueError(f"{name}: two entries for one of {seen}")
    return found


def _role_pack(row: Entry) -> RolePack:
    """One card for each player, or one more (R1, R3)."""
    pack = RolePack(number(row, "adventurers", 1), number(row, "guardians", 1))
    if pack.adventurers + pack.guardians - number(row, "players", 1) not in (0, 1):
        raise ValueError(f"roles.toml: {pack} isn't one card for each of {row['players']} players, or one more")
    return pack


def _chambers(row: Entry) -> Counts:
    """Five cards for each player (C1)."""
    counts = Counts(number(row, "empty", 0), number(row, "gold", 1), number(row, "fire", 1))
    if counts.total != FIRST_HAND * number(row, "players", 1):
        raise ValueError(f"chambers.toml: {counts} isn't {FIRST_HAND} for each of {row['players']} players")
    return counts


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
