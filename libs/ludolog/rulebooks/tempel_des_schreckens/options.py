"""The Options as JSON schema, for forms."""

from __future__ import annotations

from typing import Any

from ludolog.rulebooks.tempel_des_schreckens.state import SEATS

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "starting_player": {
            "type": "integer",
            "minimum": 0,
            "maximum": SEATS[-1],
            "default": 0,
            "title": "Starting player",
            "description": "Seat that takes the key first (the book: who last found a pot of gold); 0: at random.",
        },
        "memory_mode": {
            "type": "boolean",
            "default": False,
            "title": "Memory mode",
            "description": "As at the table: you see what you were dealt until the first opening of each round, "
            "then you must remember it.",
        },
    },
}
