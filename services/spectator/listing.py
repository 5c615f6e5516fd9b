"""The public matches that are on, the most recently active first."""

from __future__ import annotations

import asyncio
import base64
import heapq
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.hosting.errors import ApiError
from ludolog.hosting.messages import seats, timestamp
from ludolog.kernel import BadInput, wire
from ludolog.sessions.hints import add_deadlines
from ludolog.sessions.port import SessionCache
from services.spectator.hub import Hub
from services.spectator.index import Live
from services.spectator.presence import watchers

DEFAULT, MOST = 50, 100
AT_ONCE = 8
"""Matches that are loaded at the same time for a list."""

Key: TypeAlias = tuple[int, str]
"""(time of the last commit, match id): the order of the list."""
Names: TypeAlias = Callable[[Iterable[str]], Awaitable[Mapping[str, str]]]


def page_of(entries: Iterable[Live], page_size: int, before: Key | None) -> tuple[list[Live], str]:
    """A page of public matches, and the token of the next; matches that become active later don't move it."""
    if page_size < 0:
        raise BadInput("page_size", "must not be negative")
    size = min(page_size or DEFAULT, MOST)
    shown = (entry for entry in entries if entry.public and not entry.broken and entry.seats)
    after = (entry for entry in shown if before is None or _key(entry) < before)
    page = heapq.nlargest(size + 1, after, key=_key)
    return page[:size], _token(_key(page[size - 1])) if len(page) > size else ""


def key_of(page_token: str) -> Key | None:
    """Where a page begins; None for the first. BadInput for a token that isn't one of this list."""
    if not page_token:
        return None
    try:
        found = json.loads(base64.b64decode(page_token + "=" * (-len(page_token) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        raise BadInput("page_token", "isn't a token of this list") from None
    if not isinstance(found, list) or [type(part) for part in found] != [int, str]:
        raise BadInput("page_token", "isn't a token of this list")
    return found[0], found[1]


def _key(entry: Live) -> Key:
    return entry.update_ms, entry.match_id


def _token(key: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


class Listing:
    """Makes messages of index entries: with who is to decide, names, watchers, deadlines."""

    def __init__(self, hub: Hub, cache: SessionCache, names: Names) -> None:
        self._hub = hub
        self._cache = cache
        self._names = names
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def matches(self, rulebooks: Mapping[str, str], entries: Sequence[Live]) -> list[play_pb2.Match]:
        """Entries as matches; `rulebooks` names the rulebook of each match id."""
        ids = [entry.match_id for entry in entries]
        called = await self._names({player for entry in entries for _, player in entry.seats})
        awaiting = await asyncio.gather(*(self._awaiting(entry) for entry in entries))
        watching = await watchers(self._cache, ids)
        found = []
        for entry, decisions, count in zip(entries, awaiting, watching, strict=True):
            found.append(_match(entry, rulebooks[entry.match_id], called))
            found[-1].awaiting.extend(decisions)
            found[-1].watchers = count
        await add_deadlines(self._cache, found)
        return found

    async def _awaiting(self, entry: Live) -> list[match_pb2.Decision]:
        async with self._turns:
            try:
                story = (await self._hub.track(entry.match_id)).story
            except ApiError:
                return []  # it can't be loaded now; that it is on is known all the same
        if story.over or not story.rulebook.has_content(story.match.content_digest):
            return []
        return wire.decisions(story.rulebook.edition(story.match.content_digest).awaiting(story.match.game))


def _match(entry: Live, rulebook: str, called: Mapping[str, str]) -> play_pb2.Match:
    return play_pb2.Match(
        name=f"matches/{entry.match_id}",
        rulebook=f"rulebooks/{rulebook}",
        seats=seats(play_pb2.Match.Seat, entry.seats, called),
        sequence=entry.sequence,
        create_time=timestamp(entry.create_ms),
        update_time=timestamp(entry.update_ms),
        spectators_allowed=entry.public,
    )
