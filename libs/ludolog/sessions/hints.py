"""What engines put into the cache for those who watch: keys, channels, values. All are hints: old, or missing."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ludolog.api.gateway.v1 import play_pb2
from ludolog.api.match.v1 import match_pb2
from ludolog.sessions.port import CacheUnavailable, SessionCache


class Deadlines(msgspec.Struct, frozen=True):
    """When defaults are taken for the open decisions of a match: decision id → Unix time in ms.

    `sequence` is the match's last commit when this was written. Deadlines move when another engine takes over.
    """

    sequence: int
    at_ms: dict[str, int]

    def dump(self) -> bytes:
        """For the cache."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def load(cls, data: bytes) -> Deadlines:
        """What `dump` gave. ValueError where it can't be read."""
        return msgspec.msgpack.decode(data, type=cls)

    def add_to(self, awaiting: Iterable[match_pb2.Decision]) -> None:
        """Write the deadline of each decision that has one into its message."""
        for decision in awaiting:
            if (at_ms := self.at_ms.get(decision.decision_id)) is not None:
                decision.deadline.FromMilliseconds(at_ms)


def deadlines_key(match_id: str) -> str:
    """Where the cache has the deadlines of a match."""
    return f"deadline:{match_id}"


async def add_deadlines(cache: SessionCache, matches: Iterable[play_pb2.Match]) -> None:
    """Open decisions of matches with the deadlines that their engines told, where those are of the same commit."""
    waiting = {deadlines_key(match.name.removeprefix("matches/")): match for match in matches if match.awaiting}
    try:
        told = await cache.get_many(list(waiting)) if waiting else {}
    except CacheUnavailable:
        return
    for key, data in told.items():
        try:
            deadlines = Deadlines.load(data)
        except ValueError:
            continue
        if deadlines.sequence == waiting[key].sequence:
            deadlines.add_to(waiting[key].awaiting)


def wake_channel(topic: str) -> str:
    """The channel that is woken after commits in a topic; the hint is `partitions_hint`."""
    return f"match:{topic}"


def partitions_hint(partitions: Iterable[int]) -> bytes:
    """Partitions with new commits, as a hint."""
    return ",".join(map(str, sorted(set(partitions)))).encode()


def partitions_of(hint: bytes) -> frozenset[int]:
    """The partitions of a hint; none (look at all of them) where it is empty or can't be read."""
    parts = hint.split(b",")
    return frozenset(map(int, parts)) if all(part.isdigit() for part in parts) else frozenset()


ERASED = "erased"
"""The channel that is woken when a player was erased; the hint is the player's id."""


def watchers_group(match_id: str) -> str:
    """The group of those who watch a match as spectators: player ids, or any name for those who aren't signed in."""
    return f"watchers:{match_id}"
