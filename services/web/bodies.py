"""What a page sends as a request: proto-JSON, and what is wrong with it where it is none."""

from __future__ import annotations

import json
import re
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from ludolog.kernel import BadInput

UNKNOWN = re.compile(r'has no field named "([^"]*)" at "[^".]*\.?([^"]*)"')
PARSED = re.compile(r"Failed to parse (\S+) field: ")
REQUEST = "request"


class NotJson(Exception):
    """It isn't a JSON object."""


def parse(text: str, kind: type[Message]) -> Message:
    """A request of that kind; nothing at all is an empty one. NotJson, or BadInput with the field's path."""
    try:
        found = json.loads(text or "{}", object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise NotJson(str(error)) from None
    except (ValueError, RecursionError):
        raise NotJson("numbers of that length, objects of that depth and names that stand twice aren't taken") from None
    if not isinstance(found, dict):
        raise NotJson("a request is an object")
    try:
        return json_format.ParseDict(found, kind())
    except json_format.ParseError as error:
        raise _bad_field(str(error)) from None
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        # An Any whose type isn't a name, say: protobuf's own slips.
        raise BadInput(REQUEST, "doesn't have the form of this method's request") from None


def _bad_field(said: str) -> BadInput:
    """Where it is: protobuf says so in words only. What it says is wrong may be Python's."""
    way = PARSED.findall(said)
    if (unknown := UNKNOWN.search(said)) is not None:
        name, where = unknown.groups()
        return BadInput(f"{where or '.'.join(way)}.{name}".lstrip("."), "there is no such field")
    return BadInput(".".join(way) or REQUEST, "isn't a value of this field")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found
