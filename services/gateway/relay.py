"""Calls that go on as bytes, with the caller's own token: the gateway neither parses nor knows what is in them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import grpc

from ludolog.hosting import Host, Unauthenticated, caller, names
from ludolog.hosting.errors import told
from ludolog.hosting.identity import BAD_SERVICE_TOKEN
from ludolog.hosting.retries import repeated
from services.gateway import wire

Check = Callable[[], Awaitable[None]]
Metadata = tuple[tuple[str, str], ...]
NO_DEADLINE_S = 1_000_000
OURS = frozenset({"NOT_A_SERVICE", "WRONG_CERTIFICATE", BAD_SERVICE_TOKEN})
"""Reasons that concern the gateway's own identity."""


class Relay:
    """Makes handlers that hand a method on."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def unary(self, service: str, path: str, *, check: Check | None = None) -> Any:
        """Hand on to a service; `check` is awaited before."""
        call: Any = self._host.channel(service, on_behalf=True).unary_unary(path)

        async def relayed(data: bytes, context: Any) -> Any:
            if check is not None:
                await check()
            metadata = identity()
            with handed_on():
                return await repeated(
                    lambda left_s: call(data, timeout=left_s, metadata=metadata), self.time_left_s(context)
                )

        return grpc.unary_unary_rpc_method_handler(relayed)

    def engine(self, path: str) -> Any:
        """Hand on to the engine that owns the match whose name is field 1."""

        async def relayed(data: bytes, context: Any) -> Any:
            match_id, _ = names.seat_of(wire.name_of(data))
            router = self._host.engines(names.rulebook_of_match(match_id))
            call: Any = router.channel_for(match_id).unary_unary(path)
            with handed_on():
                return await call(data, timeout=self.time_left_s(context), metadata=identity())

        return grpc.unary_unary_rpc_method_handler(relayed)

    def stream(self, service: str, path: str) -> Any:
        """Hand on a stream of answers; it ends when either side does."""
        open_call: Any = self._host.channel(service, on_behalf=True).unary_stream(path)

        async def relayed(data: bytes, context: Any) -> AsyncIterator[Any]:
            call = open_call(data, metadata=identity())
            try:
                with handed_on():
                    async for answer in call:
                        yield answer
            finally:
                call.cancel()

        return grpc.unary_stream_rpc_method_handler(relayed)

    def time_left_s(self, context: Any) -> float:
        """What is left of the caller's deadline, in seconds; the settings' where it gave none."""
        left = context.time_remaining()
        return self._host.settings.call_timeout_s if left is None or left > NO_DEADLINE_S else float(left)


def identity() -> Metadata:
    """The caller's token, for the service behind; nothing else of the metadata goes on."""
    token = caller().token
    return (("authorization", token),) if token else ()


@contextlib.contextmanager
def handed_on() -> Iterator[None]:
    """What a service says about a token that was handed on is meant for the caller."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        answer = told(error)
        if answer.code is grpc.StatusCode.UNAUTHENTICATED and answer.reason not in OURS:
            raise Unauthenticated(answer.message, reason=answer.reason or "UNAUTHENTICATED") from error
        raise
