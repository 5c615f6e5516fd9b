"""One world as a running platform: every pair's first commit is written into its log, then the services start."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import EventLog
from ludolog.eventlog.sqlite import SqliteLog
from ludolog.hosting import Platform, Settings, directory, topic_of
from ludolog.hosting.logs import NOISY
from ludolog.kernel import Rulebook
from ludolog.record.commits import Head, Proposal, commit_record, takeover_record
from services.local.service import services
from tests.contract.secrecy.pairs import KEY_ID, MASTER, Pair
from tests.contract.secrecy.planting import planted_event

PARTITIONS = 8
START_S = 120.0
"""A platform that doesn't serve by then never will."""
START_MS = 1_800_000_000_000
LEFT_OUT = ("bots", "web")
"""Clients of the platform: they see what others see."""


class StandingClock:
    """A clock that stands still: both worlds have the same times."""

    def now_ms(self) -> int:
        return START_MS

    def monotonic(self) -> float:
        return 1000.0


class Lines(logging.Handler):
    """Keeps what is logged, as a person would read it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[tuple[int, str]] = []
        self.begin = self.end = 0
        """While the platform served: starts and stops differ in what is ready first."""
        self.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((record.levelno, self.format(record)))

    def of_interest(self) -> Counter[str]:
        """Lines that operators see, without what differs between any two starts: ids of instances."""
        instance = re.compile(r"(?<=-)[a-z2-7]{8}\b")
        return Counter(
            instance.sub("*", line) for level, line in self.lines[self.begin : self.end] if level >= logging.INFO
        )


@contextmanager
def listening() -> Iterator[Lines]:
    """Hear everything that a platform at LUDOLOG_LOG_LEVEL=DEBUG logs."""
    lines = Lines()
    loggers = {logging.getLogger(): logging.DEBUG, **{logging.getLogger(name): logging.WARNING for name in NOISY}}
    before = {logger: logger.level for logger in loggers}
    logging.getLogger().addHandler(lines)
    try:
        for logger, level in loggers.items():
            logger.setLevel(level)
        yield lines
    finally:
        logging.getLogger().removeHandler(lines)
        for logger, level in before.items():
            logger.setLevel(level)


def first_commit(rulebook: Rulebook[Any], pair: Pair, world: int, takeover: int) -> bytes:
    """The record that founds a pair's match in one of its worlds."""
    cause = log_pb2.MatchCause(create=pair.founding)
    proposal = Proposal(
        (planted_event(pair.games[world]),),
        draw_index=1,
        rules_version=rulebook.rules_version,
        content_digest=rulebook.content_digest,
    )
    return commit_record(
        takeover_offset=takeover,
        stream_id=pair.setting.match_id,
        head=Head(),
        cause=log_pb2.Cause(
            actor="matchmaking",
            command_id=f"create:{pair.setting.match_id}",
            body=cause.SerializeToString(deterministic=True),
        ),
        proposal=proposal,
        time_ms=START_MS,
    )


async def plant(log: EventLog, rulebook: Rulebook[Any], pairs: Sequence[Pair], world: int) -> None:
    """Write every pair's founding into the log, under a takeover of the test's own."""
    topic = topic_of(rulebook.name)
    await log.ensure_topic(topic, PARTITIONS)
    appender = await log.appender()
    takeovers = [
        await appender.append(topic, partition, None, takeover_record(bytes([partition]) * 16, "test"))
        for partition in range(PARTITIONS)
    ]
    for pair in pairs:
        partition = partition_of(pair.setting.match_id, PARTITIONS)
        record = first_commit(rulebook, pair, world, takeovers[partition])
        await appender.append(topic, partition, pair.setting.match_id.encode(), record)
    await appender.close()


def write_keys(folder: Path, identity: bytes, signers: Sequence[str] = ("identity",)) -> None:
    """The same keys for both worlds, so that tokens, ids and draws are the same."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {f"{signer}.pem": identity for signer in signers}
    for name, content in {**files, "rng.keys": f"{KEY_ID} {MASTER.hex()}\n".encode()}.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)


@asynccontextmanager
async def running(
    folder: Path, identity: bytes, rulebook: Rulebook[Any], pairs: Sequence[Pair], world: int
) -> AsyncIterator[Platform]:
    """A platform with every service that holds matches, its log holding one world of each pair."""
    write_keys(folder, identity)
    log = SqliteLog(folder)
    await plant(log, rulebook, pairs, world)
    settings = Settings(
        data=folder,
        gateway_port=0,
        partitions=PARTITIONS,
        player_calls_per_second=0,
        address_calls_per_second=0,
        player_streams=0,
        address_streams=0,
        busy_wait_ms=600_000,
    )
    with pytest.MonkeyPatch.context() as patch:
        # A busy machine is late with names in one world and not in the other: nobody's secret.
        patch.setattr(directory, "TIMEOUT_S", START_S)
        async with await Platform.create(settings, clock=StandingClock(), log=log) as platform:
            for service in services():
                if service.name not in LEFT_OUT:
                    await platform.add(service)
            async with asyncio.timeout(START_S):
                await platform.health.wait_serving()
            yield platform
