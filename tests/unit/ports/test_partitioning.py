"""Keys go where Kafka's own clients would send them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as kafka_murmur2

from ludolog.eventlog.partitioning import murmur2, partition_of


@given(st.binary(max_size=100))
def test_the_hash_is_kafkas(data: bytes) -> None:
    assert murmur2(data) == kafka_murmur2(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    # From Kafka's own UtilsTest (clients/src/test/java/org/apache/kafka/common/utils/UtilsTest.java), made unsigned.
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_known_hashes(data: bytes, expected: int) -> None:
    assert murmur2(data) == expected & 0xFFFFFFFF


@given(st.text(max_size=50), st.integers(1, 200))
def test_every_key_has_a_partition(key: str, partitions: int) -> None:
    assert partition_of(key, partitions) == (kafka_murmur2(key.encode()) & 0x7FFFFFFF) % partitions


def test_there_must_be_a_partition() -> None:
    with pytest.raises(ValueError, match="at least one"):
        partition_of("x", 0)
