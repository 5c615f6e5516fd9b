"""Update streams, fanned out: many clients of one audience of a match share one stream from the spectator service.

Each client begins with a stream of its own, opened with its own token: so the spectator service decides whether it
may watch, and it gets a complete beginning from the number that it asked for. Once it has caught up with the shared
stream it takes its updates from there, and its own is closed. With one client alone there is no shared stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc

from ludolog.api.gateway.v1 import play_pb2
from ludolog.hosting import TooMuch, Tracing, Unavailable, caller, names
from ludolog.hosting.errors import told
from ludolog.hosting.retries import UNKNOWN, delay_s
from services.gateway import wire
from services.gateway.presence import Presence
from services.gateway.relay import Metadata, handed_on

logger = logging.getLogger("ludolog.gateway")
WATCH = "/ludolog.api.spectator.v1.SpectatorService/Watch"
PATIENCE_S = 30.0
"""How long a stream that gets nowhere is tried again before its client is told."""
SHARED_BY = 2


class _Left(Exception):
    """The shared stream is no more: go on with one of your own."""


class Subscription:
    """What one client has still to take from a shared stream: at most `bound` updates."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._updates: deque[tuple[int, bytes]] = deque()
        self._news = asyncio.Event()
        self._overflowed = self._ended = self._left = False

    def offer(self, sequence: int, update: bytes) -> None:
        """An update for this client; too many of them and the client is given up."""
        if len(self._updates) >= self._bound:
            self._overflowed = True
            self._updates.clear()
        elif not self._overflowed:
            self._updates.append((sequence, update))
        self._news.set()

    def end(self, *, over: bool) -> None:
        """Nothing more will come: the match is over, or the shared stream was lost."""
        self._ended, self._left = over, not over
        self._news.set()

    async def updates(self, following: int) -> AsyncGenerator[tuple[int, bytes], None]:
        """Updates from `following` on.

        Ends with the match; TooMuch for a slow client, _Left where the stream was lost.
        """
        while not self._overflowed:
            if self._updates:
                sequence, update = self._updates.popleft()
                if sequence >= following:
                    yield sequence, update
                    following = sequence + 1
            elif self._ended:
                return
            elif self._left:
                raise _Left
            else:
                self._news.clear()
                await self._news.wait()
        raise TooMuch("SLOW_READER", "too slow: go on from next_sequence", retry_after_ms=0, next_sequence=following)


@dataclass
class Audience:
    """Those who see the same of a match: its spectators, or one seat."""

    name: str
    clients: list[Metadata] = field(default_factory=list)
    subscriptions: set[Subscription] = field(default_factory=set)
    last: int = 0
    """Sequence number of the newest update of the shared stream; 0 while there is none."""
    task: asyncio.Task[None] | None = None


class Feeds:
    """All audiences that somebody is watching."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        bound: int,
        spawn: Callable[[str, Any], asyncio.Task[Any]],
        presence: Presence,
        too_slow: Callable[[], None],
        tracing: Tracing,
    ) -> None:
        """`bound`: updates that wait for one client at most; `too_slow` is told of each that had more.

        `presence` is told of spectators.
        """
        self._watch: Any = channel.unary_stream(WATCH, request_serializer=play_pb2.WatchRequest.SerializeToString)
        self._bound = bound
        self._spawn = spawn
        self._presence = presence
        self._too_slow = too_slow
        self._tracing = tracing
        self._audiences: dict[str, Audience] = {}

    @property
    def clients(self) -> int:
        """How many clients watch."""
        return sum(len(audience.clients) for audience in list(self._audiences.values()))

    @property
    def shared(self) -> int:
        """How many streams are shared."""
        return sum(audience.task is not None for audience in list(self._audiences.values()))

    async def updates(self, name: str, from_sequence: int, identity: Metadata) -> AsyncGenerator[bytes, None]:
        """Serialised updates of an audience, as WatchService.Watch says, without gap or repeat."""
        audience = self._audiences.setdefault(name, Audience(name))
        audience.clients.append(identity)
        following: int | None = from_sequence
        match_id, seat = names.audience_of(name)
        here: int | None = None
        try:
            while following is not None:
                self._share(audience)
                stream = self._stretch(audience, following, identity)
                following = None
                async with contextlib.aclosing(stream):
                    with handed_on():
                        async for sequence, update in stream:
                            if here is None and seat is None:
                                # Whoever gets an update was let in.
                                here = await self._presence.come(match_id, caller().player_id)
                            if update:
                                yield update
                            else:
                                following = sequence
        finally:
            audience.clients.remove(identity)
            self._unshare(audience)
            if here is not None:
                await self._presence.leave(here)

    async def _stretch(
        self, audience: Audience, following: int, identity: Metadata
    ) -> AsyncGenerator[tuple[int, bytes], None]:
        """Updates over an own stream, then over the shared one. Ends with the match.

        Where the shared stream is lost, the last thing is (the number to go on from, no bytes).
        """
        subscription = Subscription(self._bound)
        try:
            async with contextlib.aclosing(self._own(audience, following, identity)) as own:
                async for sequence, update in own:
                    yield sequence, update
                    following = sequence + 1
                    # No await between the comparison and the subscription: what comes next is `following`, or told
                    # already.
                    if audience.last and sequence >= audience.last:
                        audience.subscriptions.add(subscription)
                        break
                else:
                    return
            async with contextlib.aclosing(subscription.updates(following)) as shared:
                async for sequence, update in shared:
                    yield sequence, update
                    following = sequence + 1
        except _Left:
            yield following, b""
        except TooMuch:
            self._too_slow()
            raise
        finally:
            audience.subscriptions.discard(subscription)

    async def _own(
        self, audience: Audience, following: int, identity: Metadata
    ) -> AsyncGenerator[tuple[int, bytes], None]:
        """Updates from the spectator service, over as many streams as it takes. Raises what isn't temporary."""
        loop = asyncio.get_running_loop()
        tries, began, moved = 0, following, loop.time()
        while True:
            call = self._watch(play_pb2.WatchRequest(name=audience.name, from_sequence=following), metadata=identity)
            try:
                async for sent in call:
                    update, trace = wire.without_trace(sent)
                    sequence = wire.sequence_of(update)
                    if trace:
                        self._tracing.mark("hand on", trace, audience=audience.name, clients=len(audience.clients))
                    tries, following, moved = 0, sequence + 1, loop.time()
                    yield sequence, update
                return
            except grpc.aio.AioRpcError as error:
                tries += 1
                # Behind what it has told already: it is reading the log again.
                behind = error.code() is grpc.StatusCode.OUT_OF_RANGE and following > began
                if not behind and told(error).code not in UNKNOWN:
                    raise
                if loop.time() - moved > PATIENCE_S:
                    raise Unavailable("the match can't be followed now", next_sequence=following) from error
                pause = delay_s(tries, told(error).retry_after_ms)
            finally:
                call.cancel()
            await asyncio.sleep(pause)

    def _share(self, audience: Audience) -> None:
        if audience.task is None and len(audience.clients) >= SHARED_BY:
            # The newest client's token lasts longest.
            audience.task = self._spawn("feed", self._pump(audience, audience.clients[-1]))

    def _unshare(self, audience: Audience) -> None:
        if audience.clients:
            return
        self._audiences.pop(audience.name, None)
        if audience.task is not None:
            audience.task.cancel()

    async def _pump(self, audience: Audience, identity: Metadata) -> None:
        """Read the shared stream for everybody. It begins with the present, and is nobody's beginning."""
        over = False
        try:
            async for sequence, update in self._own(audience, 0, identity):
                audience.last = sequence
                for subscription in tuple(audience.subscriptions):
                    subscription.offer(sequence, update)
            over = True
        except (grpc.aio.AioRpcError, Unavailable) as error:
            # Perhaps only the token that it was opened with has ended: each client finds out for itself.
            logger.info("a shared stream was lost: %s", error)
        finally:
            audience.last, audience.task = 0, None
            for subscription in tuple(audience.subscriptions):
                subscription.end(over=over)
