"""Which engine to ask about a match: the owner of its partition, as the cache says; any engine where it doesn't say.

A wrong route costs a hop, never a wrong result: whoever doesn't own the partition answers NOT_OWNER, and the next
attempt looks again. UNAVAILABLE and deadlines mean "unknown": the same request goes out again, with the same command
id, until the caller's deadline (protocol, "Answers").
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Generator, Sequence
from typing import Any, Self

import grpc

from ludolog.eventlog.partitioning import partition_of
from ludolog.eventlog.snapshots import address_key
from ludolog.hosting.clock import Clock
from ludolog.hosting.errors import Told, Unavailable, told
from ludolog.hosting.retries import UNKNOWN, repeated
from ludolog.sessions.port import CacheUnavailable, SessionCache

BELIEVED_S = 10.0
# A paused engine mustn't eat the whole deadline: who waits looks now and then whether there is another owner.
ATTEMPT_S = 3.0
LOOK_S = 0.4
# What is waited for is a takeover, and whoever has just taken over has said so in the cache.
MOST_PAUSE_S = 0.2


def topic_of(rulebook: str) -> str:
    """The topic of a rulebook's log."""
    return f"ludolog.{rulebook}.log"


class EngineRouter:
    """Routes to the engines of one rulebook."""

    def __init__(
        self,
        rulebook: str,
        *,
        partitions: int,
        cache: SessionCache,
        clock: Clock,
        connect: Callable[[str], grpc.aio.Channel],
        fallback: Callable[[], Sequence[str]],
        timeout_s: float,
    ) -> None:
        self.timeout_s = timeout_s
        self.connect = connect
        """Address → channel; the same channel for the same address."""
        self._topic = topic_of(rulebook)
        self._partitions = partitions
        self._cache = cache
        self._clock = clock
        self._fallback = fallback
        self._known: dict[int, tuple[str, float]] = {}
        self._turn = itertools.count()

    def channel_for(self, match_id: str) -> grpc.aio.Channel:
        """A channel whose unary calls go to whoever owns the match, and are repeated while nobody knows."""
        return RoutedChannel(self, match_id)

    async def owner(self, match_id: str) -> str:
        """Address to ask about a match. Unavailable where no engine is known."""
        partition = partition_of(match_id, self._partitions)
        known = self._known.get(partition)
        if known is not None and known[1] > self._clock.monotonic():
            return known[0]
        found = await self._published(partition)
        if found:
            self._believe(partition, found)
            return found
        addresses = self._fallback()
        if not addresses:
            raise Unavailable("no engine of this rulebook is known", reason="NO_ENGINE")
        return addresses[next(self._turn) % len(addresses)]

    async def _published(self, partition: int) -> str:
        try:
            found = await self._cache.get(address_key(self._topic, partition))
        except CacheUnavailable:
            return ""
        try:
            return found.decode("ascii") if found else ""
        except UnicodeDecodeError:
            return ""  # no owner has written that

    async def has_moved(self, match_id: str, address: str) -> bool:
        """Whether the cache names another owner than the one at `address`."""
        partition = partition_of(match_id, self._partitions)
        found = await self._published(partition)
        if not found or found == address:
            return False
        self._believe(partition, found)
        return True

    def learn(self, match_id: str, answer: Told) -> None:
        """Take from a failed attempt what it says about the owner."""
        if answer.code not in UNKNOWN:
            return
        partition = partition_of(match_id, self._partitions)
        self._known.pop(partition, None)
        if answer.reason == "NOT_OWNER" and (address := (answer.metadata or {}).get("address")):
            self._believe(partition, address)

    def _believe(self, partition: int, address: str) -> None:
        self._known[partition] = address, self._clock.monotonic() + BELIEVED_S


class RoutedChannel(grpc.aio.Channel):
    """Unary calls about one match.

    Streams aren't routed: open them on `router.connect(await router.owner(match_id))`.
    """

    def __init__(self, router: EngineRouter, match_id: str) -> None:
        self._router = router
        self._match_id = match_id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        pass

    async def close(self, grace: float | None = None) -> None:
        """Nothing: the channels belong to the host."""

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: FBT001, FBT002 - grpc's signature
        """IDLE: who is asked is decided call by call."""
        return grpc.ChannelConnectivity.IDLE

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """UsageError: it has no connection of its own."""
        raise grpc.aio.UsageError("a routed channel has no connection of its own")

    async def channel_ready(self) -> None:
        """At once."""

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """A callable that routes and repeats. It returns an awaitable of the response."""

        def routed(request: Any, *, timeout: float | None = None, metadata: Any = None, **_: object) -> _RoutedCall:
            return _RoutedCall(self._router, self._match_id, args, kwargs, (request, timeout, metadata))

        return routed

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:
        """UsageError where it is called; generated stubs make all their callables beforehand."""
        return _not_routed

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:
        """UsageError where it is called; generated stubs make all their callables beforehand."""
        return _not_routed

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:
        """UsageError where it is called; generated stubs make all their callables beforehand."""
        return _not_routed


def _not_routed(*_: object, **__: object) -> Any:
    raise grpc.aio.UsageError("streams aren't routed: open them on router.connect(await router.owner(match_id))")


class _RoutedCall:
    """An attempt after the other; await it for the response. Raises the last attempt's AioRpcError."""

    def __init__(self, router: EngineRouter, match_id: str, args: Any, kwargs: Any, sent: tuple[Any, Any, Any]) -> None:
        self._router, self._match_id, self._args, self._kwargs, self._sent = router, match_id, args, kwargs, sent

    def __await__(self) -> Generator[Any, None, Any]:
        timeout = self._sent[1]
        timeout_s = self._router.timeout_s if timeout is None else timeout
        return repeated(self._attempt, timeout_s, MOST_PAUSE_S).__await__()

    async def _attempt(self, left_s: float) -> Any:
        request, _, metadata = self._sent
        address = await self._router.owner(self._match_id)
        method = self._router.connect(address).unary_unary(*self._args, **self._kwargs)
        call = method(request, timeout=min(left_s, ATTEMPT_S), metadata=metadata)
        watch = _Watch(self._router, self._match_id, address, call)
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            self._router.learn(self._match_id, told(error))
            raise
        except asyncio.CancelledError:
            if not watch.moved:
                raise
            raise Unavailable("another engine has taken the match over") from None
        finally:
            watch.end()


class _Watch:
    """Gives an attempt up when somebody else owns the match by now: whoever was asked may be standing still."""

    def __init__(self, router: EngineRouter, match_id: str, address: str, call: Any) -> None:
        self.moved = False
        self._router, self._match_id, self._address, self._call = router, match_id, address, call
        self._task: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._begin)

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        while True:
            if await self._router.has_moved(self._match_id, self._address):
                self.moved = True
                self._call.cancel()
                return
            await asyncio.sleep(LOOK_S)

    def end(self) -> None:
        """The attempt is over."""
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
