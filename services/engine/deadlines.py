"""When which decision's default is taken. Pure: time is handed in.

A decision keeps its deadline while it stays open, whatever is said in between; it gets its full time when it is first
seen: when it opens, or when this engine takes the match over.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from ludolog.kernel import Decision
from ludolog.sessions.hints import Deadlines

COMPACT_ABOVE = 1024


@dataclass(frozen=True, slots=True)
class Due:
    """A decision of a match whose time is over. `sequence`: the match's last commit, as far as is known here."""

    match_id: str
    sequence: int
    decision_id: str
    seat: int


@dataclass(slots=True)
class _Clock:
    """An open decision: due on the monotonic clock (seconds) and on people's (Unix ms)."""

    seat: int
    due_s: float
    due_ms: int
    waiting: bool = True
    """Stands in the heap. False once it was handed out."""


@dataclass(slots=True)
class _Match:
    sequence: int
    clocks: dict[str, _Clock] = field(default_factory=dict)


class DeadlineIndex:
    """Open decisions of all matches with a clock, without the matches themselves."""

    def __init__(self) -> None:
        self._matches: dict[str, _Match] = {}
        self._heap: list[tuple[float, str, str]] = []
        self._open = 0

    def __len__(self) -> int:
        return self._open

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._matches

    def see(
        self, match_id: str, sequence: int, decisions: Iterable[Decision], time_ms: int, now_s: float, now_ms: int
    ) -> None:
        """The match stands at this commit and these decisions are open, each for `time_ms` from when first seen."""
        known = self._matches.pop(match_id, _Match(0))
        seen = _Match(sequence)
        for decision in decisions:
            fresh = _Clock(decision.seat, now_s + time_ms / 1000, now_ms + time_ms, waiting=False)
            clock = seen.clocks[decision.decision_id] = known.clocks.get(decision.decision_id, fresh)
            if not clock.waiting:
                # New, or handed out for an earlier commit: that one is stale now.
                self._push(match_id, decision.decision_id, clock)
        self._open += len(seen.clocks) - len(known.clocks)
        if seen.clocks:
            self._matches[match_id] = seen

    def forget(self, match_id: str) -> None:
        """The match is over, or somebody else's."""
        known = self._matches.pop(match_id, None)
        self._open -= len(known.clocks) if known else 0

    def again(self, due: Due, at_s: float) -> None:
        """Hand this one out once more, at that time, unless the match has moved on."""
        known = self._matches.get(due.match_id)
        clock = known.clocks.get(due.decision_id) if known else None
        if known is not None and clock is not None and known.sequence == due.sequence and not clock.waiting:
            clock.due_s = at_s
            self._push(due.match_id, due.decision_id, clock)

    def next_due_s(self) -> float | None:
        """When the next one may be due."""
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now_s: float, limit: int) -> list[Due]:
        """Those whose time is over, the oldest first; each is handed out once for each commit."""
        due: list[Due] = []
        while self._heap and self._heap[0][0] <= now_s and len(due) < limit:
            at_s, match_id, decision_id = heapq.heappop(self._heap)
            known = self._matches.get(match_id)
            clock = known.clocks.get(decision_id) if known else None
            if known is not None and clock is not None and clock.waiting and clock.due_s == at_s:
                clock.waiting = False
                due.append(Due(match_id, known.sequence, decision_id, clock.seat))
        return due

    def of(self, match_id: str) -> Deadlines | None:
        """The deadlines of a match; None where it has none."""
        known = self._matches.get(match_id)
        if known is None:
            return None
        return Deadlines(known.sequence, {decision: clock.due_ms for decision, clock in known.clocks.items()})

    def _push(self, match_id: str, decision_id: str, clock: _Clock) -> None:
        clock.waiting = True
        heapq.heappush(self._heap, (clock.due_s, match_id, decision_id))
        if len(self._heap) > COMPACT_ABOVE + 2 * self._open:
            # Decisions that were made in time leave their entries behind: without this they'd stay until they are due.
            self._heap = [
                (clock.due_s, match_id, decision_id)
                for match_id, match in self._matches.items()
                for decision_id, clock in match.clocks.items()
                if clock.waiting
            ]
            heapq.heapify(self._heap)
