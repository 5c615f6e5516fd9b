"""What every implementation of the log must do. Each has a test module that makes its worlds and inherits the cases."""

import asyncio

import pytest

from ludolog.eventlog.limits import RECORD_OVERHEAD_BYTES, Limits
from ludolog.eventlog.port import (
    AppendFailed,
    EventLog,
    LogOverloaded,
    LogUnavailable,
    NoSuchTopic,
    OutOfRange,
    Reader,
    RecordTooLarge,
    Stored,
    UnsafeLog,
    records,
)
from tests.contract.ports.group_cases import GroupCases
from tests.contract.ports.worlds import PATIENCE_S, LogWorld, Recorder, new_topic


async def take(reader: Reader, count: int) -> list[Stored]:
    """The next so many records, and maybe more."""
    found: list[Stored] = []
    async with asyncio.timeout(PATIENCE_S):
        while len(found) < count:
            batch = await reader.batch()
            assert batch, "a batch has at least one record"
            found.extend(batch)
    return found


async def append_all(log: EventLog, topic: str, values: list[bytes], partition: int = 0) -> list[int]:
    appender = await log.appender()
    return await asyncio.gather(*(appender.append(topic, partition, b"k", value) for value in values))


class AppendCases:
    """Appending."""

    async def test_offsets_count_from_zero_in_each_partition(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 3)
        appender = await log.appender()
        found = [await appender.append(topic, partition, b"k", b"v") for partition in (0, 2, 0, 0, 2)]
        assert found == [0, 0, 1, 2, 1]
        assert [await log.end_offset(topic, partition) for partition in range(3)] == [3, 0, 2]

    async def test_what_is_acknowledged_is_readable_at_once(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        appender = await log.appender()
        for expected in range(20):
            offset = await appender.append(topic, 0, b"key", b"%d" % expected)
            assert await log.end_offset(topic, 0) == expected + 1
            assert await log.read(topic, 0, offset, 10) == [Stored(expected, b"key", b"%d" % expected)]

    async def test_keys_may_be_missing_and_values_are_bytes(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        appender = await log.appender()
        awkward = bytes(range(256))
        await appender.append(topic, 0, None, awkward)
        await appender.append(topic, 0, awkward, b"")
        assert await log.read(topic, 0, 0, 10) == [Stored(0, None, awkward), Stored(1, awkward, b"")]

    async def test_many_in_flight_each_get_their_own_offset(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 2)
        appender = await log.appender()
        values = [b"%d" % number for number in range(1000)]
        places = [(number % 2, value) for number, value in enumerate(values)]
        offsets = await asyncio.gather(*(appender.append(topic, where, b"k", value) for where, value in places))
        assert sorted(offsets) == sorted([*range(500), *range(500)])
        for (partition, value), offset in zip(places, offsets, strict=True):
            assert (await log.read(topic, partition, offset, 1))[0].value == value

    async def test_two_appenders_share_the_offsets(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        both = await asyncio.gather(*(append_all(log, topic, [b"x"] * 50) for _ in range(2)))
        assert sorted(both[0] + both[1]) == list(range(100))

    async def test_a_cancelled_caller_does_not_take_the_record_back(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        appender = await log.appender()
        await appender.append(topic, 0, b"k", b"first")
        append = asyncio.create_task(appender.append(topic, 0, b"k", b"stays"))
        await asyncio.sleep(0)
        append.cancel()
        assert await appender.append(topic, 0, b"k", b"next") == 2
        assert [stored.value for stored in await log.read(topic, 0, 1, 10)] == [b"stays", b"next"]

    async def test_a_record_of_the_largest_size_fits_and_one_byte_more_is_refused(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        appender = await log.appender()
        largest = b"x" * (Limits().max_record_bytes - 1)
        assert await appender.append(topic, 0, b"k", largest) == 0
        with pytest.raises(RecordTooLarge):
            await appender.append(topic, 0, b"kk", largest)
        assert await appender.append(topic, 0, b"k", b"it goes on") == 1
        assert await log.end_offset(topic, 0) == 2

    async def test_too_much_in_flight_is_refused_before_anything_is_sent(self, world: LogWorld) -> None:
        log = await world.open(Limits(max_bytes_in_flight=10 * (RECORD_OVERHEAD_BYTES + 100)))
        topic = await new_topic(log)
        appender = await log.appender()
        appends = [appender.append(topic, 0, None, b"%100d" % number) for number in range(15)]
        outcomes = await asyncio.gather(*appends, return_exceptions=True)
        assert outcomes[:10] == list(range(10))
        assert {type(outcome) for outcome in outcomes[10:]} == {LogOverloaded}
        assert await appender.append(topic, 0, None, b"there is room again") == 10

    async def test_a_closed_appender_is_finished(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        appender = await log.appender()
        pending = asyncio.create_task(appender.append(topic, 0, b"k", b"maybe"))
        await asyncio.sleep(0)
        await appender.close()
        with pytest.raises(AppendFailed):
            await pending
        with pytest.raises(AppendFailed):
            await appender.append(topic, 0, b"k", b"never")
        # What was under way is there or not, but another appender goes on, and the closed one appends no more.
        offset = await (await log.appender()).append(topic, 0, b"k", b"another")
        found = [stored.value for stored in await log.read(topic, 0, 0, 10)]
        assert found[offset] == b"another"
        assert b"never" not in found

    async def test_everything_is_there_after_a_restart_and_offsets_go_on(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 2)
        await append_all(log, topic, [b"a", b"b"])
        log = await world.reopen(log)
        assert await log.partitions(topic) == 2
        assert await append_all(log, topic, [b"c"]) == [2]
        assert await append_all(log, topic, [b"d"], partition=1) == [0]
        assert [stored.value for stored in await log.read(topic, 0, 0, 10)] == [b"a", b"b", b"c"]


class TopicCases:
    """Topics."""

    async def test_a_topic_that_is_there_is_left_alone(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 4)
        await append_all(log, topic, [b"x"])
        await log.ensure_topic(topic, 4)
        assert await log.partitions(topic) == 4
        assert await log.end_offset(topic, 0) == 1

    async def test_another_number_of_partitions_is_unsafe(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 4)
        with pytest.raises(UnsafeLog, match="4 partitions"):
            await log.ensure_topic(topic, 8)

    async def test_several_may_make_the_same_topic_at_once(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        await asyncio.gather(*(log.ensure_topic(topic + "-2", 3) for _ in range(5)))
        assert await log.partitions(topic + "-2") == 3

    async def test_a_topic_or_partition_that_is_not_there(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 2)
        appender = await log.appender()
        for where in ("ludolog.nowhere.log", 0), (topic, 2):
            with pytest.raises(NoSuchTopic):
                await appender.append(*where, b"k", b"v")
            with pytest.raises(NoSuchTopic):
                await log.read(*where, 0, 1)
            with pytest.raises(NoSuchTopic):
                await log.end_offset(*where)
            with pytest.raises(NoSuchTopic):
                await log.reader(*where, 0)
        with pytest.raises(NoSuchTopic):
            await log.partitions("ludolog.nowhere.log")
        with pytest.raises(NoSuchTopic):
            await log.join("ludolog.nowhere.log", "g", "i", Recorder().listener)
        assert await appender.append(topic, 1, b"k", b"the appender goes on") == 0


class ReadCases:
    """Reading."""

    async def test_read_from_an_offset_up_to_a_limit(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        await append_all(log, topic, [b"%d" % number for number in range(50)])
        assert [stored.offset for stored in await log.read(topic, 0, 20, 5)] == [20, 21, 22, 23, 24]
        assert [stored.offset for stored in await log.read(topic, 0, 48, 5)] == [48, 49]
        assert not await log.read(topic, 0, 50, 5)

    async def test_an_offset_beyond_the_end_or_before_the_start_is_out_of_range(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        await append_all(log, topic, [b"x"])
        for offset in (2, 1000, -1):
            with pytest.raises(OutOfRange):
                await log.read(topic, 0, offset, 1)
            with pytest.raises(OutOfRange):
                await take(await log.reader(topic, 0, offset), 1)

    async def test_a_reader_reads_what_is_there_then_what_comes(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        await append_all(log, topic, [b"0", b"1", b"2"])
        reader = await log.reader(topic, 0, 1)
        assert [stored.value for stored in await take(reader, 2)] == [b"1", b"2"]
        waiting = asyncio.create_task(take(reader, 1))
        await append_all(log, topic, [b"3"])
        assert [stored.value for stored in await waiting] == [b"3"]
        await reader.close()

    async def test_a_reader_at_the_end_of_an_empty_partition_waits(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 2)
        waiting = asyncio.create_task(take(await log.reader(topic, 1, 0), 1))
        await append_all(log, topic, [b"elsewhere"])
        assert not waiting.done()
        await append_all(log, topic, [b"here"], partition=1)
        assert await waiting == [Stored(0, b"k", b"here")]

    async def test_a_cancelled_wait_loses_nothing(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        reader = await log.reader(topic, 0, 0)
        found: list[Stored] = []
        for number in range(10):
            waiting = asyncio.create_task(reader.batch())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            found += () if waiting.cancelled() else await waiting
            await append_all(log, topic, [b"%d" % number])
        found += await take(reader, 10 - len(found))
        assert [stored.value for stored in found] == [b"%d" % number for number in range(10)]

    async def test_a_long_partition_is_read_whole_and_in_order(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        await append_all(log, topic, [b"%d" % number for number in range(5000)])
        log = await world.reopen(log)
        found = await take(await log.reader(topic, 0, 0), 5000)
        assert found == [Stored(number, b"k", b"%d" % number) for number in range(5000)]
        assert [stored.offset for stored in await log.read(topic, 0, 4321, 3)] == [4321, 4322, 4323]

    async def test_large_records_come_in_batches_of_bounded_size(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        large = b"x" * 500_000
        for _ in range(12):
            await append_all(log, topic, [large])
        log = await world.reopen(log)
        position = 0
        while batch := await log.read(topic, 0, position, 100):
            assert sum(len(stored.value or b"") for stored in batch) <= Limits().max_batch_bytes + len(large)
            position = batch[-1].offset + 1
        assert position == 12

    async def test_readers_of_one_partition_do_not_disturb_each_other(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        await append_all(log, topic, [b"%d" % number for number in range(10)])
        near, far, closed = [await log.reader(topic, 0, offset) for offset in (8, 2, 0)]
        await closed.close()
        assert [stored.offset for stored in await take(near, 2)] == [8, 9]
        assert [stored.offset for stored in await take(far, 8)] == list(range(2, 10))
        await near.close()
        waiting = asyncio.create_task(take(far, 1))
        await append_all(log, topic, [b"10"])
        assert [stored.offset for stored in await waiting] == [10]

    async def test_many_partitions_are_read_side_by_side(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log, 16)
        readers = [await log.reader(topic, partition, 0) for partition in range(16)]
        waiting = [asyncio.create_task(take(reader, 20)) for reader in readers]
        for partition in range(16):
            await append_all(log, topic, [b"%d" % partition] * 20, partition=partition)
        for partition, found in enumerate(await asyncio.gather(*waiting)):
            assert [stored.offset for stored in found] == list(range(20))
            assert {stored.value for stored in found} == {b"%d" % partition}

    async def test_records_for_ever(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        await append_all(log, topic, [b"0", b"1"])
        stream = records(log, topic, 0, 0)
        assert [(await anext(stream)).value, (await anext(stream)).value] == [b"0", b"1"]
        await append_all(log, topic, [b"2"])
        assert (await anext(stream)).value == b"2"

    async def test_a_reader_of_a_closed_log_is_told(self, world: LogWorld) -> None:
        log = await world.open()
        topic = await new_topic(log)
        waiting = asyncio.create_task((await log.reader(topic, 0, 0)).batch())
        await asyncio.sleep(0)
        await log.close()
        with pytest.raises(LogUnavailable):
            await waiting
        with pytest.raises(LogUnavailable):
            await log.end_offset(topic, 0)


class EventLogCases(AppendCases, TopicCases, ReadCases, GroupCases):
    """All of it."""
