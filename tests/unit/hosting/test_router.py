"""Who is asked about a match."""

from __future__ import annotations

import grpc
import pytest

from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.snapshots import address_key
from ludolog.hosting.router import EngineRouter, topic_of
from tests.infra.asking import SimulatedClock
from tests.infra.caches import DictCache

RULEBOOK, MATCH_ID, PARTITIONS = "tempel_des_schreckens", "tempel-" + "a" * 26, 4


@pytest.mark.parametrize(
    ("cached", "owner"),
    [(b"engine-1:7", "engine-1:7"), (b"\xff\xfe", "any:1"), ("t\u00f6:1".encode(), "any:1"), (b"", "any:1")],
)
async def test_what_no_owner_has_written_is_no_address(cached: bytes, owner: str) -> None:
    cache = DictCache()
    await cache.put(address_key(topic_of(RULEBOOK), partition_of(MATCH_ID, PARTITIONS)), cached, 60_000)
    router = EngineRouter(
        RULEBOOK,
        partitions=PARTITIONS,
        cache=cache,
        clock=SimulatedClock(),
        connect=grpc.aio.insecure_channel,
        fallback=lambda: ("any:1",),
        timeout_s=1,
    )
    assert await router.owner(MATCH_ID) == owner
    assert await router.has_moved(MATCH_ID, "engine-0:7") == (owner == "engine-1:7")
