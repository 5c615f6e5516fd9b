"""Channels that add what every call needs: who sends it, and a deadline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import grpc

from ludolog.hosting.callers import SERVICE_KEY


class WrappedChannel(grpc.aio.Channel):
    """Everything goes through to the channel underneath; who adds something overrides what makes calls.

    A wrapper and no interceptor: those cost a task for each call and have leaked on long streams.
    """

    def __init__(self, inner: grpc.aio.Channel) -> None:
        self._inner = inner

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        """Close the channel underneath."""
        await self._inner.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002 - grpc's signature
        """State of the channel underneath."""
        return self._inner.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait on the channel underneath."""
        await self._inner.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait for the channel underneath."""
        await self._inner.channel_ready()

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath."""
        return self._inner.unary_unary(*args, **kwargs)

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath."""
        return self._inner.unary_stream(*args, **kwargs)

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath."""
        return self._inner.stream_unary(*args, **kwargs)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath."""
        return self._inner.stream_stream(*args, **kwargs)


class EquippedChannel(WrappedChannel):
    """Adds the sender's token and a default deadline for unary calls.

    The token is the call's `authorization`; of a call that brings its own, or with `on_behalf`, it says who hands on.
    """

    def __init__(
        self, inner: grpc.aio.Channel, authorization: Callable[[], str], timeout_s: float, *, on_behalf: bool = False
    ) -> None:
        super().__init__(inner)
        self._on_behalf = on_behalf
        self._authorization = authorization
        self._timeout_s = timeout_s

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath, equipped."""
        return self._equip(self._inner.unary_unary(*args, **kwargs), self._timeout_s)

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath, equipped."""
        return self._equip(self._inner.unary_stream(*args, **kwargs), None)

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath, equipped."""
        return self._equip(self._inner.stream_unary(*args, **kwargs), None)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        """The callable underneath, equipped."""
        return self._equip(self._inner.stream_stream(*args, **kwargs), None)

    def _equip(self, call: Any, default_timeout_s: float | None) -> Any:
        def equipped(request: Any = None, *, timeout: float | None = None, metadata: Any = None, **options: Any) -> Any:
            given = tuple(metadata or ())
            own = not self._on_behalf and all(key != "authorization" for key, _ in given)
            given = (*given, ("authorization" if own else SERVICE_KEY, self._authorization()))
            return call(request, timeout=timeout or default_timeout_s, metadata=given, **options)

        return equipped
