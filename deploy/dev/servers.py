"""Kafka, Redis, PostgreSQL and Prometheus as local processes, for tests and for `make cluster`.

Each is used as a context manager, or by start() and stop(). They listen on 127.0.0.1 only, without passwords.
"""

import json
import os
import pwd
import signal
import socket
import subprocess
import urllib.parse
import urllib.request
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import URLError

import psycopg
import yaml
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from deploy.dev import jars
from deploy.dev.process import LOCALHOST, Missing, Server, find_program


class Kafka(Server):
    """One Kafka broker that is its own controller (KRaft)."""

    name = "Kafka"
    port_names: tuple[str, ...] = ("port", "controller")

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        *,
        heap: str = "512m",
        outlive_us: bool = False,
    ) -> None:
        """`settings` go over the ones below, for example {"delete.topic.enable": "true"}."""
        super().__init__(folder, outlive_us=outlive_us)
        self._settings = dict(settings or {})
        self._heap = heap

    @property
    def bootstrap(self) -> str:
        """What clients call bootstrap servers: host and port."""
        return f"{LOCALHOST}:{self.port}"

    def properties(self) -> dict[str, str]:
        """What stands in server.properties."""
        controller = f"{LOCALHOST}:{self.ports['controller']}"
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@{controller}",
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://{self.bootstrap},CONTROLLER://{controller}",
            "advertised.listeners": f"PLAINTEXT://{self.bootstrap}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": str(self.folder / "data"),
            # What the commit protocol assumes of a log: nothing is removed, made by accident, or replaced.
            "auto.create.topics.enable": "false",
            "delete.topic.enable": "false",
            "log.cleanup.policy": "delete",
            "log.retention.ms": "-1",
            "log.retention.bytes": "-1",
            "unclean.leader.election.enable": "false",
            # There is one broker.
            "default.replication.factor": "1",
            "min.insync.replicas": "1",
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            # Groups, and the broker after a kill, move on at once: a test needn't wait for them.
            "broker.session.timeout.ms": "3000",
            "broker.heartbeat.interval.ms": "500",
            "group.initial.rebalance.delay.ms": "0",
            "group.min.session.timeout.ms": "500",
            # Small: memory, threads and files that a laptop won't miss.
            "offsets.topic.num.partitions": "4",
            "transaction.state.log.num.partitions": "1",
            "log.cleaner.dedupe.buffer.size": "2097152",
            "log.index.size.max.bytes": "1048576",
            "num.network.threads": "2",
            "num.io.threads": "4",
            **self._settings,
        }

    def admin(self) -> KafkaAdminClient:
        """A client to make and describe topics with; the caller closes it."""
        return KafkaAdminClient(bootstrap_servers=self.bootstrap)

    def prepare(self) -> None:
        """Write server.properties and format the data folder."""
        properties = self.folder / "server.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self.properties().items()))
        if not (self.folder / "data" / "meta.properties").is_file():
            cluster_id = uuid.uuid4().hex[:22]
            tool = ["kafka.tools.StorageTool", "format", "--cluster-id", cluster_id, "--config", str(properties)]
            with self.log.open("ab") as log:
                subprocess.run(self._java("64m", *tool), check=True, stdout=log, stderr=log)

    def command(self) -> list[str]:
        """Java, with as little warm-up and memory as one broker needs."""
        return self._java(self._heap, "kafka.Kafka", str(self.folder / "server.properties"))

    def is_ready(self) -> bool:
        """Whether it answers as a broker that takes part in its cluster."""
        with socket.create_connection((LOCALHOST, self.port), timeout=1):
            pass  # don't have a client complain in the log while nobody listens
        try:
            admin = self.admin()
        except KafkaError:
            return False
        try:
            return bool(admin.describe_cluster()["brokers"])
        except KafkaError:
            return False
        finally:
            admin.close()

    def _java(self, heap: str, *arguments: str) -> list[str]:
        java = find_program("java", package="default-jre-headless")
        if not jars.folder().is_dir():
            raise Missing(f"the jars of Kafka aren't in {jars.folder().name} of the cache (get them: make servers)")
        frugal = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        return [java, f"-Xmx{heap}", *frugal, "-cp", f"{jars.folder()}/*", *arguments]


class Redis(Server):
    """Redis that keeps nothing on disk: to us it is a cache."""

    name = "Redis"

    @property
    def url(self) -> str:
        """For redis.asyncio.from_url."""
        return f"redis://{LOCALHOST}:{self.port}/0"

    def prepare(self) -> None:
        """There is nothing to prepare."""

    def command(self) -> list[str]:
        """Everything by arguments, no configuration file."""
        program = find_program("redis-server", package="redis-server")
        listen = ["--port", str(self.port), "--bind", LOCALHOST]
        return [program, *listen, "--dir", str(self.folder), "--save", "", "--appendonly", "no"]

    def is_ready(self) -> bool:
        """Whether it answers a PING."""
        with socket.create_connection((LOCALHOST, self.port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")


class PostgreSQL(Server):
    """PostgreSQL with a database and a superuser called ludolog."""

    name = "PostgreSQL"
    stop_signal = signal.SIGINT  # "fast": roll back what is open; SIGTERM would wait for every client to leave

    @property
    def url(self) -> str:
        """The first database, for SQLAlchemy, sync or async."""
        return self.database_url("ludolog")

    def database_url(self, database: str) -> str:
        """The address of a database, for SQLAlchemy."""
        return f"postgresql+psycopg://ludolog@{LOCALHOST}:{self.port}/{database}"

    def create_database(self) -> str:
        """Make an empty database under a new name. Returns its address, for SQLAlchemy."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        self._execute(f"CREATE DATABASE {name}")
        return self.database_url(name)

    def prepare(self) -> None:
        """Make the cluster's folder."""
        if (self.folder / "data" / "PG_VERSION").is_file():
            return
        user = self._server_user()
        if user is not None:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        initdb = self._program("initdb")
        arguments = ["-D", str(self.folder / "data"), "-U", "ludolog", "--auth=trust", "--encoding=UTF8", "--no-locale"]
        with self.log.open("ab") as log:
            subprocess.run([*self._as_server_user(), initdb, *arguments], check=True, stdout=log, stderr=log)

    def command(self) -> list[str]:
        """The postmaster, on TCP only."""
        options = ["-h", LOCALHOST, "-p", str(self.port), "-k", ""]
        return [*self._as_server_user(), self._program("postgres"), "-D", str(self.folder / "data"), *options]

    def is_ready(self) -> bool:
        """Whether it takes queries; makes the database ludolog if it isn't there."""
        try:
            exists = self._execute("SELECT FROM pg_database WHERE datname = 'ludolog'")
            if not exists:
                self._execute("CREATE DATABASE ludolog")
        except psycopg.OperationalError:
            return False
        return True

    def _execute(self, statement: str) -> int:
        """Run one statement in the maintenance database. Returns the number of rows."""
        address = f"host={LOCALHOST} port={self.port} user=ludolog dbname=postgres connect_timeout=5"
        with psycopg.connect(address, autocommit=True) as connection:
            return connection.execute(statement.encode()).rowcount

    def _program(self, name: str) -> str:
        return find_program(name, package="postgresql", folders="/usr/lib/postgresql/*/bin")

    def _server_user(self) -> pwd.struct_passwd | None:
        """Whom to be instead of root, which PostgreSQL refuses to run as; None: we aren't root."""
        if os.geteuid() != 0:
            return None
        try:
            return pwd.getpwnam("postgres")
        except KeyError:
            return pwd.getpwnam("nobody")

    def _as_server_user(self) -> list[str]:
        user = self._server_user()
        if user is None:
            return []
        setpriv = find_program("setpriv", package="util-linux")
        return [setpriv, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


class Prometheus(Server):
    """Prometheus with a configuration of ours."""

    name = "Prometheus"

    def __init__(self, folder: Path, config: Mapping[str, Any] | None = None, *, outlive_us: bool = False) -> None:
        """`config` is what would stand in prometheus.yml; without it, Prometheus watches itself."""
        super().__init__(folder, outlive_us=outlive_us)
        self._config = config

    @property
    def url(self) -> str:
        """Where its HTTP API is."""
        return f"http://{LOCALHOST}:{self.port}"

    def configure(self, config: Mapping[str, Any] | None) -> None:
        """Use another configuration from now on; None: it watches itself.

        Raises URLError (HTTPError) if Prometheus refuses it.
        """
        self._config = config
        self.prepare()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/-/reload", method="POST")):  # noqa: S310 - http
            pass

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The series that an expression has now, each with its `metric` (labels) and `value` (time, number)."""
        address = f"{self.url}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
        with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - http, local
            return list(json.load(answer)["data"]["result"])

    def prepare(self) -> None:
        """Write prometheus.yml."""
        itself = {"job_name": "prometheus", "static_configs": [{"targets": [f"{LOCALHOST}:{self.port}"]}]}
        config = self._config or {"global": {"scrape_interval": "1s"}, "scrape_configs": [itself]}
        (self.folder / "prometheus.yml").write_text(yaml.safe_dump(dict(config), sort_keys=False))

    def command(self) -> list[str]:
        """Prometheus, with its data beside its configuration."""
        return [
            find_program("prometheus", package="prometheus"),
            f"--config.file={self.folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={self.folder / 'data'}",
            f"--web.listen-address={LOCALHOST}:{self.port}",
            "--web.enable-lifecycle",
        ]

    def is_ready(self) -> bool:
        """Whether it says so."""
        try:
            with urllib.request.urlopen(f"{self.url}/-/ready", timeout=1) as answer:  # noqa: S310 - http, local
                return bool(answer.status == 200)  # noqa: PLR2004 - OK
        except URLError:
            return False
