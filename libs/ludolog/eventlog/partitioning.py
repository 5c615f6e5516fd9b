"""Which partition a key belongs to: Kafka's default partitioner, so that any client of the log finds the same place."""

from __future__ import annotations

import struct
from functools import lru_cache

_MASK = 0xFFFFFFFF
_SEED = 0x9747B28C
_M = 0x5BD1E995
_R = 24


def murmur2(data: bytes) -> int:
    """32-bit MurmurHash2 with Kafka's seed (org.apache.kafka.common.utils.Utils.murmur2), unsigned."""
    whole = len(data) // 4
    h = _SEED ^ len(data)
    for word in struct.unpack_from(f"<{whole}I", data):
        k = word * _M & _MASK
        k = (k ^ k >> _R) * _M & _MASK
        h = h * _M & _MASK ^ k
    rest = data[whole * 4 :]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    return h ^ h >> 15


@lru_cache(maxsize=65536)
def partition_of(key: str, partitions: int) -> int:
    """The partition (0 … partitions - 1) of a key among that many. ValueError unless there is at least one."""
    if partitions < 1:
        raise ValueError("a topic has at least one partition")
    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions
