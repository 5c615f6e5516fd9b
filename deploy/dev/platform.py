"""The platform's own processes on one machine: one for each service, on real Kafka, Redis and PostgreSQL.

`make cluster` and the tests that kill processes use this.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.dev.certificates import Certificates, settings_of
from deploy.dev.keys import Keys
from deploy.dev.process import LOCALHOST, Server, stop_together
from ludolog.hosting.callers import certified_name
from ludolog.rulebooks import catalogue

HEALTH_TIMEOUT_S = 1.0
ALERTS = Path(__file__).resolve().parents[1] / "prometheus" / "alerts.yml"
SESSION_S = "2"
"""A crashed engine is taken over after so long. Our own broker allows it (servers.py)."""


@dataclass(frozen=True)
class Externals:
    """Where the servers of others are."""

    kafka_bootstrap: str
    redis_url: str
    sql_url: str


class ServiceProcess(Server):
    """One process of a service. It answers when its health check says SERVING."""

    start_timeout_s = 120.0

    def __init__(
        self,
        folder: Path,
        service: str,
        settings: Mapping[str, str],
        *,
        outlive_us: bool,
        public: tuple[str, ...] = (),
        certificates: Certificates | None = None,
    ) -> None:
        """`public`: further ports, by the names of their settings, for example "gateway_port"."""
        super().__init__(folder, outlive_us=outlive_us)
        self.name = folder.name
        self.service = service
        self.port_names = ("port", "metrics_port", *public)
        self._certificates = certificates
        self._settings = {**settings, **settings_of(certificates, service)}

    @property
    def address(self) -> str:
        """Where other services reach it."""
        return f"{LOCALHOST}:{self.port}"

    def prepare(self) -> None:
        """Nothing to prepare."""

    def command(self) -> list[str]:
        """The service's module."""
        return [sys.executable, "-m", f"services.{self.service}"]

    def environment(self) -> dict[str, str]:
        """The service's settings, and nothing of the platform's from our own environment."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("LUDOLOG_")}
        ports = {f"LUDOLOG_{name.upper()}": str(port) for name, port in self.ports.items()}
        return {**ours, **self._settings, **ports}

    def tell(self, settings: Mapping[str, str]) -> None:
        """Add settings, before it is started."""
        self._settings.update(settings)

    def channel(self) -> grpc.Channel:
        """A channel to its port between services; with certificates it shows an operator's."""
        if self._certificates is None:
            return grpc.insecure_channel(self.address)
        options = (("grpc.ssl_target_name_override", certified_name(self.service)),)
        return grpc.secure_channel(self.address, self._certificates.credentials(), options)

    def is_ready(self) -> bool:
        """Whether the health service says SERVING."""
        with self.channel() as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            try:
                answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=HEALTH_TIMEOUT_S)
            except grpc.RpcError:
                return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


class Cluster:
    """All processes of the platform. The folder keeps keys, ports and logs: a second object finds them again."""

    process_type = ServiceProcess

    def __init__(  # noqa: PLR0913 - what it is made of, each thing by name
        self,
        folder: Path,
        externals: Externals,
        *,
        engines: int = 2,
        gateways: int = 1,
        spectators: int = 1,
        rulebooks: Sequence[str] | None = None,
        settings: Mapping[str, str] | None = None,
        outlive_us: bool = False,
        certificates: Certificates | None = None,
    ) -> None:
        """`engines` for each of the rulebooks (None: all); `settings`: variables for every process, first of all.

        `certificates`: everything runs with TLS.
        """
        self.folder = folder
        self._outlive_us = outlive_us
        self.certificates = certificates
        self._rulebooks = tuple(rulebooks or catalogue.names())
        self.keys = Keys(folder / "keys")
        self._base = {
            "LUDOLOG_MODE": "cluster",
            "LUDOLOG_KAFKA_BOOTSTRAP": externals.kafka_bootstrap,
            "LUDOLOG_KAFKA_REPLICATION": "1",
            "LUDOLOG_KAFKA_SESSION_S": SESSION_S,
            "LUDOLOG_REDIS_URL": externals.redis_url,
            "LUDOLOG_SQL_URL": externals.sql_url,
        }
        self._settings = dict(settings or {})
        self.rng = self._process("rng", "rng")
        self.replay = self._process("replay", "replay")
        self.spectators = [self._process(name, "spectator") for name in _names("spectator", spectators)]
        self.matchmaking = self._process("matchmaking", "matchmaking")
        self.gateways = [
            self._process(name, "gateway", public=("gateway_port",)) for name in _names("gateway", gateways)
        ]
        self.engines = [
            self._process(f"engine-{number}-{rulebook}", "engine", rulebook=rulebook)
            for rulebook in self._rulebooks
            for number in range(1, engines + 1)
        ]
        self.bots = self._process("bots", "bots")
        self.web = self._process("web", "web", public=("web_port",))
        self._address_book()

    def _process(self, name: str, service: str, *, rulebook: str = "", public: tuple[str, ...] = ()) -> ServiceProcess:
        settings = {**self._base, **self.keys.settings(service), **self._settings}
        if rulebook:
            settings["LUDOLOG_RULEBOOK"] = rulebook
        return self.process_type(
            self.folder / name,
            service,
            settings,
            outlive_us=self._outlive_us,
            public=public,
            certificates=self.certificates,
        )

    def _address_book(self) -> None:
        """Tell every process where the others are. Ports are chosen here, before anything runs."""
        engines = ";".join(
            f"{rulebook}=" + ",".join(e.address for e in self.engines if e.name.endswith(f"-{rulebook}"))
            for rulebook in self._rulebooks
        )
        book = {
            "LUDOLOG_GATEWAY_ADDRESS": self.gateway_address,
            "LUDOLOG_PLAYERS_ADDRESS": _target([gateway.address for gateway in self.gateways]),
            "LUDOLOG_MATCHMAKING_ADDRESS": self.matchmaking.address,
            "LUDOLOG_RNG_ADDRESS": self.rng.address,
            "LUDOLOG_SPECTATOR_ADDRESS": _target([spectator.address for spectator in self.spectators]),
            "LUDOLOG_REPLAY_ADDRESS": self.replay.address,
            "LUDOLOG_ENGINES": engines,
        }
        for process in self.processes:
            process.tell(book)

    @property
    def gateway_address(self) -> str:
        """The public gRPC address, of all gateways."""
        return _target(self.gateway_addresses)

    @property
    def gateway_addresses(self) -> list[str]:
        """The public gRPC address of each gateway."""
        return [f"{LOCALHOST}:{gateway.ports['gateway_port']}" for gateway in self.gateways]

    @property
    def web_address(self) -> str:
        """The page."""
        scheme = "http" if self.certificates is None else "https"
        return f"{scheme}://{LOCALHOST}:{self.web.ports['web_port']}"

    @property
    def processes(self) -> tuple[ServiceProcess, ...]:
        """All of them, in the order in which they are started."""
        return (
            self.rng,
            self.replay,
            *self.spectators,
            self.matchmaking,
            *self.engines,
            *self.gateways,
            self.bots,
            self.web,
        )

    def prometheus_configuration(self) -> dict[str, Any]:
        """What Prometheus needs to scrape every process, labelled with its service and its name; and the alerts."""
        scrapes = [
            {
                "job_name": process.name,
                "static_configs": [
                    {
                        "targets": [f"{LOCALHOST}:{process.ports['metrics_port']}"],
                        "labels": {"service": process.service},
                    }
                ],
            }
            for process in self.processes
        ]
        return {"global": {"scrape_interval": "1s"}, "rule_files": [str(ALERTS)], "scrape_configs": scrapes}

    def up(self) -> None:
        """Make the keys if they aren't there, then start what doesn't run. Raises StartFailed."""
        self.keys.make()
        if self.certificates is not None:
            self.certificates.make()
        for process in self.processes:
            process.launch()
        for process in self.processes:
            process.wait_until_ready()

    def down(self) -> None:
        """Stop what runs, clients first; those that don't need each other to end go together."""
        inside = (self.replay, *self.spectators, self.matchmaking, *self.engines)
        for together in ((self.bots, self.web), self.gateways, inside, (self.rng,)):
            stop_together(together)

    def __enter__(self) -> Self:
        """Start it."""
        self.up()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop it."""
        self.down()


def _names(service: str, count: int) -> list[str]:
    """The first keeps the service's name."""
    return [service, *(f"{service}-{number}" for number in range(2, count + 1))]


def _target(addresses: Sequence[str]) -> str:
    """A gRPC target of one address or several."""
    return addresses[0] if len(addresses) == 1 else f"ipv4:///{','.join(addresses)}"
