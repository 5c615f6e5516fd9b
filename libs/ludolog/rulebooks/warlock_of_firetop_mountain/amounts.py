"""Amounts that the text of a card is about: which each rule needs, and the text with them filled in.

A content file gives them beside `special` or `kind`; rules read them, and `effect` names them in braces. So a printed
value is changed in one place, and no text can say another one than the rules use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ludolog.kernel.reading import LARGEST, number

INITIAL = "initial"
"""Amount of a potion that restores a score to its Initial one (2.6)."""
TREASURE = {
    "gold": {"amount": 1},
    "provisions": {"amount": 1},
    "sword": {"bonus": 1},
    "fortune": {"restores": 1},
    "strength": {"restores": 1},
    "jewel": {"warlock_skill": 1},
    "shield": {"saves_on": 1, "saves_stamina": 1},
}
"""Special or kind of a Treasure Card → its amounts, and the least that each may be."""
ENCOUNTER = {
    "ghoul": {"deadly_wound": 1},
    "hell_hound": {"fire_up_to": 1, "fire_stamina": 1},
    "pickpocket": {"steals_up_to": 1, "steals_gold": 0},
    "hexmaster": {"over_stamina": 1, "curse_skill": 0, "curse_stamina": 0},
    "cage": {"missed_turns": 0, "opens_from": 1},
    "pit": {"loses_stamina": 0, "missed_turns": 0},
    "gas": {"loses_stamina": 0},
    "spring": {"gains_stamina": 0},
    "trader": {"most_provisions": 1},
}
"""The same of Encounter Cards."""
FACES = 6
ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ROLLED = {"fire_up_to", "steals_up_to", "opens_from", "saves_on"}
"""Amounts that a die is compared with."""


def amounts(row: Mapping[str, Any], needed: Mapping[str, int]) -> dict[str, int]:
    """The amounts of a card: whole numbers; 0 stands for INITIAL. ValueError for one that is missing, or can't be."""
    found = {}
    for name, least in needed.items():
        whole = name == "restores" and row.get(name) == INITIAL
        found[name] = 0 if whole else number(row, name, least, FACES if name in ROLLED else LARGEST)
    if found.get("over_stamina", 0) < found.get("curse_stamina", 0):
        raise ValueError(
            f"{row.get('id')}: over_stamina must be curse_stamina or more, or the curse kills: {dict(row)}"
        )
    return found


def faces(first: int, last: int = FACES) -> str:
    """Faces of a die, both included: "5 or 6", "1 to 3", "6"."""
    if last <= first:
        return str(first)
    return f"{first} {'or' if last == first + 1 else 'to'} {last}"


def words(name: str, value: int) -> dict[str, str]:
    """What a text says for an amount: a count, an order, faces of a die; of `x_up_to` also `not_x_up_to`."""
    if name.endswith("_up_to"):
        return {name: faces(1, value), f"not_{name}": faces(value + 1)}
    if name.endswith("_from"):
        return {name: faces(value)}
    if name.endswith("_wound"):
        return {name: ORDER[value - 1] if value <= len(ORDER) else f"{value}th"}
    if name.endswith("_gold"):
        return {name: f"{value} Gold Piece{'' if value == 1 else 's'}"}
    if name.endswith("_turns"):
        return {name: "a turn" if value == 1 else f"{value} turns"}
    return {name: "Initial" if name == "restores" and not value else str(value)}


def text(row: Mapping[str, Any], field: str, known: Mapping[str, int], prices: Mapping[str, int]) -> str:
    """A title or an effect with its amounts filled in. ValueError for an unknown name, or a number written out.

    `prices`: further names that an effect may use, in Gold Pieces ("beggar": 1, "beggar_gold": 1 Gold Piece).
    """
    template = str(row.get(field, ""))
    if digit := re.search(r"\d", re.sub(r"\{\w+\}", "", template)):
        raise ValueError(f"{row.get('id')}: {field} says {digit[0]!r}; name the amount in braces: {template!r}")
    if field == "effect" and (silent := [name for name in known if f"{{{name}}}" not in template]) and template:
        raise ValueError(f"{row.get('id')}: {field} doesn't say {', '.join(silent)}: {template!r}")
    names = {name: said for key, value in known.items() for name, said in words(key, value).items()}
    names |= {name: said for key, gold in prices.items() for name, said in words(f"{key}_gold", gold).items()}
    try:
        return template.format_map({**prices, **names})
    except (LookupError, ValueError) as error:
        raise ValueError(f"{row.get('id')}: {field}: no amount {error}: {template!r}") from error
