"""gRPC health (grpc.health.v1): SERVING only while every part says so, and until the drain begins."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

from grpc_health.v1 import health_pb2, health_pb2_grpc

logger = logging.getLogger("ludolog.health")
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Health(health_pb2_grpc.HealthServicer):
    """The health of one process. Every service name gets the same answer: a process serves as a whole."""

    def __init__(self) -> None:
        self._parts: dict[str, str | None] = {}
        self._draining = False
        self._changed = asyncio.Event()

    @property
    def serving(self) -> bool:
        """Every part is ok, and no drain has begun."""
        return not self._draining and bool(self._parts) and not self.problems

    @property
    def draining(self) -> bool:
        """The process was told to stop."""
        return self._draining

    @property
    def problems(self) -> dict[str, str]:
        """Parts that aren't ok, and why."""
        return {part: why for part, why in list(self._parts.items()) if why is not None}

    def set(self, part: str, ok: bool, why: str = "") -> None:  # noqa: FBT001 - reads as "this part is ok: yes or no"
        """Note how a part does."""
        problem = None if ok else why or "not ready"
        if part in self._parts and self._parts[part] == problem:
            return
        was_serving = self.serving
        self._parts[part] = problem
        logger.log(logging.DEBUG if ok else logging.INFO, "%s: %s", part, "ok" if ok else problem)
        if self.serving and not was_serving:
            logger.info("serving")
        self._wake()

    def drain(self) -> None:
        """Not serving any more, whatever the parts say."""
        self._draining = True
        self._wake()

    async def wait_serving(self) -> None:
        """Wait until it serves."""
        while not self.serving:
            await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def Check(self, request: health_pb2.HealthCheckRequest, context: Any) -> health_pb2.HealthCheckResponse:  # noqa: N802 - as in the proto
        """How it stands now."""
        return health_pb2.HealthCheckResponse(status=SERVING if self.serving else NOT_SERVING)

    async def Watch(  # noqa: N802 - as in the proto
        self, request: health_pb2.HealthCheckRequest, context: Any
    ) -> AsyncIterator[health_pb2.HealthCheckResponse]:
        """How it stands now, and each time that it changes."""
        last = None
        while True:
            changed = self._changed
            if (now := SERVING if self.serving else NOT_SERVING) != last:
                last = now
                yield health_pb2.HealthCheckResponse(status=now)
            await changed.wait()
