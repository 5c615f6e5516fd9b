"""Page tokens: where the next page begins, as a key of the list's order. Rows that come in later don't move a page."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TypeAlias

from ludolog.kernel import BadInput

DEFAULT, MOST = 50, 100
NUMBERS = range(2**63)

Key: TypeAlias = tuple[int | str, ...]


def page_size(asked: int) -> int:
    """The size of a page: 50 for 0. BadInput for a negative one; more than 100 is 100."""
    if asked < 0:
        raise BadInput("page_size", "must not be negative")
    return min(asked or DEFAULT, MOST)


def token(kind: str, key: Key) -> str:
    """A token for what comes after a row; `kind` names the list and its filters."""
    return base64.urlsafe_b64encode(json.dumps([kind, *key]).encode()).decode().rstrip("=")


def key_of(kind: str, page_token: str, shape: tuple[type, ...]) -> Key | None:
    """The key in a token; None for the first page. BadInput for a token of another list, or none of ours."""
    if not page_token:
        return None
    try:
        padded = page_token + "=" * (-len(page_token) % 4)
        found = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        raise BadInput("page_token", "isn't a token of this list") from None
    fits = isinstance(found, list) and found[:1] == [kind] and [type(part) for part in found[1:]] == list(shape)
    if not fits or any(isinstance(part, int) and part not in NUMBERS for part in found[1:]):
        raise BadInput("page_token", "isn't a token of this list")
    return tuple(found[1:])
