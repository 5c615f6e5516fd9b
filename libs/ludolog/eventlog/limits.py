"""How much a log takes. The same for every implementation, so that what fits one fits the other."""

from __future__ import annotations

from dataclasses import dataclass

from ludolog.eventlog.port import LogOverloaded, RecordTooLarge

RECORD_OVERHEAD_BYTES = 128
"""Counted for each record on top of its key and value: what stands around it in memory and on the wire."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one log.

    `max_record_bytes`: key and value of one record; Kafka's brokers take a little more by default (1,048,588 a batch).
    `max_bytes_in_flight`: of all appends that aren't acknowledged yet.
    `max_batch_bytes`, `max_batch_records`: what one `read` or `batch` returns at most (but at least one record).
    """

    max_record_bytes: int = 1_000_000
    max_bytes_in_flight: int = 32 * 1024 * 1024
    max_batch_bytes: int = 4 * 1024 * 1024
    max_batch_records: int = 1000


class InFlight:
    """Counts the bytes of appends under way, and refuses what would be too much."""

    def __init__(self, limits: Limits) -> None:
        """Begin with nothing under way."""
        self._limits = limits
        self.bytes = 0

    def admit(self, key: bytes | None, value: bytes) -> int:
        """Count a record in; return its size for `release`. RecordTooLarge, or LogOverloaded."""
        length = len(key or b"") + len(value)
        if length > self._limits.max_record_bytes:
            raise RecordTooLarge(f"a record of {length} bytes; the log takes {self._limits.max_record_bytes}")
        size = length + RECORD_OVERHEAD_BYTES
        if self.bytes + size > self._limits.max_bytes_in_flight:
            raise LogOverloaded(f"{self.bytes} bytes are waiting to be acknowledged")
        self.bytes += size
        return size

    def release(self, size: int) -> None:
        """A record isn't under way any more."""
        self.bytes -= size
