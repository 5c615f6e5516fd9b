"""Resource names (AIP-122), taken apart. What isn't one is BadInput; the answer never says whether the thing exists."""

from __future__ import annotations

import re
import secrets
from functools import lru_cache

from ludolog.kernel import BadInput
from ludolog.rulebooks import catalogue

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
RANDOM_CHARACTERS = 26
MATCH = re.compile(r"matches/([a-z][a-z0-9]*-[a-z2-7]{26})(?:/seats/([1-9][0-9]{0,2}))?")
PLAYER = re.compile(r"players/(p-[a-z2-7]{26})")
OTHERS = {
    "table": re.compile(r"tables/([a-z][a-z0-9]*-[a-z2-7]{26})"),
    "replay": re.compile(r"replays/([a-z][a-z0-9]*-[a-z2-7]{26})"),
    "ticket": re.compile(r"tickets/([a-z][a-z0-9]*-t[a-z2-7]{25})"),
    "rulebook": re.compile(r"rulebooks/([a-z][a-z0-9_]*)"),
}
REMEMBERED = 4096
"""Names that are kept taken apart: each service on a command's way asks for the same one."""
COMMAND_ID = re.compile(r"[\x21-\x7e]{1,64}")


def new_id(prefix: str) -> str:
    """Make an id: the prefix, "-", and 26 random characters (130 bits)."""
    return f"{prefix}-" + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_CHARACTERS))


def match_of(name: str, field: str = "name") -> str:
    """Match id of "matches/{match}" or "matches/{match}/seats/{seat}"."""
    return _match(name, field)[0]


def seat_of(name: str, field: str = "name") -> tuple[str, int]:
    """(match id, seat) of "matches/{match}/seats/{seat}"."""
    match_id, seat = _match(name, field)
    if seat is None:
        raise BadInput(field, "must be matches/{match}/seats/{seat}")
    return match_id, seat


def audience_of(name: str, field: str = "name") -> tuple[str, int | None]:
    """(match id, seat or None for spectators) of either form."""
    return _match(name, field)


def table_of(name: str, field: str = "name") -> str:
    """Table id of "tables/{table}"."""
    return _other("table", name, field)


def replay_of(name: str, field: str = "name") -> str:
    """Match id of "replays/{match}"."""
    return _other("replay", name, field)


def ticket_of(name: str, field: str = "name") -> str:
    """Ticket id of "tickets/{ticket}"."""
    return _other("ticket", name, field)


def rulebook_of(name: str, field: str = "name") -> str:
    """Name of the rulebook of "rulebooks/{rulebook}"; whether there is one such, the catalogue knows."""
    return _other("rulebook", name, field)


def player_of(name: str, caller_id: str = "", field: str = "name") -> str:
    """Player id of "players/{player}"; "players/me" is the caller."""
    if name == "players/me":
        if not caller_id:
            raise BadInput(field, "players/me needs a sign-in")
        return caller_id
    found = PLAYER.fullmatch(name)
    if found is None:
        raise BadInput(field, "must be players/{player}")
    return found[1]


def rulebook_of_match(match_id: str, field: str = "name") -> str:
    """Name of the rulebook that a match, table or ticket id belongs to."""
    try:
        return catalogue.of_match(match_id)
    except catalogue.UnknownRulebook:
        raise BadInput(field, "belongs to no rulebook here") from None


def command_id(value: str, field: str = "command_id") -> str:
    """A command or request id: 1 to 64 visible ASCII characters."""
    if not COMMAND_ID.fullmatch(value):
        raise BadInput(field, "must be 1 to 64 visible ASCII characters")
    return value


def match_name(match_id: str, seat: int | None = None) -> str:
    """Resource name of a match, or of a seat."""
    return f"matches/{match_id}" if seat is None else f"matches/{match_id}/seats/{seat}"


@lru_cache(REMEMBERED)
def _match(name: str, field: str) -> tuple[str, int | None]:
    found = MATCH.fullmatch(name)
    if found is None:
        raise BadInput(field, "must be matches/{match} or matches/{match}/seats/{seat}")
    rulebook_of_match(found[1], field)
    return found[1], int(found[2]) if found[2] else None


def _other(kind: str, name: str, field: str) -> str:
    found = OTHERS[kind].fullmatch(name)
    if found is None:
        raise BadInput(field, f"must be {kind}s/{{{kind}}}")
    return found[1]
