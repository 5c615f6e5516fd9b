"""A lane for each stream: first come, first served, one at a time. What is under way belongs to the lane."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ludolog.api.log.v1 import log_pb2
from ludolog.eventlog.answers import Receipt
from ludolog.eventlog.port import LogOverloaded


@dataclass(slots=True, eq=False)
class Call:
    """A command on its way. Cancelling whoever waits for `answer` drops it only while it is still in the queue."""

    cause: log_pb2.Cause
    answer: asyncio.Future[Receipt]
    only_at_sequence: int | None = None
    traceparent: str = ""
    since_s: float = 0.0
    """When it was queued, on the owner's clock."""


@dataclass(slots=True, eq=False)
class _Lane:
    queue: deque[Call] = field(default_factory=deque)
    serving: Call | None = None
    task: asyncio.Task[None] | None = None


class Lanes:
    """The lanes of one tenure."""

    def __init__(self, serve: Callable[[str, Call], Awaitable[Receipt]], limit: int) -> None:
        """`serve` is called for one call of a stream at a time; `limit` calls may wait for a stream."""
        self._serve = serve
        self._limit = limit
        self._lanes: dict[str, _Lane] = {}
        self._empty = asyncio.Event()
        self._empty.set()

    def put(self, stream_id: str, call: Call) -> None:
        """Queue a call. LogOverloaded where too many wait already."""
        lane = self._lanes.get(stream_id)
        if lane is None:
            lane = self._lanes[stream_id] = _Lane()
            self._empty.clear()
            lane.queue.append(call)
            lane.task = asyncio.create_task(self._run(stream_id, lane))
        elif len(lane.queue) >= self._limit:
            raise LogOverloaded(f"{self._limit} commands are waiting for this stream already")
        else:
            lane.queue.append(call)

    @property
    def waiting(self) -> int:
        """Calls whose turn hasn't come."""
        return sum(len(lane.queue) for lane in list(self._lanes.values()))

    def busy(self, stream_id: str) -> bool:
        """True while a stream has calls, waiting or served."""
        return stream_id in self._lanes

    async def _run(self, stream_id: str, lane: _Lane) -> None:
        try:
            while lane.queue:
                call = lane.serving = lane.queue.popleft()
                if not call.answer.done():
                    await self._answer(stream_id, call)
        finally:
            if self._lanes.get(stream_id) is lane:
                del self._lanes[stream_id]
                if not self._lanes:
                    self._empty.set()

    async def _answer(self, stream_id: str, call: Call) -> None:
        try:
            receipt = await self._serve(stream_id, call)
        except Exception as error:  # noqa: BLE001 - it is the answer
            if not call.answer.done():
                call.answer.set_exception(error)
        else:
            if not call.answer.done():
                call.answer.set_result(receipt)

    def refuse_waiting(self, error: Callable[[], Exception]) -> None:
        """Answer everything that isn't served yet with an error."""
        for lane in self._lanes.values():
            for call in lane.queue:
                if not call.answer.done():
                    call.answer.set_exception(error())
            lane.queue.clear()

    async def empty(self) -> None:
        """Wait until no lane is left."""
        await self._empty.wait()

    def close(self, error: Callable[[], Exception]) -> None:
        """Answer everything with an error, at once. What was sent stays sent."""
        self.refuse_waiting(error)
        for lane in self._lanes.values():
            if lane.serving is not None and not lane.serving.answer.done():
                lane.serving.answer.set_exception(error())
            if lane.task is not None and lane.task is not asyncio.current_task():
                lane.task.cancel()
        self._lanes.clear()
        self._empty.set()
