"""The one producer of an owner, renewed when it fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ludolog.eventlog.port import Appender, EventLog

log = logging.getLogger(__name__)


class Appenders:
    """Gives the current appender. One that failed is finished: it is let go of, and the next caller gets a new one."""

    def __init__(self, event_log: EventLog, failed: Callable[[Appender], None]) -> None:
        """Begin without one. `failed` is told of each that fails: what else was on it has an unknown outcome too."""
        self._log = event_log
        self._failed = failed
        self._making = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self.current: Appender | None = None

    async def get(self) -> Appender:
        """The current appender, made if need be. LogError where the log doesn't answer."""
        async with self._making:
            if self.current is None:
                self.current = await self._log.appender()
            return self.current

    def fail(self, appender: Appender) -> None:
        """Let go of one whose append failed, in the background, and tell everybody."""
        self._retire(appender)
        self._failed(appender)

    def _retire(self, appender: Appender) -> None:
        if self.current is appender:
            self.current = None
        task = asyncio.create_task(_close(appender))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Let go of all."""
        if self.current is not None:
            self._retire(self.current)
        await asyncio.gather(*self._closing)


async def _close(appender: Appender) -> None:
    try:
        await appender.close()
    except Exception:
        log.exception("closing a failed appender")
