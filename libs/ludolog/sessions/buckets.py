"""Token buckets: so many a second, and so many at once. Pure; the time is handed in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bucket:
    """`tokens` at a time, in seconds of any clock; below zero it owes."""

    tokens: float
    time_s: float


def take(
    bucket: Bucket | None, now_s: float, rate: float, burst: float, tokens: float = 1, *, debt: bool = False
) -> tuple[Bucket, float]:
    """Take tokens from a bucket that gets `rate` a second and holds `burst` at most; None is a full one.

    Returns the bucket and 0, or the seconds until there will be enough: nothing is taken then, except with `debt`, when
    the bucket owes them, `burst` at most.
    """
    before = bucket or Bucket(burst, now_s)
    there = min(burst, before.tokens + max(0.0, now_s - before.time_s) * rate)
    wait_s = max(0.0, (tokens - there) / rate)
    if wait_s == 0 or debt:
        there = max(-burst, there - tokens)
    return Bucket(there, now_s), wait_s


def full_in_s(bucket: Bucket, rate: float, burst: float) -> float:
    """When it is full again: from then on it needn't be remembered."""
    return max(0.0, burst - bucket.tokens) / rate
