"""What every process says of itself: which build, whether it serves, how quickly its event loop turns."""

from __future__ import annotations

import asyncio
import platform as machine
from importlib import metadata
from typing import Protocol

import grpc
from prometheus_client import ProcessCollector

from ludolog.hosting.metrics import Metrics

LOOK_S = 0.5
LATE = "ludolog_event_loop_delay_seconds"


class Vital(Protocol):
    """The health of a process."""

    @property
    def serving(self) -> bool:
        """It serves."""

    @property
    def draining(self) -> bool:
        """It was told to stop."""

    @property
    def problems(self) -> dict[str, str]:
        """Parts that don't serve, and why."""


def version() -> str:
    """The version of the installed package, or "checkout"."""
    try:
        return metadata.version("ludolog")
    except metadata.PackageNotFoundError:
        return "checkout"


def show(metrics: Metrics, health: Vital) -> None:
    """Make the metrics of a process. Memory, CPU time and open files are process_… of prometheus_client."""
    ProcessCollector(registry=metrics.registry)
    build = metrics.gauge("ludolog_build_info", "Always 1; the labels say what runs.", ("version", "python", "grpc"))
    build.labels(version(), machine.python_version(), grpc.__version__).set(1)
    metrics.histogram(LATE, "How late the event loop comes to what is due.")
    for name, documentation, read in (
        ("ludolog_serving", "1 while health says SERVING.", lambda: health.serving),
        ("ludolog_draining", "1 from the moment the process is told to stop.", lambda: health.draining),
        ("ludolog_parts_not_serving", "Parts of the process that aren't ready.", lambda: len(health.problems)),
    ):
        metrics.gauge(name, documentation).set_function(read)


async def watch_loop(metrics: Metrics) -> None:
    """Measure how late the event loop is, for ever."""
    late = metrics.histogram(LATE, "")
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + LOOK_S
        await asyncio.sleep(LOOK_S)
        late.observe(max(0.0, loop.time() - due))
