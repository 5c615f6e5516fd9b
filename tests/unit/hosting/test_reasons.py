"""docs/api.md, "Reasons": those that a healthy platform doesn't give, made by the part that gives them."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

import services.replay.library
from deploy.dev.process import free_ports
from ludolog.eventlog.port import RecordTooLarge
from ludolog.hosting import SystemClock, errors
from ludolog.hosting.errors import told
from ludolog.hosting.router import EngineRouter
from ludolog.sessions.memory import MemoryCache
from ludolog.sessions.port import CacheUnavailable
from services.replay.database import connect
from services.replay.library import Library
from services.replay.projection import Place
from services.replay.queries import Queries
from tests.tidy.reasons import documented

MATCH_ID = "tempel-" + "a" * 26


def of(error: Exception) -> tuple[str, str]:
    """What clients are told of an exception."""
    status = errors.status_of(error, "test")
    return errors.status_code(status).name, told(status).reason


async def no_engine() -> tuple[str, str]:
    router = EngineRouter(
        "tempel_des_schreckens",
        partitions=4,
        cache=MemoryCache(),
        clock=SystemClock(),
        connect=grpc.aio.insecure_channel,
        fallback=lambda: (),
        timeout_s=0.1,
    )
    with pytest.raises(errors.Unavailable) as caught:
        await router.owner(MATCH_ID)
    return of(caught.value)


async def too_large() -> tuple[str, str]:
    return of(RecordTooLarge("two megabytes"))


async def cache_away() -> tuple[str, str]:
    return of(CacheUnavailable("nobody there"))


async def archive_away() -> tuple[str, str]:
    engine = connect(f"postgresql://nobody@127.0.0.1:{free_ports(1)[0]}/none")
    with pytest.raises(errors.Unavailable) as caught:
        await Queries(engine).match(MATCH_ID)
    await engine.dispose()
    return of(caught.value)


async def archive_behind() -> tuple[str, str]:
    class Behind:
        """A log with a record, and an archive that never reads it."""

        async def end_offset(self, topic: str, partition: int) -> int:
            return 1

        async def position(self, place: Any) -> int:
            return 0

    behind: Any = Behind()
    library = Library(behind, behind, behind, lambda _: Place("topic", 0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services.replay.library, "PATIENCE_S", 0.01)
        with pytest.raises(errors.Unavailable) as caught:
            await library.barrier("match")
    return of(caught.value)


ALONE = {
    "ARCHIVE_UNAVAILABLE": ("UNAVAILABLE", archive_away),
    "CATCHING_UP": ("UNAVAILABLE", archive_behind),
    "NO_ENGINE": ("UNAVAILABLE", no_engine),
    "TOO_LARGE": ("INVALID_ARGUMENT", too_large),
    "CACHE_UNAVAILABLE": ("UNAVAILABLE", cache_away),
}
"""Reasons that a healthy platform doesn't give, made by the part that gives them."""


async def test_reasons_that_need_a_part_alone() -> None:
    table = documented()
    for reason, (code, make) in ALONE.items():
        assert await make() == (code, reason)
        assert code in table[reason]
