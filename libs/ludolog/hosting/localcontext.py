"""The handler's side of an in-process call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import grpc

PEER = "local"
Metadata = Sequence[tuple[str, str | bytes]]

# ruff: noqa: D102 - the methods of grpc.aio, documented there


class LocalContext(grpc.aio.ServicerContext[Any, Any]):
    """The handler's side of an in-process call."""

    def __init__(self, metadata: Metadata, deadline: float | None, write: Callable[[Any], Any] | None = None) -> None:
        self.metadata = metadata
        self.deadline = deadline
        self.status_code = grpc.StatusCode.OK
        self.status_details = ""
        self.initial: Metadata = ()
        self.trailing: Metadata = ()
        self._write = write
        self._callbacks: list[Callable[[Any], None]] = []
        self._done = False

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> Any:
        self.status_code, self.status_details = code, details
        self.trailing = (*self.trailing, *(trailing_metadata or ()))
        raise grpc.aio.AbortError("aborted")

    async def abort_with_status(self, status: grpc.Status) -> Any:
        await self.abort(status.code, status.details, status.trailing_metadata)

    async def read(self) -> Any:
        raise grpc.aio.UsageError("handlers here iterate over their requests")

    async def write(self, message: Any) -> None:
        if self._write is None:
            raise grpc.aio.UsageError("this call has one response")
        await self._write(message)

    async def send_initial_metadata(self, initial_metadata: Any) -> None:
        self.initial = tuple(initial_metadata)

    def add_done_callback(self, callback: Any) -> None:
        self._callbacks.append(callback)

    def finish(self) -> None:
        self._done = True
        for callback in self._callbacks:
            callback(self)

    def set_trailing_metadata(self, trailing_metadata: Any) -> None:
        self.trailing = tuple(trailing_metadata)

    def invocation_metadata(self) -> Any:
        return self.metadata

    def set_code(self, code: grpc.StatusCode) -> None:
        self.status_code = code

    def set_details(self, details: str) -> None:
        self.status_details = details

    def set_compression(self, compression: grpc.Compression) -> None:
        pass

    def disable_next_message_compression(self) -> None:
        pass

    def peer(self) -> str:
        return PEER

    def peer_identities(self) -> None:
        return None

    def peer_identity_key(self) -> None:
        return None

    def auth_context(self) -> dict[str, Any]:
        return {}

    def time_remaining(self) -> Any:
        return None if self.deadline is None else max(0.0, self.deadline - asyncio.get_running_loop().time())

    def trailing_metadata(self) -> Any:
        return self.trailing

    def code(self) -> grpc.StatusCode:
        return self.status_code

    def details(self) -> str:
        return self.status_details

    def cancelled(self) -> bool:
        return self.status_code is grpc.StatusCode.CANCELLED

    def done(self) -> bool:
        return self._done
