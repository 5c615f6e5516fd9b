"""Takes the defaults of decisions whose time is over, for matches in this instance's partitions, loaded or parked."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.answers import NotOwner, Stale, Unavailable
from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.port import LogError
from ludolog.hosting.clock import Clock
from ludolog.kernel import Refusal, Rulebook
from ludolog.record.match import Match
from ludolog.sessions.hints import Deadlines
from services.engine.deadlines import DeadlineIndex, Due
from services.engine.founding import decision_time_ms

Submit: TypeAlias = Callable[[str, log_pb2.Cause, int], Awaitable[object]]
"""(match id, cause, only at this sequence number): what the owner does. Stale where the match has moved on."""
Look: TypeAlias = Callable[[str], Awaitable[tuple[Match[Any], int]]]
"""Match id → confirmed match and sequence number."""
Tell: TypeAlias = Callable[[str, Deadlines | None], None]
"""Whoever wants to know the deadlines of a match as they change."""

ENGINE = "engine"
LOOK_AGAIN_S = 1.0
"""The clock is read at least so often: it may be set."""
RETRY_S = 1.0
AT_ONCE = 64
"""Defaults taken, and parked matches looked at, at the same time."""

logger = logging.getLogger(__name__)


class Timers:
    """The running clocks of this engine. Every time is this instance's own: nothing is promised to the next owner."""

    def __init__(
        self, rulebook: Rulebook[Any], partitions: int, clock: Clock, submit: Submit, look: Look, tell: Tell
    ) -> None:
        self.index = DeadlineIndex()
        self.timed_out = 0
        self._rulebook, self._partitions, self._clock = rulebook, partitions, clock
        self._submit, self._look, self._tell = submit, look, tell
        self._served: dict[int, set[str]] = {}
        self._parked: deque[str] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()

    def began(self, partition: int, match_ids: Iterable[str]) -> None:
        """A tenure begins: these matches are on and have a clock; they get their full time again."""
        self.ended(partition)
        self._served[partition] = set()
        self._parked.extend(match_ids)
        self._changed.set()

    def ended(self, partition: int) -> None:
        """The partition isn't served any more."""
        for match_id in self._served.pop(partition, ()):
            self.index.forget(match_id)

    def see(self, match_id: str, match: Match[Any], sequence: int) -> None:
        """A match as it stands, in a partition that is served."""
        clocked = self._served.get(partition_of(match_id, self._partitions))
        if clocked is None:
            return
        time_ms = decision_time_ms(match.founding) if match.founding is not None else 0
        if match.outcome is not None or time_ms <= 0 or not self._rulebook.has_content(match.content_digest):
            self._forget(clocked, match_id)
            return
        clocked.add(match_id)
        decisions = self._rulebook.edition(match.content_digest).awaiting(match.game)
        self.index.see(match_id, sequence, decisions, time_ms, self._clock.monotonic(), self._clock.now_ms())
        self._tell(match_id, self.index.of(match_id))
        self._changed.set()

    def _forget(self, clocked: set[str], match_id: str) -> None:
        if match_id in clocked:
            clocked.discard(match_id)
            self.index.forget(match_id)
            self._tell(match_id, None)

    async def run(self) -> None:
        """Run the clocks, for ever."""
        try:
            while True:
                self._changed.clear()
                self.start_due()
                await self._wait()
        finally:
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def start_due(self) -> None:
        """Begin what is due now, as much as may run at once."""
        for due in self.index.pop_due(self._clock.monotonic(), AT_ONCE - len(self._tasks)):
            self._start(self._take_default(due))
        while self._parked and len(self._tasks) < AT_ONCE:
            self._start(self._look_at(self._parked.popleft()))

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a deadline's work failed", exc_info=error)

    async def _wait(self) -> None:
        due_s = self.index.next_due_s()
        wait_s = LOOK_AGAIN_S if due_s is None else min(LOOK_AGAIN_S, max(0.0, due_s - self._clock.monotonic()))
        if len(self._tasks) >= AT_ONCE:
            wait_s = LOOK_AGAIN_S
        try:
            async with asyncio.timeout(wait_s):
                await self._changed.wait()
        except TimeoutError:
            return

    async def _take_default(self, due: Due) -> None:
        try:
            await self._submit(due.match_id, timeout_cause(due), due.sequence)
            self.timed_out += 1
        except (Stale, Refusal):
            # The match has moved on: nobody is to be told.
            return
        except (NotOwner, Unavailable, LogError):
            self.index.again(due, self._clock.monotonic() + RETRY_S)
        except Exception:
            self.index.again(due, self._clock.monotonic() + RETRY_S)
            raise

    async def _look_at(self, match_id: str) -> None:
        """Find the open decisions of a match that came with a takeover, unless a commit has shown them already."""
        if match_id in self.index or partition_of(match_id, self._partitions) not in self._served:
            return
        try:
            match, sequence = await self._look(match_id)
        except (NotOwner, Unavailable, LogError):
            await asyncio.sleep(RETRY_S)
            self._parked.append(match_id)
            return
        if match_id not in self.index:
            self.see(match_id, match, sequence)


def timeout_cause(due: Due) -> log_pb2.Cause:
    """Why a default is taken. The command id names decision and commit, so that it is taken once and for no other."""
    body = log_pb2.MatchCause(timed_out=log_pb2.TimedOut(decision_id=due.decision_id, seat=due.seat))
    return log_pb2.Cause(
        actor=ENGINE,
        command_id=f"timeout:{due.sequence}:{due.decision_id}",
        body=body.SerializeToString(deterministic=True),
    )
