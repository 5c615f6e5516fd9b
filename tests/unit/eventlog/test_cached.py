"""What an owner leaves in the cache: used where it is true, never believed, never needed."""

from __future__ import annotations

import msgspec
import pytest

from ludolog.eventlog.owner import NotOwner, Unavailable
from ludolog.eventlog.sealing import seal, unseal
from ludolog.eventlog.snapshots import checkpoint_key, load_checkpoint, session_key
from ludolog.sessions.port import CacheUnavailable
from tests.infra.caches import DictCache
from tests.unit.eventlog.instant import TOPIC, InstantLog, Rig, Sum, cause
from tests.unit.eventlog.test_owner import serving, until


async def test_the_next_owner_begins_with_what_the_former_one_left() -> None:
    rig = Rig()
    async with serving(rig, "first") as owner:
        for number in range(1, 6):
            await owner.submit("s", cause(f"c{number}", number))
        await owner.submit("over", cause("a", 0))
    async with serving(rig, "second") as owner:
        assert (await owner.confirmed("s")).state == Sum(15)
        assert (await owner.submit("s", cause("c2", 2))).sequence == 2
        assert (await owner.settled("over")).state == Sum(0, ended=True)
        assert owner.tally.counts["checkpoints_used"] == 1
        assert owner.tally.counts["snapshots_used"] == 2


@pytest.mark.parametrize("forgotten", [False, True], ids=["from the checkpoint", "from the log"])
async def test_a_takeover_tells_of_attended_streams_only(*, forgotten: bool) -> None:
    rig = Rig()
    async with serving(rig, "first") as owner:
        for stream in ("s", "over", "parked-1", "parked-2"):
            await owner.submit(stream, cause("a", 1))
        await owner.submit("over", cause("b", 0))
    if forgotten:
        rig.cache.values.clear()
    rig.heard.tenures.clear()
    async with serving(rig, "second") as owner:
        assert owner.tally.counts["checkpoints_used"] == (not forgotten)
        assert rig.heard.tenures == ["began 0 ['s']"]
        assert (await owner.confirmed("parked-1")).state == Sum(1)


async def test_an_old_snapshot_under_a_newer_checkpoint_is_thrown_away() -> None:
    rig = Rig()
    async with serving(rig, "first") as owner:
        await owner.submit("s", cause("a", 1))
    old = rig.cache.values[session_key(TOPIC, "s")]
    async with serving(rig, "second") as owner:
        await owner.submit("s", cause("b", 2))
    rig.cache.values[session_key(TOPIC, "s")] = old
    async with serving(rig, "third") as owner:
        assert (await owner.confirmed("s")).state == Sum(3)
        assert owner.tally.counts["snapshots_rejected"] == 1


async def test_a_quiet_partition_has_its_checkpoint_again_after_a_flush() -> None:
    rig = Rig().with_limits(publish_s=0.001, checkpoint_s=0.001, renew_s=0.001)
    async with serving(rig) as owner:
        await owner.submit("s", cause("a", 3))
        await until(lambda: owner.tally.counts["checkpoints"] > 2)
        rig.cache.values.clear()
        await until(lambda: checkpoint_key(TOPIC, 0) in rig.cache.values)


async def test_a_checkpoint_that_couldnt_be_written_is_still_due(monkeypatch: pytest.MonkeyPatch) -> None:
    rig, put = Rig().with_limits(publish_s=0.001, checkpoint_s=0.001, renew_s=3600), DictCache.put
    failed: list[str] = []

    async def away_once(cache: DictCache, key: str, value: bytes, ttl_ms: int) -> None:
        if key == checkpoint_key(TOPIC, 0) and not failed:
            failed.append(key)
            raise CacheUnavailable("just then")
        await put(cache, key, value, ttl_ms)

    monkeypatch.setattr(DictCache, "put", away_once)
    async with serving(rig) as owner:
        await owner.submit("s", cause("a", 3))
        rig.cache.values.clear()
        failed.clear()
        await owner.submit("s", cause("b", 4))
        await until(lambda: bool(failed))
        await until(lambda: checkpoint_key(TOPIC, 0) in rig.cache.values)


async def test_a_checkpoint_of_another_log_is_thrown_away() -> None:
    rig = Rig()
    async with serving(rig, "first") as owner:
        for number in range(9):
            await owner.submit("s", cause(f"c{number}", 1))
    rig.log = InstantLog()
    async with serving(rig, "second") as owner:
        assert (await owner.settled("s")).head.sequence == 0
        assert owner.tally.counts["checkpoints_rejected"] == 1
    assert checkpoint_key(TOPIC, 0) in rig.cache.values


@pytest.mark.parametrize("key", [checkpoint_key(TOPIC, 0), session_key(TOPIC, "s")])
async def test_no_damaged_bit_in_the_cache_is_believed(key: str) -> None:
    rig = Rig()
    async with serving(rig, "first") as owner:
        for number in range(1, 4):
            await owner.submit("s", cause(f"c{number}", number))
    left = dict(rig.cache.values)
    for bit in range(0, 8 * len(left[key]), 5):
        value = bytearray(left[key])
        value[bit // 8] ^= 1 << bit % 8
        rig.cache.values = {**left, key: bytes(value)}
        async with serving(rig, f"owner {bit}") as owner:
            assert (await owner.confirmed("s")).state == Sum(6)
            assert (await owner.submit("s", cause("c2", 2))).sequence == 2


async def test_the_log_is_read_where_a_checkpoint_contradicts_it() -> None:
    rig = Rig()
    async with serving(rig, "first") as owner:
        for number in range(1, 4):
            await owner.submit("s", cause(f"c{number}", number))
    key = checkpoint_key(TOPIC, 0)
    body = unseal(key, rig.cache.values.pop(key))
    cached = load_checkpoint(body) if body else None
    assert cached is not None
    wrong = msgspec.structs.replace(cached, heads={"s": (3, b"x" * 32)})
    rig.cache.values = {key: seal(key, msgspec.msgpack.encode(wrong))}
    async with serving(rig, "second") as owner:
        with pytest.raises(Unavailable):
            await owner.confirmed("s")
        await until(lambda: owner.tally.counts["ended_misled"] == 1 and owner.serving())
        assert (await owner.confirmed("s")).state == Sum(6)
        assert (await owner.submit("s", cause("c4", 4))).sequence == 4
    async with serving(rig, "third") as owner:
        assert owner.tally.counts["checkpoints_used"] == 1
        assert (await owner.confirmed("s")).state == Sum(10)


async def test_a_partition_is_handed_over_though_the_cache_is_down() -> None:
    rig = Rig()
    async with serving(rig) as owner:
        await owner.submit("s", cause("a", 1))
        rig.cache.down = True
        membership = rig.log.members[0]
        await membership.revoke(frozenset({0}))
        assert not owner.serves("s")
        with pytest.raises(NotOwner):
            await owner.submit("s", cause("b", 1))
        await membership.assign(frozenset({0}))
        await until(lambda: owner.serves("s"))
        assert (await owner.confirmed("s")).state == Sum(1)


async def test_the_address_is_published_again_after_a_flush() -> None:
    rig = Rig()
    async with serving(rig):
        key = f"owner:{TOPIC}:0"
        await until(lambda: key in rig.cache.values)
        rig.cache.values.clear()
        await until(lambda: rig.cache.values.get(key) == b"one:1")
