"""How streams end before their handlers do: at their age, with their token or player, and when the process stops."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection
from typing import Any, Self

from ludolog.hosting.errors import ApiError, Unauthenticated, Unavailable, no_such_player

# How long a stream that is past its age may be stuck in a reader that doesn't read, before it is cut off.
STUCK_S = 60.0
# The same when the process stops: nobody is to wait for such a reader.
STUCK_AT_STOP_S = 0.5
RETRY_MS = 100
"""After so long a client asks another instance."""
END = object()


class Streams:
    """The open streams of one server.

    They end with UNAVAILABLE, so that their clients go on elsewhere; where their callers aren't good any more, with
    UNAUTHENTICATED.
    """

    def __init__(self, age_s: float) -> None:
        """`age_s`: the oldest that a stream gets."""
        self.draining = False
        self._age_s = age_s
        self._open: set[Lifetime] = set()

    def begin(self, player_id: str = "", token_left_s: float = math.inf) -> Lifetime:
        """A context for the stream that the current task handles. Unavailable once the process stops.

        `player_id`: whose it is; `token_left_s`: how long the caller's token is still good.
        """
        if self.draining:
            raise stopping()
        return Lifetime(self._open, self._age_s, player_id, token_left_s)

    def end_of(self, player_ids: Collection[str]) -> None:
        """End those of players who aren't here any more."""
        for stream in [stream for stream in self._open if stream.player_id in player_ids]:
            stream.expire(no_such_player(), STUCK_AT_STOP_S)

    def drain(self) -> None:
        """End all of them: at once where they wait for their handlers, in a moment where they wait for readers."""
        self.draining = True
        for stream in tuple(self._open):
            stream.expire(stopping(), STUCK_AT_STOP_S)


def stopping() -> Unavailable:
    """What clients of a stream are told when the process stops."""
    return Unavailable("the service is stopping: go on with a new stream", reason="STOPPING", retry_after_ms=RETRY_MS)


class Lifetime:
    """Ends one stream: at once where it waits for its handler, later where it waits for its reader."""

    def __init__(
        self, open_streams: set[Lifetime], age_s: float, player_id: str = "", left_s: float = math.inf
    ) -> None:
        self.player_id = player_id
        self._open = open_streams
        self._age_s, self._left_s = age_s, left_s
        self._why: ApiError | None = None
        self._waiting = False
        self._task = asyncio.current_task()
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        self._open.add(self)
        ends = self._too_old if self._age_s <= self._left_s else self._token_ends
        self._timer = asyncio.get_running_loop().call_later(min(self._age_s, self._left_s), ends)
        return self

    def __exit__(self, *exc: object) -> None:
        self._open.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def _too_old(self) -> None:
        why = Unavailable("this stream is old: go on with a new one", reason="STREAM_AGE", retry_after_ms=0)
        self.expire(why, STUCK_S)

    def _token_ends(self) -> None:
        why = "the token of this stream has ended: go on with a new one"
        self.expire(Unauthenticated(why, reason="TOKEN_EXPIRED"), STUCK_AT_STOP_S)

    def expire(self, why: ApiError, stuck_s: float) -> None:
        """End it with an error; a reader that doesn't read within `stuck_s` seconds is cut off."""
        self._why = self._why or why
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None and self._waiting:
            self._task.cancel()
        else:
            self._timer = asyncio.get_running_loop().call_later(stuck_s, self._cut)

    def _cut(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def next(self, responses: Any) -> Any:
        """The handler's next response, or END. The error that it was expired with, once it is."""
        self._check()
        self._waiting = True
        try:
            return await anext(responses)
        except StopAsyncIteration:
            return END
        except asyncio.CancelledError:
            if self._task is not None and self._why is not None and self._task.uncancel() == 0:
                self._check()
            raise
        finally:
            self._waiting = False

    def _check(self) -> None:
        if self._why is not None:
            raise self._why
