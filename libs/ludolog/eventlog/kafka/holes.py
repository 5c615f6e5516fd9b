"""Records as kafka-python gives them, made whole: something at every offset, also where there is nothing of ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafka.consumer.fetcher import ConsumerRecord

from ludolog.eventlog.port import Stored

LONGEST_FILLED = 1000
"""Of a longer hole only the last offsets are given: the position moves over the others."""


def filled(position: int, found: Sequence[ConsumerRecord], next_position: int) -> list[Stored]:
    """What lies at `position` up to before `next_position`: records that were found, and nothing in between.

    Control records of transactions are consumed by the library and show as gaps.
    """
    stored: list[Stored] = []
    for record in found:
        stored += _nothing(position, record.offset)
        stored.append(Stored(record.offset, record.key, record.value))
        position = record.offset + 1
    stored += _nothing(position, next_position)
    return stored


def _nothing(start: int, end: int) -> Iterable[Stored]:
    return (Stored(offset, None, None) for offset in range(max(start, end - LONGEST_FILLED), end))
