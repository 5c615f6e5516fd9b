"""Calls with a token, a deadline and repeats: what is unknown is asked again, with the same ids."""

from __future__ import annotations

import asyncio
import random
import time
from os import PathLike
from pathlib import Path
from typing import Any

import grpc

from ludolog.api.gateway.v1 import players_pb2, players_pb2_grpc
from ludolog.client.errors import ApiError, TooMuch, Unavailable, from_call
from ludolog.client.traces import traceparent

FIRST_S = 0.05
MOST_S = 2.0
# Tokens are renewed in the last tenth of their life.
RENEW_AT = 0.9
MAXIMUM_MESSAGE = 64 << 20
OPTIONS = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.max_receive_message_length", MAXIMUM_MESSAGE),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
    ("grpc.enable_retries", 0),
)


def pause_s(tries: int, hint_s: float | None = None) -> float:
    """Pause after `tries` attempts: random in the upper half of a doubling bound, at least the server's hint."""
    bound: float = min(MOST_S, FIRST_S * 2 ** min(tries, 16))
    return max(bound * random.uniform(0.5, 1.0), min(hint_s or 0, MOST_S))  # noqa: S311 - jitter, not a secret


class Connection:
    """A channel and who is signed in on it."""

    def __init__(self, channel: grpc.aio.Channel, timeout_s: float, *, owned: bool) -> None:
        self.channel = channel
        self.timeout_s = timeout_s
        self.player: players_pb2.Player | None = None
        self._owned = owned
        self._token = ""
        self._renew_time_s = float("inf")
        self._players = players_pb2_grpc.PlayerServiceStub(channel)

    @property
    def token(self) -> str:
        """The token in use; "" for nobody."""
        return self._token

    def use(self, token: str) -> None:
        """Go on with a token from before."""
        self._token, self._renew_time_s = token, float("inf")

    def signed_in(self, response: players_pb2.SignInResponse) -> players_pb2.Player:
        """Take a sign-in's answer."""
        now = time.time()
        self._token, self.player = response.token, response.player
        self._renew_time_s = now + RENEW_AT * (response.expire_time.ToSeconds() - now)
        return response.player

    async def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes along with a call. Renews the token where it is about to end."""
        if time.time() > self._renew_time_s:
            self._renew_time_s = float("inf")
            self.signed_in(await self._call(self._players.RefreshToken, players_pb2.RefreshTokenRequest(), None))
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()

    async def call(self, method: Any, request: Any, timeout_s: float | None = None) -> Any:
        """Make a unary call, again and again while nobody knows. ApiError of the kind that the status says."""
        await self.metadata()
        return await self._call(method, request, timeout_s)

    async def sign_in(self, method: Any, request: Any) -> players_pb2.Player:
        """Sign in, as `call` does. A token from before isn't shown: it may be the reason to sign in anew."""
        return self.signed_in(await self._call(method, request, None, token=""))

    async def _call(self, method: Any, request: Any, timeout_s: float | None, *, token: str | None = None) -> Any:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + (timeout_s or self.timeout_s)
        shown = self._token if token is None else token
        metadata: tuple[tuple[str, str], ...] = (("authorization", f"Bearer {shown}"),) if shown else ()
        if trace := traceparent():
            metadata = (*metadata, ("traceparent", trace))
        tries = 0
        while True:
            tries += 1
            try:
                return await method(request, timeout=max(0.001, deadline - loop.time()), metadata=metadata)
            except grpc.aio.AioRpcError as failed:
                error = from_call(failed)
            pause = pause_s(tries, error.retry_after_s)
            if not (isinstance(error, Unavailable) or is_soon(error)) or loop.time() + pause >= deadline:
                raise error
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Close the channel, if it is ours."""
        if self._owned:
            await self.channel.close()


def credentials_of(ca_file: str | PathLike[str]) -> grpc.ChannelCredentials:
    """TLS with this authority (PEM) and no other."""
    return grpc.ssl_channel_credentials(Path(ca_file).read_bytes())


def open_channel(target: str, credentials: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
    """A channel to an address."""
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=OPTIONS)
    return grpc.aio.secure_channel(target, credentials, options=OPTIONS)


def is_soon(error: ApiError) -> bool:
    """True where the server has refused for a moment only, and says for how long: nothing was done."""
    return isinstance(error, TooMuch) and error.retry_after_s is not None and 0 < error.retry_after_s <= MOST_S


def is_temporary(error: ApiError) -> bool:
    """True where a stream that ended so is opened again at the next number."""
    return isinstance(error, Unavailable) or error.reason == "SLOW_READER"
