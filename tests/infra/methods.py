"""Every method of the contracts, read off the descriptors; and calls to them with bytes."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import grpc

import ludolog.api
from ludolog.hosting.errors import Told, told

PUBLIC_PACKAGE = "ludolog.api.gateway.v1"
FROM_CORE = "Internal error from Core"
TRIES = 10
INTERNAL = frozenset({f"{PUBLIC_PACKAGE}.PlayerDirectoryService"})
"""Services of the gateway's package that only services may call."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method: `path` is gRPC's, `kind` as "unary_stream"."""

    service: str
    name: str
    kind: str

    @property
    def path(self) -> str:
        return f"/{self.service}/{self.name}"

    @property
    def public(self) -> bool:
        return self.service.startswith(f"{PUBLIC_PACKAGE}.") and self.service not in INTERNAL

    async def answer(self, channel: grpc.aio.Channel, metadata: Any = None, request: bytes = b"") -> Told | None:
        """The error that a call gets; None where it is let in and answered."""
        answer = None
        for _ in range(TRIES):
            answer = await self._answer(channel, metadata, request)
            # The client's own word where the answer came while it was still sending: what the answer was is lost.
            if answer is None or answer.message != FROM_CORE:
                break
        return answer

    async def _answer(self, channel: grpc.aio.Channel, metadata: Any, request: bytes) -> Told | None:
        call = getattr(channel, self.kind)(self.path)
        streams = self.kind.startswith("stream")
        started = call(_once(request) if streams else request, metadata=metadata, timeout=10)
        try:
            if self.kind.endswith("unary"):
                await started
            else:
                await started.read()
        except grpc.aio.AioRpcError as error:
            return told(error)
        finally:
            started.cancel()
        return None


async def _once(request: bytes) -> Any:
    yield request


def methods() -> Iterator[Method]:
    """All of them."""
    for module in pkgutil.walk_packages(ludolog.api.__path__, "ludolog.api."):
        if not module.name.endswith("_pb2"):
            continue
        for service in importlib.import_module(module.name).DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                sides = (method.client_streaming, method.server_streaming)
                kind = "_".join("stream" if side else "unary" for side in sides)
                yield Method(service.full_name, method.name, kind)
