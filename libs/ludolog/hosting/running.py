"""From the environment to a running process, and down again in order."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence

from ludolog.eventlog.port import LogError
from ludolog.hosting import logs, settings
from ludolog.hosting.platform import Bind, Platform, Service
from ludolog.hosting.settings import BadSettings, Settings
from ludolog.hosting.tracing import Tracing
from ludolog.hosting.transport import PortTaken

logger = logging.getLogger("ludolog.hosting")
BAD_SETTINGS = 2
FAILED = 1
GARBAGE = (20_000, 20, 20)
"""Thresholds of the collector. Calls and tasks come and go without cycles: by default it looked for some every 700
objects, which was a tenth of the time of a command."""


def run(name: str, bind: Bind, *, log: bool = True) -> None:
    """Run one service until SIGTERM or SIGINT; exits the process. Code 2: the settings can't be used, 1: it failed."""
    found = load_or_exit()
    sys.exit(run_services(found, [Service(name, bind, found.rulebook, log=log)]))


def load_or_exit() -> Settings:
    """Read the settings; where they can't be used, say which and why, and exit with code 2."""
    try:
        return settings.load(os.environ)
    except BadSettings as error:
        for problem in error.problems:
            print(f"ludolog: {problem}", file=sys.stderr)  # noqa: T201 - before there are log lines
        sys.exit(BAD_SETTINGS)


def run_services(found: Settings, services: Sequence[Service], ready: Callable[[Platform], None] | None = None) -> int:
    """Run services in this process until SIGTERM or SIGINT; return the exit code. `ready` is called once they serve.

    The code is 0 after a stop in order, 2 where a port is taken, 1 for anything else that failed.
    """
    names = "+".join(service.name for service in services) if len(services) == 1 else "local"
    gc.set_threshold(*GARBAGE)
    logs.set_up(found.log_level, embedded=found.embedded, service=names, instance=f"{names}-{os.getpid()}")
    try:
        return asyncio.run(_serve(found, services, ready, names))
    except PortTaken as error:
        logger.critical("%s", error)
        return BAD_SETTINGS
    except (LogError, OSError, ValueError, LookupError) as error:
        logger.debug("it doesn't start", exc_info=error)
        logger.critical("%s", error)
        return FAILED


async def _serve(
    found: Settings, services: Sequence[Service], ready: Callable[[Platform], None] | None, name: str
) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    needs_log = any(service.log for service in services)
    tracing = Tracing.to(found.otlp_endpoint, f"ludolog-{name}")
    async with await Platform.create(found, needs_log=needs_log, tracing=tracing) as platform:
        platform.open_metrics()
        await platform.open_health()
        for service in services:
            await platform.add(service)
        # What is there now stays: the collector needn't look at it again.
        gc.collect()
        gc.freeze()
        if ready is not None:
            ready(platform)
        stopped = asyncio.ensure_future(stop.wait())
        await asyncio.wait((stopped, platform.failed), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        logger.info("stopping")
        await platform.close()
        return FAILED if platform.failed.done() else 0
