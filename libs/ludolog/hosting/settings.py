"""Everything that an operator sets, from the environment. docs/operate.md shows this table; a test compares the two."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any

from ludolog.hosting import values

PREFIX = "LUDOLOG_"
MODES = ("embedded", "cluster")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
KAFKA_SECURITY = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
KAFKA_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


class BadSettings(Exception):
    """One or more settings can't be used; `problems` has one line each, naming the variable."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _setting(default: str, kind: str, meaning: str, parse: values.Parser, *, secret: bool = False) -> Any:
    metadata = {"default": default, "kind": kind, "meaning": meaning, "parse": parse, "secret": secret}
    return dataclasses.field(default=parse(default), metadata=metadata, repr=not secret)


# ruff: noqa: RUF009 - a default is the default's text, parsed as the environment is


@dataclass(frozen=True)
class Settings:
    """One field for each variable: `data` is LUDOLOG_DATA. Immutable; tests make their own with `Settings(data=…)`."""

    mode: str = _setting(
        "embedded",
        "embedded, cluster",
        "One process without servers, or one process per service on Kafka, Redis and SQL.",
        values.one_of(*MODES),
    )
    data: Path = _setting(".ludolog", "folder", "Where an embedded platform keeps log, archive and keys.", Path)
    log_level: str = _setting(
        "INFO", ", ".join(LEVELS), "Least important lines that are logged.", values.one_of(*LEVELS)
    )
    content_dir: Path | None = _setting(
        "", "folder", "Content that replaces the printed one: <folder>/<rulebook>/<file>.", values.path
    )
    rulebook: str = _setting("", "name", "The rulebook that an engine plays (cluster).", values.text)

    host: str = _setting("127.0.0.1", "address", "Where ports are opened; 0.0.0.0 for everywhere.", values.text)
    port: int = _setting("0", "port", "gRPC between services (cluster); 0: any free one.", values.whole(0, 65535))
    gateway_port: int = _setting(
        "7400", "port", "The public gRPC port (gateway); 0: any free one.", values.whole(0, 65535)
    )
    web_port: int = _setting("7480", "port", "The page's HTTP port (web); 0: any free one.", values.whole(0, 65535))
    metrics_port: int = _setting("0", "port", "Prometheus metrics over HTTP; 0: none.", values.whole(0, 65535))
    health_port: int = _setting(
        "0", "port", "gRPC health and nothing else, without TLS, for probes; 0: none.", values.whole(0, 65535)
    )
    advertise: str = _setting(
        "", "HOST:PORT", "Where other services reach this instance; empty: where it listens.", values.address
    )

    gateway_address: str = _setting(
        "127.0.0.1:7400", "gRPC target", "The gateway's public port, for bots and web.", values.address
    )
    players_address: str = _setting(
        "", "gRPC target", "The gateway's internal port, for the names of players.", values.address
    )
    matchmaking_address: str = _setting("", "gRPC target", "Matchmaking.", values.address)
    rng_address: str = _setting("", "gRPC target", "Rng.", values.address)
    spectator_address: str = _setting("", "gRPC target", "Spectator.", values.address)
    replay_address: str = _setting("", "gRPC target", "Replay.", values.address)
    engines: tuple[tuple[str, tuple[str, ...]], ...] = _setting(
        "", "RULEBOOK=TARGET,…;…", "Engines to ask while the cache doesn't say who owns a partition.", values.engines
    )

    kafka_bootstrap: tuple[str, ...] = _setting("", "HOST:PORT,…", "Kafka brokers (cluster).", values.addresses)
    kafka_replication: int = _setting(
        "3",
        "1–9",
        "Replicas of each topic. 1 is for development: acknowledged commands can be lost.",
        values.whole(1, 9),
    )
    kafka_session_s: float = _setting(
        "6",
        "seconds",
        "An instance that is silent for so long loses its partitions. Below 6: see group.min.session.timeout.ms.",
        values.seconds(0.5, 60),
    )
    partitions: int = _setting(
        "0",
        "0–1024",
        "Partitions of a new topic; 0: 64 on Kafka, 8 embedded. Never changes afterwards.",
        values.whole(0, 1024),
    )
    kafka_security: str = _setting(
        "PLAINTEXT", ", ".join(KAFKA_SECURITY), "How brokers are reached.", values.one_of(*KAFKA_SECURITY)
    )
    kafka_ca_file: Path | None = _setting(
        "", "file", "The authority of the brokers' certificates (PEM); empty: the system's.", values.path
    )
    kafka_cert_file: Path | None = _setting(
        "", "file", "Our certificate for the brokers (PEM), if they ask.", values.path
    )
    kafka_key_file: Path | None = _setting("", "file", "Its private key (PEM).", values.path)
    kafka_mechanism: str = _setting(
        "SCRAM-SHA-512",
        ", ".join(KAFKA_MECHANISMS),
        "How we sign in at brokers (SASL).",
        values.one_of(*KAFKA_MECHANISMS),
    )
    kafka_user: str = _setting("", "name", "Whom we sign in as (SASL).", values.text)
    kafka_password_file: Path | None = _setting("", "file", "With which password (SASL).", values.path)
    redis_url: str = _setting(
        "", "redis://…", "The cache (cluster).", values.url("redis", "rediss", "unix"), secret=True
    )
    redis_url_file: Path | None = _setting(
        "", "file", "A file that holds LUDOLOG_REDIS_URL, for one with a password.", values.path
    )
    sql_url: str = _setting(
        "",
        "postgresql://…",
        "Archive, ratings and accounts (cluster).",
        values.url("postgresql", "postgresql+psycopg", "sqlite"),
        secret=True,
    )
    sql_url_file: Path | None = _setting(
        "", "file", "A file that holds LUDOLOG_SQL_URL, for one with a password.", values.path
    )
    otlp_endpoint: str = _setting(
        "", "URL", "Where traces are sent (OTLP over gRPC); empty: no tracing.", values.url("http", "https")
    )

    identity_key_file: Path | None = _setting(
        "",
        "file",
        "This service's own Ed25519 private key (PEM), which it signs with; embedded: made in the data folder.",
        values.path,
    )
    trusted_keys: Path | None = _setting(
        "",
        "folder",
        "Public keys (PEM), SIGNER.pub or SIGNER.ANYTHING.pub: each is good for its signer, and for nothing else.",
        values.path,
    )
    oidc_issuer: str = _setting(
        "", "URL", "An OpenID Connect issuer whose tokens the gateway takes; empty: none.", values.url("https", "http")
    )
    oidc_audience: str = _setting("", "name", "The audience that its tokens have to be for.", values.text)
    oidc_jwks: str = _setting(
        "", "https://… or file", "Where its keys are (JWKS); http on this machine only.", values.jwks
    )
    house_secret_file: Path | None = _setting(
        "", "file", "The secret that bots sign in with; embedded: made in the data folder.", values.path
    )
    rng_key_files: tuple[Path, ...] = _setting(
        "",
        "file,…",
        "Master keys of the seeds (rng), the newest first; embedded: made in the data folder.",
        values.paths,
    )

    tls_cert_file: Path | None = _setting(
        "",
        "file",
        "This service's certificate (PEM), for SERVICE.ludolog.internal; cluster: TLS on every port.",
        values.path,
    )
    tls_key_file: Path | None = _setting("", "file", "Its private key (PEM).", values.path)
    tls_ca_file: Path | None = _setting(
        "", "file", "The authority of the services' certificates (PEM): services let in nobody else.", values.path
    )
    tls_public_cert_file: Path | None = _setting(
        "", "file", "Certificate (PEM) of the public ports: the gateway's gRPC, the page.", values.path
    )
    tls_public_key_file: Path | None = _setting("", "file", "Its private key (PEM).", values.path)
    tls_public_ca_file: Path | None = _setting(
        "", "file", "The authority that bots and web check the gateway's certificate with; empty: no TLS.", values.path
    )
    tls_public_name: str = _setting(
        "", "name", "Name that they check it for; empty: the host of LUDOLOG_GATEWAY_ADDRESS.", values.text
    )
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = _setting(
        "", "network,…", "Proxies whose X-Forwarded-For is believed (gateway, web).", values.networks
    )

    call_timeout_s: float = _setting("10", "seconds", "Deadline of a call that brings none.", values.seconds(0.1, 600))
    drain_s: float = _setting("10", "seconds", "What open calls get to finish after SIGTERM.", values.seconds(0, 600))
    stream_age_s: float = _setting(
        "3600",
        "seconds",
        "Oldest a stream gets; then it ends with UNAVAILABLE and is resumed.",
        values.seconds(1, 86400),
    )
    request_bytes: int = _setting("65536", "bytes", "Largest request.", values.whole(1024, 16 << 20))
    open_calls: int = _setting(
        "20000",
        "count",
        "Open calls of a process; more are refused with RESOURCE_EXHAUSTED.",
        values.whole(1, 10_000_000),
    )
    busy_calls: int = _setting(
        "256",
        "count",
        "Unary calls from outside that a process handles at once; more are refused with RESOURCE_EXHAUSTED.",
        values.whole(1, 1_000_000),
    )
    busy_wait_ms: int = _setting(
        "1000",
        "ms",
        "How long calls from outside may wait in line for a process; while it is more, they are refused with "
        "RESOURCE_EXHAUSTED.",
        values.whole(1, 600_000),
    )
    player_calls_per_second: int = _setting(
        "100",
        "count",
        "Calls and commands of one player, four seconds' worth at once; 0: no limit.",
        values.whole(0, 1_000_000),
    )
    address_calls_per_second: int = _setting(
        "2000", "count", "Calls from one address, likewise; 0: no limit.", values.whole(0, 1_000_000)
    )
    player_streams: int = _setting(
        "64", "count", "Open streams of one player on a gateway; 0: no limit.", values.whole(0, 1_000_000)
    )
    address_streams: int = _setting(
        "4000", "count", "Open streams from one address on a gateway; 0: no limit.", values.whole(0, 1_000_000)
    )
    client_queue: int = _setting(
        "256", "count", "Updates that wait for one slow reader before its stream is ended.", values.whole(4, 65536)
    )
    token_ttl_s: float = _setting(
        "604800", "seconds", "How long a player's token is good.", values.seconds(60, 31_536_000)
    )
    sign_ins_per_minute: int = _setting(
        "60", "count", "New guests from one address; 0: no limit.", values.whole(0, 1_000_000)
    )
    tables_per_minute: int = _setting(
        "30", "count", "New tables and tickets of one player; 0: no limit.", values.whole(0, 1_000_000)
    )
    queue_fill_s: float = _setting(
        "10", "seconds", "How long a queued player waits before house players fill the match.", values.seconds(0, 86400)
    )
    table_idle_s: float = _setting(
        "86400",
        "seconds",
        "A table that hasn't started is closed after so long without a change.",
        values.seconds(60, 2_592_000),
    )
    idle_unload_s: float = _setting(
        "300", "seconds", "How long a match without a command stays in an engine's memory.", values.seconds(1, 86400)
    )
    bots: int = _setting(
        "10",
        "count",
        "House players that a bots process signs in; 0: queues aren't filled either.",
        values.whole(0, 1000),
    )
    bots_first: int = _setting(
        "1",
        "number",
        "Number of its first house player; no two bots processes share a number.",
        values.whole(1, 1_000_000),
    )
    bot_seats: int = _setting("500", "count", "Seats that a bots process plays at once.", values.whole(1, 100_000))
    bot_delay_ms: int = _setting(
        "300", "ms", "How long a house player thinks before a command.", values.whole(0, 60_000)
    )

    @property
    def embedded(self) -> bool:
        """One process without servers."""
        return self.mode == "embedded"

    @property
    def topic_partitions(self) -> int:
        """Partitions of a new topic."""
        return self.partitions or (8 if self.embedded else 64)

    def address_of(self, service: str) -> str:
        """Where a service is reached in a cluster. LookupError for none such, or one that isn't set."""
        address: str | None = getattr(self, f"{service}_address", None)
        if not address:
            raise LookupError(f"{variable(service + '_address')} isn't set")
        return address


def variable(field: str) -> str:
    """The environment variable of a field."""
    return PREFIX + field.upper()


def load(environ: Mapping[str, str]) -> Settings:
    """Read and check the environment. BadSettings names every variable that can't be used, unknown ones included."""
    fields = {variable(field.name): field for field in dataclasses.fields(Settings)}
    found: dict[str, Any] = {}
    problems = [f"{name} isn't a setting" for name in environ if name.startswith(PREFIX) and not _known(name, fields)]
    for name, field in fields.items():
        if name in environ:
            try:
                found[field.name] = field.metadata["parse"](environ[name].strip())
            except ValueError as error:
                shown = "" if field.metadata["secret"] else f" (is {environ[name]!r})"
                problems.append(f"{name} {error}{shown}")
    problems += _read_files(found, fields)
    if not problems:
        settings = Settings(**found)
        problems = _missing(settings)
        if not problems:
            return settings
    raise BadSettings(sorted(problems))


def _read_files(found: dict[str, Any], fields: Mapping[str, dataclasses.Field[Any]]) -> list[str]:
    """Take secret settings from the files that hold them. Returns what is wrong, without what is in a file."""
    problems = []
    for name, field in fields.items():
        path = found.get(f"{field.name}_file")
        if not field.metadata["secret"] or path is None:
            continue
        if found.get(field.name):
            problems.append(f"{name}_FILE can't be used with {name}")
            continue
        try:
            found[field.name] = field.metadata["parse"](path.read_text().strip())
        except OSError as error:
            problems.append(f"{name}_FILE can't be read: {error.strerror}")
        except ValueError as error:
            problems.append(f"{name}_FILE holds {name}, which {error}")
    return problems


def _known(name: str, fields: Mapping[str, object]) -> bool:
    # LUDOLOG_REQUIRE_INFRA, LUDOLOG_TEST_… belong to the test suite, not to the platform.
    return name in fields or name.startswith((PREFIX + "TEST_", PREFIX + "REQUIRE_", PREFIX + "DEV_"))


TOGETHER = (
    ("tls_cert_file", "tls_key_file", "tls_ca_file"),
    ("tls_public_cert_file", "tls_public_key_file"),
    ("oidc_issuer", "oidc_audience", "oidc_jwks"),
)
"""Settings that are good for nothing alone."""


def _missing(settings: Settings) -> list[str]:
    problems = [
        f"{variable(field)} is needed with {', '.join(variable(other) for other in group if other != field)}"
        for group in TOGETHER
        for field in group
        if not getattr(settings, field) and any(getattr(settings, other) for other in group)
    ]
    return problems + (_unusable_folder(settings.data) if settings.embedded else _missing_in_cluster(settings))


def _unusable_folder(data: Path) -> list[str]:
    there = next(each for each in (data.absolute(), *data.absolute().parents) if os.path.lexists(each))
    if there.is_dir() and os.access(there, os.R_OK | os.W_OK | os.X_OK):
        return []
    return [f"{variable('data')} must be a folder, or where one can be made: {there} is none that we may write to"]


def _missing_in_cluster(settings: Settings) -> list[str]:
    problems = []
    if settings.kafka_security.startswith("SASL") and not (settings.kafka_user and settings.kafka_password_file):
        problems.append(
            f"{variable('kafka_security')} {settings.kafka_security} needs {variable('kafka_user')} and "
            f"{variable('kafka_password_file')}"
        )
    needed = ("kafka_bootstrap", "redis_url", "identity_key_file", "trusted_keys")
    return problems + [f"{variable(field)} is needed in a cluster" for field in needed if not getattr(settings, field)]


def table() -> str:
    """The settings as a Markdown table, for docs/operate.md."""
    lines = ["| variable | type | default | meaning |", "|---|---|---|---|"]
    for field in dataclasses.fields(Settings):
        about = field.metadata
        default = f"`{about['default']}`" if about["default"] else "–"
        lines.append(f"| `{variable(field.name)}` | {about['kind']} | {default} | {about['meaning']} |")
    return "\n".join(lines)
