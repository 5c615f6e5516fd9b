"""An event loop in virtual time whose order is decided by a seed, and whose processes can be paused and killed.

Whatever runs in a context with PROCESS set belongs to that simulated process: none of its callbacks runs while it is
paused, and none ever again when it is dead. Everything else (landing records, acknowledgements) goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import random
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
PROCESS: contextvars.ContextVar[int] = contextvars.ContextVar("PROCESS")
OUTSIDE = contextvars.Context()


class Stuck(Exception):
    """Nothing is left that could ever happen."""


class SimLoop(asyncio.BaseEventLoop):
    """Deterministic: the same seed gives the same order of everything."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng
        self._now = 0.0
        self._parked: dict[int, list[asyncio.Handle]] = {}
        self._dead: set[int] = set()
        self._tasks: list[asyncio.Task[Any]] = []
        self.errors: list[str] = []
        self.steps = 0
        self.set_task_factory(self._make_task)
        self.set_exception_handler(self._failed)

    def time(self) -> float:
        return self._now

    def pause(self, process: int) -> None:
        self._parked.setdefault(process, [])

    def resume(self, process: int) -> None:
        for handle in self._parked.pop(process, []):
            self._ready.append(handle)  # type: ignore[attr-defined]

    def is_paused(self, process: int) -> bool:
        return process in self._parked

    def kill(self, process: int) -> None:
        self._dead.add(process)
        self._parked.pop(process, None)

    def outside(self, delay_s: float, callback: Callable[..., object], *args: Any) -> None:
        """Have something happen in the world, whoever asks for it."""
        self.call_at(self._now + delay_s, callback, *args, context=OUTSIDE)

    def start(self, coroutine: Coroutine[Any, Any, T], process: int | None = None) -> asyncio.Task[T]:
        """Start a task inside a process, or outside of all."""
        context = OUTSIDE.copy()
        if process is not None:
            context.run(PROCESS.set, process)
        return self.create_task(coroutine, context=context)

    def spawn(self, coroutine: Coroutine[Any, Any, object], process: int | None = None) -> None:
        """As `start`, where nobody waits for it."""
        _ = self.start(coroutine, process)

    def finish(self) -> None:
        """End everything that still runs, quietly."""
        self._dead = _Everything()
        for task in self._tasks:
            task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001
            if not task.done():
                try:
                    task.get_coro().close()
                except (RuntimeError, asyncio.CancelledError):
                    continue  # it waits for something in its finally: it is dead all the same
        self.close()

    def _make_task(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        task = asyncio.Task(coroutine, loop=loop, **options)
        self._tasks.append(task)
        return task

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "exception was never retrieved" not in context["message"]:
            self.errors.append(f"{context['message']}: {context.get('exception')!r}")

    def _process_events(self, event_list: Any) -> None:
        pass

    def _write_to_self(self) -> None:
        pass

    def _run_once(self) -> None:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        ready: Any = self._ready  # type: ignore[attr-defined]
        if not ready:
            if not timers:
                raise Stuck
            self._now = max(self._now, timers[0].when())
        while timers and timers[0].when() <= self._now:
            handle = heapq.heappop(timers)
            handle._scheduled = False  # type: ignore[attr-defined]  # noqa: SLF001
            ready.append(handle)
        turn = list(ready)
        ready.clear()
        if len(turn) > 1:
            self._rng.shuffle(turn)
        for handle in turn:
            self._run_handle(handle)

    def _run_handle(self, handle: Any) -> None:
        if handle.cancelled():
            return
        process = handle._context.get(PROCESS)  # noqa: SLF001
        if process is not None:
            if process in self._dead:
                return
            parked = self._parked.get(process)
            if parked is not None:
                parked.append(handle)
                return
        self.steps += 1
        handle._run()  # noqa: SLF001

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass  # cancelled timers are dropped when their time comes


class _Everything(set[int]):
    def __contains__(self, item: object) -> bool:
        return True
