"""Thousands of parked matches: an embedded platform is started on a log that holds them, and they come back.

They are written to the log directly, two commits each, and stand in the archive before anything is measured, as matches
do that were left a week ago.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import grpc

from bench.embedded import WITHOUT_LIMITS
from bench.figures import Figure, aimed, percentile
from bench.memory import resident_bytes
from bench.openings import OPTIONS, RULEBOOK, SEATS
from bench.plan import Scale
from bench.written import Commits, write
from deploy.dev.embedded import Embedded
from ludolog.api.gateway.v1 import play_pb2, play_pb2_grpc
from ludolog.hosting import names as resources
from ludolog.hosting import topic_of
from ludolog.hosting.clock import SystemClock
from ludolog.hosting.identity import load_keyring
from ludolog.kernel import Seat
from ludolog.record.commits import Proposal, parse_record
from ludolog.rulebooks import catalogue
from ludolog.rulebooks.catalogue import CATALOGUE
from ludolog.testkit.offline import Setting, Table, digest_of, match_id_of

NAMES = ("parked.start", "parked.memory", "parked.back_p50", "parked.back_p99")
MATCHES = int(os.environ.get("PARKED", "20000"))
"""So many; 100,000 take minutes to be archived, and are measured now and then (README.md)."""
BACK = 300
WARM = 5
PLAYER = "p-1"
"""Who sits at seat 1 of offline matches."""
HOUR_S = 3600.0
ARCHIVED_S = 600.0
MEMORY_AIM = 1000
BACK_AIM_MS = 10


def names() -> tuple[str, ...]:
    """The section's figures."""
    return NAMES


def measure(scale: Scale) -> Iterator[Figure]:
    """All of them."""
    count = scale.of(MATCHES, 500)
    with tempfile.TemporaryDirectory(prefix="ludolog-bench-") as folder:
        empty_s, empty_bytes = _started(Embedded(Path(folder) / "empty", WITHOUT_LIMITS))
        platform = Embedded(Path(folder) / "parked", WITHOUT_LIMITS)
        matches = asyncio.run(park(platform.data, count))
        platform.start_timeout_s = ARCHIVED_S
        with platform:
            pass  # it serves once its archive has read the log
        began = time.perf_counter()
        with platform:
            start_s = time.perf_counter() - began
            memory = (_resident(platform) - empty_bytes) / count
            asyncio.run(_come_back(platform, matches[:WARM]))
            took_s = asyncio.run(_come_back(platform, matches[WARM:]))
    yield Figure("parked.start", start_s, "s", f"an empty platform ({empty_s:.1f} s)", start_s / empty_s)
    yield aimed("parked.memory", memory, "bytes", MEMORY_AIM)
    for name, percent in (("parked.back_p50", 50), ("parked.back_p99", 99)):
        yield aimed(name, percentile(took_s, percent) * 1000, "ms", BACK_AIM_MS)


def _started(platform: Embedded) -> tuple[float, int]:
    began = time.perf_counter()
    with platform:
        return time.perf_counter() - began, _resident(platform)


def _resident(platform: Embedded) -> int:
    return resident_bytes(int((platform.folder / "pid").read_text()))


async def park(data: Path, count: int) -> list[str]:
    """Write so many matches of one command each into a new log; their ids."""
    match_ids = [resources.new_id(CATALOGUE[RULEBOOK]) for _ in range(count)]
    await write(data, topic_of(RULEBOOK), match_ids, _template())
    return match_ids


def _template() -> Commits:
    """Cause and contents of a match's commits: its founding and one opening."""
    rulebook = catalogue.load(RULEBOOK)
    setting = Setting(match_id_of(RULEBOOK, "parked"), SEATS, OPTIONS, digest_of("parked"))
    table = Table(rulebook, setting)
    opening = next(entry for entry in rulebook.legal_commands(table.game, Seat(1)) if entry.decision_id)
    table.command(Seat(1), opening.command)
    found = []
    for record in table.records:
        commit = parse_record(record).commit
        proposal = Proposal(
            tuple(commit.events),
            draw_index=commit.draw_index,
            rules_version=commit.rules_version,
            content_digest=commit.content_digest,
        )
        found.append((commit.cause, proposal))
    return found


async def _come_back(platform: Embedded, matches: list[str]) -> list[float]:
    """Ask for what seat 1 sees of matches chosen at random; seconds of each call."""
    keys = load_keyring(platform.data / "identity.pem", SystemClock())
    token = keys.sign(PLAYER, roles=("player",), ttl_s=HOUR_S)
    metadata = (("authorization", f"Bearer {token}"),)
    took = []
    async with grpc.aio.insecure_channel(platform.address) as channel:
        stub = play_pb2_grpc.PlayServiceStub(channel)
        for match_id in random.Random("parked").sample(matches, min(len(matches), BACK)):
            began = time.perf_counter()
            await stub.GetView(play_pb2.GetViewRequest(name=resources.match_name(match_id, 1)), metadata=metadata)
            took.append(time.perf_counter() - began)
    return took
