"""The Options as JSON schema, for forms."""

from __future__ import annotations

from typing import Any

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "show_odds": {
            "type": "boolean",
            "default": False,
            "title": "Show odds",
            "description": "Shows how likely hits and escapes are before each combat roll.",
        },
    },
}
