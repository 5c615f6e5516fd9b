"""What the rules need of the cards of a content: which kind has which special rule, where it stands, how many.

Each check raises ValueError with the file and what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

TREASURES: Mapping[str, Collection[str]] = {
    **dict.fromkeys(("keys", "skeleton", "gold", "provisions", "sword"), ("",)),
    "magic": (
        *("giver_of_sleep", "fortune", "strength", "invisibility", "seeing_stone", "seeing_glance"),
        *("asking", "dragonfire", "jewel", "shield"),
    ),
}
"""Kind of Treasure Card → what `special` may be; "": none."""
ENCOUNTERS: Mapping[str, Collection[str]] = {
    "creature": ("", "dragon", "warlock", "ghoul", "hell_hound", "vampire", "wight"),
    "trap": ("cage", "pit", "gas", "trapdoor"),
    "trader": ("shylock", "beggar", "trader"),
    "other": ("fool", "pickpocket", "hexmaster", "wise_man", "wise_man_all", "spring"),
}
"""The same of Encounter Cards: what isn't fought needs a rule of its own."""
FIXED = {"fool", "pickpocket", "shylock", "hexmaster", "dragon", "warlock"}
"""Special rules of those who stay in a room (1.2, 7.7); any creature may be fixed besides."""
SKELETON_KEYS = 3
"""11.2."""
HIGHEST_SKILL, HIGHEST_STAMINA = 20, 99
"""Of a creature. Over SKILL 20 no throw of SKILL 11 hits it (9.3): 11 and 12 are no more than 21 and 2."""
BOX = {"encounter": 33, "treasure": 32, "key_card": 9, "blank": 6, "maze": 6, "chest": 1, "piece": 6, "die": 2}
"""Components, 1.4 to 1.7."""


def special(file: str, known: Mapping[str, Collection[str]], row: Mapping[str, Any]) -> None:
    """A card's `kind` is known, and its `special` one of that kind."""
    kind, rule = row.get("kind", ""), row.get("special", "")
    if kind not in known:
        raise ValueError(f"{file}: kind is one of {', '.join(known)}: {dict(row)}")
    if rule not in known[kind]:
        names = ", ".join(name or "none" for name in known[kind])
        raise ValueError(f"{file}: special of kind {kind} is one of: {names}: {dict(row)}")


def room(row: Mapping[str, Any]) -> None:
    """Who stays in a room has one; who is shuffled or goes away hasn't (1.2)."""
    rule, fixed = row.get("special", ""), bool(row.get("room"))
    if rule in FIXED and not fixed:
        raise ValueError(f"encounters.toml: {rule} stays in a room, so it needs one: {dict(row)}")
    if fixed and rule not in FIXED and row.get("kind") != "creature":
        raise ValueError(f"encounters.toml: {rule} can't stay in a room: {dict(row)}")


def box(found: Mapping[str, int]) -> None:
    """The box holds what the book says (Components)."""
    if dict(found) != BOX:
        raise ValueError(f"box.toml: the box holds {BOX}, not {dict(found)}")


def kinds(treasures: Counter[str], encounters: Collection[str]) -> None:
    """Each kind is there (Components), and three Skeleton Keys (11.2)."""
    if set(treasures) != set(TREASURES) or set(encounters) != set(ENCOUNTERS):
        raise ValueError(f"each kind of card is in the box: {', '.join(TREASURES)}; {', '.join(ENCOUNTERS)}")
    if treasures["skeleton"] != SKELETON_KEYS:
        raise ValueError(f"treasures.toml: {SKELETON_KEYS} Skeleton Keys, not {treasures['skeleton']}")


def once(file: str, ids: Collection[str]) -> None:
    """No id stands twice."""
    if twice := sorted(name for name, count in Counter(ids).items() if count > 1):
        raise ValueError(f"{file}: {', '.join(twice)} stands twice")
