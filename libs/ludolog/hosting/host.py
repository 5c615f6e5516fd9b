"""What a service is given."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable
from typing import TYPE_CHECKING, Any

import grpc

from ludolog.eventlog.port import EventLog
from ludolog.hosting import names
from ludolog.hosting.callers import BELIEVED, Foreign
from ludolog.hosting.canary import Call, Canary
from ludolog.hosting.clock import Clock
from ludolog.hosting.directory import Directory
from ludolog.hosting.guard import Guard
from ludolog.hosting.identity import Keyring
from ludolog.hosting.limits import Admission, Limiter
from ludolog.hosting.local import LocalServer
from ludolog.hosting.metrics import Metrics
from ludolog.hosting.router import EngineRouter
from ludolog.hosting.secret import read_or_make
from ludolog.hosting.settings import Settings, variable
from ludolog.hosting.tracing import Tracing
from ludolog.hosting.transport import INTERNAL_REQUEST_BYTES
from ludolog.rulebooks import catalogue
from ludolog.sessions.port import SessionCache

if TYPE_CHECKING:
    from ludolog.hosting.platform import Platform

logger = logging.getLogger("ludolog.hosting")
Drain = Callable[[], Awaitable[None]]
INSTANCE_CHARACTERS = 8


class Host:
    """One service in one process. Embedded services share log, cache, keys, clock, metrics and health."""

    def __init__(self, platform: Platform, name: str, settings: Settings) -> None:
        self.name = name
        self.instance = f"{name}-{names.new_id('i')[2 : 2 + INSTANCE_CHARACTERS]}"
        self.settings = settings
        self.clock: Clock = platform.clock
        self.cache: SessionCache = platform.measured_cache
        self.metrics: Metrics = platform.metrics
        self.keys: Keyring = platform.keys
        self.tracing: Tracing = platform.tracing
        self.address = ""
        """Where other services reach this instance; known before `bind` is called."""
        inside = Guard(name, self.keys, self.metrics, settings, public=False)
        self.server = LocalServer(self.tracing.wrap(inside.wrap, begins=False), request_bytes=INTERNAL_REQUEST_BYTES)
        outside = Guard(name, self.keys, self.metrics, settings, public=True)
        self.public_server = LocalServer(
            self.tracing.wrap(outside.wrap, begins=True), request_bytes=settings.request_bytes
        )
        """What clients reach (gateway)."""
        self.limiter = Limiter(self.cache, self.clock, self.spawn, shared=not settings.embedded)
        self.admission = outside.admission = Admission(settings, self.limiter)
        """What clients may ask of this process at all."""
        self._outside = outside
        self._streams = inside.streams, outside.streams
        self._platform = platform
        self._tasks: set[asyncio.Task[Any]] = set()
        self._drains: list[Drain] = []
        self._closes: list[Drain] = []
        self._routers: dict[str, EngineRouter] = {}
        self._directory: Directory | None = None

    @property
    def key(self) -> str:
        """Name of this host in its process: engines are told apart by their rulebook."""
        return f"{self.name}/{self.settings.rulebook}" if self.settings.rulebook else self.name

    @property
    def log(self) -> EventLog:
        """The event log. RuntimeError for a service that was started without one."""
        if self._platform.measured_log is None:
            raise RuntimeError(f"{self.name} was started without a log")
        return self._platform.measured_log

    def opened(self, field: str, port: int) -> None:
        """Note a port that the service has opened itself, by the field of the settings."""
        self._platform.ports[field] = port

    def watch_queue(self, call: Call) -> None:
        """Let nobody in while calls from outside wait too long; `call` goes the way that they go."""
        canary = Canary(call)
        self.admission.wait_s = lambda: canary.wait_s
        gauge = self.metrics.gauge("ludolog_call_wait_seconds", "Seconds that calls from outside wait in line.")
        gauge.set_function(lambda: canary.wait_s)
        _ = self.spawn("canary", canary.fly(self.settings.busy_wait_ms / 1000))

    def accept(self, foreign: Foreign) -> None:
        """Take tokens that aren't ours on the public server, if `foreign` tells who they stand for."""
        self._outside.callers.foreign = foreign

    def end_streams(self, player_ids: Collection[str]) -> None:
        """End the open streams of players who aren't here any more."""
        for streams in self._streams:
            streams.end_of(player_ids)

    # ---- other services

    def channel(self, service: str, *, on_behalf: bool = False) -> grpc.aio.Channel:
        """A channel to "rng", "matchmaking", "spectator", "replay", "players" (the directory of names) or "gateway".

        Calls carry this service's token. With `on_behalf` they are somebody else's, who is named by the authorization
        that each call brings, or by none. "gateway" is the public port, where services have no business: only the web
        service says there that it hands on.
        """
        sender = "" if service == "gateway" and self.name not in BELIEVED else self.name
        return self._platform.channel(service, sender, on_behalf=on_behalf)

    def engines(self, rulebook: str) -> EngineRouter:
        """The engines of a rulebook. A call that brings its own authorization is handed on, others are the host's."""
        router = self._routers.get(rulebook)
        if router is None:
            # Matchmaking's owners publish themselves as engines do.
            service = "engine" if rulebook in catalogue.names() else rulebook
            router = self._routers[rulebook] = EngineRouter(
                rulebook,
                partitions=self.settings.topic_partitions,
                cache=self.cache,
                clock=self.clock,
                connect=lambda address: self._platform.connect(address, self.name, service=service),
                fallback=lambda: self._platform.engine_addresses(rulebook),
                timeout_s=self.settings.call_timeout_s,
            )
        return router

    async def player_names(self, player_ids: Iterable[str]) -> dict[str, str]:
        """Display names of players, id → name. Left out: unknown, deleted, and all that nobody answers for."""
        if self._directory is None:
            self._directory = self._platform.directory(self.name)
            _ = self.spawn("names", self._directory.listen(self.cache))
        return await self._directory.names(player_ids)

    def sign_token(self, player_id: str, *, name: str = "", roles: Iterable[str] = (), ttl_s: float) -> str:
        """Make a player's token."""
        return self.keys.sign(player_id, name=name, roles=roles, ttl_s=ttl_s)

    def house_secret(self) -> str:
        """The secret that house players sign in with: gateway and bots share it.

        Never log it. LookupError where none is set.
        """
        if self.settings.house_secret_file is not None:
            return self.settings.house_secret_file.read_text().strip()
        if not self.settings.embedded:
            raise LookupError(f"{variable('house_secret_file')} isn't set")
        made = read_or_make(self.settings.data / "house.secret", lambda: secrets.token_hex(32).encode())
        return made.decode().strip()

    # ---- life

    def spawn(self, name: str, coro: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a task for as long as the host lives.

        If it raises, that is logged and the process ends: half a service is none.
        """
        task = asyncio.get_running_loop().create_task(coro, name=f"{self.key}:{name}")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        logger.critical("%s failed: the process ends", task.get_name(), exc_info=error)
        self.serving(task.get_name(), ok=False, why="failed")
        self._platform.fail(error)

    def serving(self, part: str, ok: bool, why: str = "") -> None:  # noqa: FBT001 - reads as "this part serves: yes or no"
        """Say how a part of the service does; the process is SERVING only while every part is ok."""
        self._platform.health.set(f"{self.key}:{part}", ok, why)

    def on_drain(self, callback: Drain) -> None:
        """Have something awaited when the process is told to stop, before its servers stop; in the order of calls."""
        self._drains.append(callback)

    def on_close(self, callback: Drain) -> None:
        """Have something awaited at the very end, when no call and no task of the host is left; the last one first."""
        self._closes.append(callback)

    async def drain(self) -> None:
        """Run what `on_drain` noted, then end the open streams. A callback that fails keeps no other from running."""
        while self._drains:
            callback = self._drains.pop(0)
            try:
                await callback()
            except Exception:
                logger.exception("%s: draining failed", self.key)
        for streams in self._streams:
            streams.drain()

    async def close(self) -> None:
        """End the tasks."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        while self._closes:
            await self._closes.pop()()
