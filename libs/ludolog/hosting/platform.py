"""What a process has: log, cache, keys, clock, ports; and the hosts of the services that run in it.

`create` apart from `serve`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self

import grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from ludolog.eventlog.port import EventLog
from ludolog.hosting import backends, canary, transport, vitals
from ludolog.hosting.channels import EquippedChannel
from ludolog.hosting.clock import Clock, SystemClock
from ludolog.hosting.directory import Directory
from ludolog.hosting.health import Health
from ludolog.hosting.host import Host
from ludolog.hosting.identity import Keyring, ServiceTokens, load_keyring
from ludolog.hosting.local import LocalChannel, LocalServer
from ludolog.hosting.measured import MeasuredCache, MeasuredLog
from ludolog.hosting.metrics import Metrics
from ludolog.hosting.settings import Settings
from ludolog.hosting.tracing import Tracing
from ludolog.sessions.port import CacheUnavailable, SessionCache

logger = logging.getLogger("ludolog.hosting")
Bind = Callable[[Host], Awaitable[None]]
LOCAL = "local:"


@dataclass(frozen=True)
class Service:
    """A service to run: its name, what binds it to a host, and for an engine its rulebook.

    `log`: it needs the event log.
    """

    name: str
    bind: Bind
    rulebook: str = ""
    log: bool = True


class Platform:
    """One process. Make it with `Platform.create`; `add` services, `open` the ports, `close` in the end."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock,
        log: EventLog | None,
        cache: SessionCache,
        keys: Keyring,
        metrics: Metrics,
        tracing: Tracing | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.log = log
        self.cache = cache
        self.keys = keys
        self.metrics = metrics
        self.tracing = tracing or Tracing()
        self.health = Health()
        self.measured_log = MeasuredLog(log, metrics) if log is not None else None
        self.measured_cache = MeasuredCache(cache, metrics)
        vitals.show(metrics, self.health)
        self.hosts: dict[str, Host] = {}
        self.ports: dict[str, int] = {}
        """Ports that are open, by the field of the settings."""
        self.failed: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        self._channels: dict[tuple[str, str], grpc.aio.Channel] = {}
        self._directories: dict[str, Directory] = {}
        self._servers: list[grpc.aio.Server] = []
        self._closers: list[Callable[[], None]] = []
        self._back_doors = contextlib.AsyncExitStack()
        self._closed = False
        self._loop_watch: asyncio.Task[None] | None = None

    @classmethod
    async def create(
        cls,
        settings: Settings,
        *,
        clock: Clock | None = None,
        log: EventLog | None = None,
        cache: SessionCache | None = None,
        needs_log: bool = True,
        tracing: Tracing | None = None,
    ) -> Platform:
        """Open log, cache and keys as the settings say; what is handed in is used instead (and closed in the end)."""
        clock = clock or SystemClock()
        key_file = settings.identity_key_file or settings.data / "identity.pem"
        if log is None and needs_log:
            log = await backends.open_log(settings)
        keys = load_keyring(key_file, clock, trusted=settings.trusted_keys, embedded=settings.embedded)
        cache = cache or await backends.open_cache(settings)
        tracing = tracing or Tracing.to(settings.otlp_endpoint, "ludolog")
        return cls(settings, clock=clock, log=log, cache=cache, keys=keys, metrics=Metrics(), tracing=tracing)

    # ---- services

    async def add(self, service: Service) -> Host:
        """Make a service's host, open its internal port (cluster), and bind it.

        ValueError where the own key isn't trusted as the service's: nobody would take its tokens.
        """
        settings = self.settings
        if not settings.embedded and not self.keys.may_sign_for(service.name):
            raise ValueError(
                f"the public half of {settings.identity_key_file} isn't in {settings.trusted_keys} as "
                f"{service.name}.pub or {service.name}.ANYTHING.pub"
            )
        if service.rulebook:
            settings = dataclasses.replace(settings, rulebook=service.rulebook)
        host = Host(self, service.name, settings)
        if host.key in self.hosts:
            raise ValueError(f"{host.key} runs here already")
        self.hosts[host.key] = host
        host.serving("start", ok=False, why="starting")
        host.server.complete = False
        if settings.embedded:
            host.address = LOCAL + host.key
        else:
            port = await self._listen(host.server, "port", public=False)
            host.address = settings.advertise or f"{settings.host}:{port}"
        await service.bind(host)
        host.server.complete = True
        if host.public_server.services:
            await self._listen(host.public_server, "gateway_port", public=True, watched_by=host)
        host.serving("start", ok=True)
        return host

    async def _listen(self, local: LocalServer, field: str, *, public: bool, watched_by: Host | None = None) -> int:
        server = transport.make_server(self.settings, public=public)
        port = self.ports[field] = transport.open_port(server, self.settings, field, public=public)
        if watched_by is not None:
            watched_by.watch_queue(await self._back_doors.enter_async_context(canary.back_door(server)))
        health_pb2_grpc.add_HealthServicer_to_server(self.health, local)
        # The list is the server's own: services that register later are found too.
        reflection.enable_server_reflection(local.services, local)
        server.add_generic_rpc_handlers((local.generic_handler(),))
        await server.start()
        self._servers.append(server)
        return port

    def open_metrics(self) -> None:
        """Serve the metrics over HTTP, if a port is set. PortTaken names the variable."""
        if not self.settings.metrics_port:
            return
        try:
            server, thread = start_http_server(self.settings.metrics_port, self.settings.host, self.metrics.registry)
        except OSError:
            raise transport.PortTaken(transport.taken(self.settings, "metrics_port")) from None
        self._closers += [server.shutdown, server.server_close, thread.join]
        self._loop_watch = asyncio.get_running_loop().create_task(vitals.watch_loop(self.metrics))

    async def open_health(self) -> None:
        """Serve health alone, without TLS, if a port is set: for probes. PortTaken names the variable."""
        if not self.settings.health_port:
            return
        server = grpc.aio.server()
        health_pb2_grpc.add_HealthServicer_to_server(self.health, server)
        plain = dataclasses.replace(self.settings, tls_public_cert_file=None)
        self.ports["health_port"] = transport.open_port(server, plain, "health_port", public=True)
        await server.start()
        self._servers.append(server)

    # ---- channels

    def channel(self, service: str, sender: str = "", *, on_behalf: bool = False) -> grpc.aio.Channel:
        """A channel to a service; its calls carry the token of `sender`, if one is named.

        `on_behalf`: they are somebody else's, and `sender` hands them on.
        """
        if not self.settings.embedded:
            return self.connect(self.settings.address_of(service), sender, service=service, on_behalf=on_behalf)

        def make() -> grpc.aio.Channel:
            return LocalChannel(lambda: self._local(service))

        return self._equipped(("service", service), make, sender, on_behalf=on_behalf)

    def connect(
        self, address: str, sender: str = "", *, service: str = "engine", on_behalf: bool = False
    ) -> grpc.aio.Channel:
        """A channel to an address of `service`, as published by an owner. The same for the same address."""
        if address.startswith(LOCAL):
            key = address.removeprefix(LOCAL)
            return self._equipped(
                (address, key), lambda: LocalChannel(lambda: self._server_of(key)), sender, on_behalf=on_behalf
            )

        def make() -> grpc.aio.Channel:
            return transport.open_channel(address, self.settings, service)

        return self._equipped((address, service), make, sender, on_behalf=on_behalf)

    def _equipped(
        self, key: tuple[str, str], make: Callable[[], grpc.aio.Channel], sender: str, *, on_behalf: bool = False
    ) -> grpc.aio.Channel:
        if key not in self._channels:
            self._channels[key] = self.tracing.channel(make())
        if not sender:
            return self._channels[key]
        equipped = (":".join(key), f"{'by' if on_behalf else 'for'} {sender}")
        if equipped not in self._channels:
            token = ServiceTokens(self.keys, sender, self.clock)
            self._channels[equipped] = EquippedChannel(
                self._channels[key], token.header, self.settings.call_timeout_s, on_behalf=on_behalf
            )
        return self._channels[equipped]

    def _local(self, service: str) -> LocalServer | None:
        if service == "gateway":
            host = self.hosts.get("gateway")
            return host.public_server if host else None
        return self._server_of("gateway" if service == "players" else service)

    def _server_of(self, key: str) -> LocalServer | None:
        host = self.hosts.get(key)
        return host.server if host else None

    def engine_addresses(self, rulebook: str) -> Sequence[str]:
        """Engines to ask while the cache doesn't say who owns a partition."""
        if self.settings.embedded:
            return [LOCAL + f"engine/{rulebook}"]
        return dict(self.settings.engines).get(rulebook, ())

    def directory(self, sender: str) -> Directory:
        """The names of players, as `sender` asks for them."""
        if sender not in self._directories:
            self._directories[sender] = Directory(self.channel("players", sender), self.clock)
        return self._directories[sender]

    # ---- the end

    def fail(self, error: BaseException) -> None:
        """End the process because of an error."""
        if not self.failed.done():
            self.failed.set_result(error)

    async def close(self, grace_s: float | None = None) -> None:
        """Not serving; drain; stop the servers within `grace_s` (by default the settings'); let go of everything."""
        if self._closed:
            return
        self._closed = True
        grace = self.settings.drain_s if grace_s is None else grace_s
        self.health.drain()
        for host in reversed(self.hosts.values()):
            await host.drain()
        stops = [server.stop(grace) for server in self._servers]
        stops += [server.stop(grace) for host in self.hosts.values() for server in (host.server, host.public_server)]
        await asyncio.gather(*stops)
        for host in reversed(self.hosts.values()):
            await host.close()
        await self._back_doors.aclose()
        for channel in reversed(self._channels.values()):
            await channel.close()
        if self._loop_watch is not None:
            self._loop_watch.cancel()
        await self.tracing.close()
        for close in self._closers:
            await asyncio.to_thread(close)
        with contextlib.suppress(CacheUnavailable):
            await self.cache.close()
        if self.log is not None:
            await self.log.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close(0)
