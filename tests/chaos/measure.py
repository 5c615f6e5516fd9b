"""How long after a blow the first correct reply came, for everybody whom it concerned."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.history import NO_LIMIT, History, Journal
from tests.chaos.history import SPECTATOR as WATCHER
from tests.chaos.load import Probe
from tests.chaos.plan import GATEWAY, RNG, Attack
from tests.chaos.site import partition_of_match

ARCHIVE, LOBBY, SIGN_IN = "archive", "lobby", "sign-in"


@dataclass(slots=True)
class Blow:
    """An attack that took place."""

    attack: Attack
    at_s: float
    owned: Collection[int] = ()
    """Partitions that the victim served."""
    live: Collection[str] = ()
    """Matches that were on."""
    mended_s: float = 0.0
    """When the victim was up again."""
    reached: Probe = field(default_factory=lambda: Probe(GATEWAY))
    """A client whose connection went to the gateway that was hit."""


def replies_s(blow: Blow, history: History, probes: Mapping[str, Probe]) -> list[float]:
    """Seconds from the blow to the first correct reply, for each match, stream or client that it concerned."""
    return [first - blow.at_s for first in _firsts(blow, history, probes).values() if first < NO_LIMIT]


def waiting(blow: Blow, history: History, probes: Mapping[str, Probe], playing: Collection[str]) -> int:
    """How many of them still wait. Matches that are over don't."""
    firsts = _firsts(blow, history, probes)
    return sum(first == NO_LIMIT and (name not in blow.live or name in playing) for name, first in firsts.items())


def _firsts(blow: Blow, history: History, probes: Mapping[str, Probe]) -> dict[str, float]:
    """When each match or probe got its first correct reply after a blow."""
    match blow.attack.victim:
        case "engine":
            concerned = [match for match in blow.live if partition_of_match(match) in blow.owned]
            return _of_matches(history, concerned, lambda journal: journal.first_receipt_s(blow.at_s))
        case "redis" | "broker":
            return _of_matches(history, blow.live, lambda journal: journal.first_receipt_s(blow.at_s))
        case "spectator":
            return _of_matches(history, blow.live, lambda journal: _news_s(journal, blow.at_s))
        case "gateway":
            return {GATEWAY: blow.reached.first_s(blow.at_s)}
        case "rng":
            return {RNG: min((_founded_s(journal, blow.at_s) for journal in history.journals), default=NO_LIMIT)}
        case "matchmaking":
            return {LOBBY: probes[LOBBY].first_s(blow.at_s)}
        case "replay":
            return {ARCHIVE: probes[ARCHIVE].first_s(blow.at_s)}
        case _:
            return {name: probes[name].first_s(blow.at_s) for name in (ARCHIVE, SIGN_IN)}


def _of_matches(history: History, matches: Collection[str], first_s: Callable[[Journal], float]) -> dict[str, float]:
    firsts = dict.fromkeys(matches, NO_LIMIT)
    for journal in history.journals:
        if journal.match in firsts:
            firsts[journal.match] = min(firsts[journal.match], first_s(journal))
    return firsts


def _news_s(journal: Journal, after_s: float) -> float:
    return journal.first_news_s(after_s) if journal.audience == WATCHER else NO_LIMIT


def _founded_s(journal: Journal, after_s: float) -> float:
    """When a match that was founded after a moment was seen: its seed and its first draws are the rng's."""
    founded = (seen.at_s for seen in journal.seen[:1] if seen.sequence == 1 and seen.commit_ms >= after_s * 1000)
    return next(founded, NO_LIMIT)


def table(times: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Count, median and maximum by kind."""
    return {
        kind: {"replies": len(found), "median_s": round(statistics.median(found), 2), "max_s": round(max(found), 2)}
        for kind, found in sorted(times.items())
        if found
    }
