"""Calls that go on as bytes, with the caller's own token: the gateway neither parses nor knows what is in them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import grpc

from ludolog.hosting import Host, Unauthenticated, names, require_player
from ludolog.hosting.errors import told
from ludolog.hosting.retries import repeated
from services.gateway import wire

Check = Callable[[], Awaitable[None]]
Metadata = tuple[tuple[str, str | bytes], ...]
NO_DEADLINE_S = 1_000_000


class Relay:
    """Makes handlers that hand a method on."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def unary(self, service: str, path: str, *, player: bool, check: Check | None = None) -> Any:
        """Hand on to a service. `player`: only signed-in players; `check` is awaited before."""
        call: Any = self._host.channel(service, anonymous=True).unary_unary(path)

        async def relayed(data: bytes, context: Any) -> Any:
            await _admit(player, check)
            metadata = identity(context)
            with handed_on():
                return await repeated(
                    lambda left_s: call(data, timeout=left_s, metadata=metadata), self.time_left_s(context)
                )

        return grpc.unary_unary_rpc_method_handler(relayed)

    def engine(self, path: str) -> Any:
        """Hand on to the engine that owns the match whose name is field 1. Players only."""

        async def relayed(data: bytes, context: Any) -> Any:
            require_player()
            match_id, _ = names.seat_of(wire.name_of(data))
            router = self._host.engines(names.rulebook_of_match(match_id))
            call: Any = router.channel_for(match_id).unary_unary(path)
            with handed_on():
                return await call(data, timeout=self.time_left_s(context), metadata=identity(context))

        return grpc.unary_unary_rpc_method_handler(relayed)

    def stream(self, service: str, path: str, *, player: bool) -> Any:
        """Hand on a stream of answers; it ends when either side does."""
        open_call: Any = self._host.channel(service, anonymous=True).unary_stream(path)

        async def relayed(data: bytes, context: Any) -> AsyncIterator[Any]:
            await _admit(player, None)
            call = open_call(data, metadata=identity(context))
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


async def _admit(player: bool, check: Check | None) -> None:  # noqa: FBT001 - handed through
    if player:
        require_player()
    if check is not None:
        await check()


def identity(context: Any) -> Metadata:
    """The caller's own token, for the service behind; nothing else of the metadata goes on."""
    return tuple((key, value) for key, value in context.invocation_metadata() or () if key == "authorization")


@contextlib.contextmanager
def handed_on() -> Iterator[None]:
    """What a service says about a token that was handed on is meant for the caller."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNAUTHENTICATED:
            answer = told(error)
            raise Unauthenticated(answer.message, reason=answer.reason or "UNAUTHENTICATED") from error
        raise
