"""The judge: two platforms, the same calls, the same bytes."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from prometheus_client import generate_latest

from ludolog.hosting import Platform
from ludolog.kernel import Rulebook
from tests.contract.secrecy.looking import Transcript, lists, look, look_back
from tests.contract.secrecy.pairs import MASTER, Pair
from tests.contract.secrecy.planting import Change, planting_services
from tests.contract.secrecy.worlds import Lines, listening, running

Look = Callable[[Platform, Pair], Coroutine[Any, Any, Transcript]]
AT_ONCE = 16
"""Matches that are looked at side by side."""
OF_THE_CLOCK = re.compile(
    r"_seconds(_|\b)|_created\b|_lag_|_events_total|_restarts_total|^python_|^process_"
    r"|cancelled|CANCELLED|UNAVAILABLE|DEADLINE|CATCHING_UP"
)
"""Metrics that differ between any two runs: times, what came together by chance, what a busy machine was late with."""


class Leak(AssertionError):
    """Worlds that somebody can tell apart."""


@dataclass(frozen=True)
class Seen:
    """All that came out of one world."""

    transcripts: list[Transcript]
    lists: Transcript
    metrics: Counter[str]
    log: Lines


async def visit(folder: Path, identity: bytes, rulebook: Rulebook[Any], pairs: Sequence[Pair], world: int) -> Seen:
    """Run one world and look at every match in it."""
    room = asyncio.Semaphore(AT_ONCE)
    with listening() as log:
        async with running(folder, identity, rulebook, pairs, world) as platform:

            async def with_room(way: Look, pair: Pair) -> Transcript:
                async with room:
                    return await way(platform, pair)

            log.begin = len(log.lines)
            live = await unless_it_fails(platform, [with_room(look, pair) for pair in pairs])
            # The archive follows at its own pace: by now it has most of it.
            later = await unless_it_fails(platform, [with_room(look_back, pair) for pair in pairs])
            found = await lists(platform, pairs[0])
            log.end = len(log.lines)
            return Seen([one + other for one, other in zip(live, later, strict=True)], found, samples(platform), log)


async def unless_it_fails(platform: Platform, looks: Sequence[Coroutine[Any, Any, Transcript]]) -> list[Transcript]:
    """What all of them see. AssertionError at once where a service fails: nobody would answer any more."""
    all_of_them = asyncio.gather(*looks)
    await asyncio.wait((all_of_them, platform.failed), return_when=asyncio.FIRST_COMPLETED)
    if platform.failed.done():
        all_of_them.cancel()
        raise AssertionError("a service has failed") from platform.failed.result()
    return await all_of_them


def samples(platform: Platform) -> Counter[str]:
    """Names and labels of what a scrape of a platform gives, without what differs between any two runs."""
    return labels_of(generate_latest(platform.metrics.registry).decode())


def labels_of(page: str) -> Counter[str]:
    """The same of a page of metrics."""
    lines = page.splitlines()
    return Counter(
        line.rpartition(" ")[0] for line in lines if not line.startswith("#") and not OF_THE_CLOCK.search(line)
    )


async def judge(folder: Path, rulebook: Rulebook[Any], pairs: Sequence[Pair], change: Change | None = None) -> int:
    """Look at both worlds of every pair. Returns how many messages were compared; Leak where any differ."""
    key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with planting_services(change):
        real = await visit(folder / "real", key, rulebook, pairs, 0)
        imagined = await visit(folder / "imagined", key, rulebook, pairs, 1)
    for pair, one, other in zip(pairs, real.transcripts, imagined.transcripts, strict=True):
        compare(f"{pair.setting.match_id} ({pair.case}), {pair.viewer}", one, other)
        check_recall(pair, one)
    compare("lists", real.lists, imagined.lists)
    alike("metrics", real.metrics, imagined.metrics)
    alike("log", real.log.of_interest(), imagined.log.of_interest())
    for seen in (real, imagined):
        scan(rulebook, pairs, "\n".join([*(line for _, line in seen.log.lines), *seen.metrics]), key)
    return sum(map(len, real.transcripts)) + len(real.lists)


def compare(whose: str, one: Transcript, other: Transcript) -> None:
    """The same paths, the same bytes."""
    for (path, first), (other_path, second) in zip(one, other, strict=False):
        if path != other_path or first != second:
            raise Leak(f"{whose}: {path}\n{first!r}\n{other_path}\n{second!r}")
    if len(one) != len(other):
        raise Leak(f"{whose}: {len(one)} messages, and {len(other)}")


def alike(what: str, one: Counter[str], other: Counter[str]) -> None:
    """The same lines, as often."""
    if one != other:
        raise Leak(f"{what}: {list((one - other).items())[:5]} / {list((other - one).items())[:5]}")


def check_recall(pair: Pair, transcript: Transcript) -> None:
    """Who has to remember is shown the present, whatever number a stream begins with."""
    if not pair.recalls:
        joined = {path: data for path, data in transcript if path in {"late join", "rejoin", "resume"}}
        if len(set(joined.values())) != 1:
            raise Leak(f"{pair.setting.match_id}, {pair.viewer}: shown again what is to be remembered")


def scan(rulebook: Rulebook[Any], pairs: Sequence[Pair], said: str, key: bytes) -> None:
    """Nothing that was planted stands in a metric or a line of the log, DEBUG included. A hare isn't in "shares"."""
    for secret in secrets_of(rulebook, pairs, key):
        if secret in said and (found := re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", said)):
            line = said[said.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
            raise Leak(f"log or metrics: {secret!r} in {line[:300]}")


def secrets_of(rulebook: Rulebook[Any], pairs: Sequence[Pair], key: bytes) -> Iterator[str]:
    """Names of what is hidden from spectators, seeds, entropy, keys; bytes in the forms that they may be written in."""
    names: set[str] = set()
    for pair in pairs:
        for game in pair.games:
            names.update(rulebook.secrets(game, pair.viewer))
    yield from names
    raw = [MASTER, *(pair.setting.seed for pair in pairs[:50])]
    raw += [seat.entropy for pair in pairs[:50] for seat in pair.founding.seats]
    for data in raw:
        yield from (data.hex(), repr(data)[2:-1])
    yield key.decode().splitlines()[1]
    yield "eyJ"  # how every token begins
