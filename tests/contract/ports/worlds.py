"""What the suites of the ports need to know of an implementation, and a listener that writes down what it is told."""

import asyncio
import contextlib
import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable

from ludolog.eventlog.limits import Limits
from ludolog.eventlog.port import EventLog, Listener

LOOK_S = 0.01
PATIENCE_S = 20.0
"""How long a test waits for what must happen."""


class LogWorld(ABC):
    """One log with its data, that can be opened and closed."""

    def __init__(self) -> None:
        self._open: list[EventLog] = []

    @abstractmethod
    async def make(self, limits: Limits) -> EventLog: ...

    async def open(self, limits: Limits | None = None) -> EventLog:
        """Open the log; it is closed after the test at the latest."""
        log = await self.make(limits or Limits())
        self._open.append(log)
        return log

    async def reopen(self, log: EventLog) -> EventLog:
        """Close the log and open it again, as a restarted process would."""
        await log.close()
        return await self.open()

    async def close(self) -> None:
        for log in self._open:
            await log.close()


@contextlib.asynccontextmanager
async def closing(world: LogWorld) -> AsyncGenerator[LogWorld, None]:
    try:
        yield world
    finally:
        await world.close()


async def new_topic(log: EventLog, partitions: int = 1) -> str:
    topic = f"ludolog.test-{uuid.uuid4().hex[:12]}.log"
    await log.ensure_topic(topic, partitions)
    return topic


async def holds(condition: Callable[[], bool]) -> None:
    """Wait until it is true, whoever makes it so."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - of whatever kind it is
            await asyncio.sleep(LOOK_S)


class Recorder:
    """A listener that keeps a list of its calls, and notices when two overlap."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, frozenset[int]]] = []
        self.mine: frozenset[int] = frozenset()
        self.overlapped = False
        self.hold: asyncio.Event | None = None
        self._busy = False
        self._changed = asyncio.Condition()

    @property
    def listener(self) -> Listener:
        return Listener(assigned=self._assigned, revoked=self._revoked, lost=self._lost)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until it is true after a call."""
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(condition)

    async def _assigned(self, partitions: frozenset[int]) -> None:
        assert not partitions & self.mine, "assigned what was assigned already"
        await self._note("assigned", partitions, self.mine | partitions)

    async def _revoked(self, partitions: frozenset[int]) -> None:
        await self._note("revoked", partitions, self.mine - partitions)

    async def _lost(self, partitions: frozenset[int]) -> None:
        await self._note("lost", partitions, self.mine - partitions)

    async def _note(self, name: str, partitions: frozenset[int], mine: frozenset[int]) -> None:
        self.overlapped |= self._busy
        self._busy = True
        self.calls.append((name, partitions))
        async with self._changed:
            self._changed.notify_all()
        if self.hold is not None:
            await self.hold.wait()
        await asyncio.sleep(0)
        self.mine = mine
        self._busy = False
        async with self._changed:
            self._changed.notify_all()
