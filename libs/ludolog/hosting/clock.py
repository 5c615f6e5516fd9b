"""Time as an argument. Tests hand in a simulated clock."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Two clocks: one that people read, one that never jumps."""

    def now_ms(self) -> int:
        """Unix time in milliseconds."""

    def monotonic(self) -> float:
        """Seconds that never go back; comparable within the process only."""


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        """Unix time in milliseconds."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()
