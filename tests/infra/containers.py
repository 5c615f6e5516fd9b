"""The same servers in containers, for machines that have a Docker engine but not the programs.

They use the host's network, so addresses, ports and settings are those of the local processes (deploy/dev/servers.py).
"""

import gc
import warnings
from functools import cache
from typing import TypeVar, cast

import docker
from docker.errors import DockerException, NotFound
from testcontainers.core.container import DockerContainer

from deploy.dev.process import LOCALHOST, Server, wait_until
from deploy.dev.servers import Kafka, PostgreSQL, Prometheus, Redis

S = TypeVar("S", bound=Server)


@cache
def docker_answers() -> bool:
    """Whether there is a Docker engine to talk to; the command line client alone is no use."""
    with warnings.catch_warnings():
        # Where none answers, the library leaves its sockets to the garbage collector, which complains.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            docker.from_env(timeout=5).close()
        except DockerException:
            answers = False
        else:
            answers = True
        gc.collect()
    return answers


class InContainer(Server):
    """Overrides a server's life with a container's; its addresses and its `is_ready` stay."""

    image: str
    _container: DockerContainer | None = None

    def container(self) -> DockerContainer:
        """The container, described and not started."""
        return DockerContainer(self.image).with_kwargs(network_mode="host")

    def start(self) -> None:
        """Start the container, or start it again with its data."""
        if self._container is None:
            self._container = self.container()
            self._container.start()
        elif not self.is_running():
            self._container.get_wrapped_container().start()
        wait_until(self.is_ready, timeout_s=self.start_timeout_s)

    def stop(self) -> None:
        """Stop the container and remove it with its data."""
        if self._container is not None:
            self._container.stop()
            self._container = None

    def kill(self) -> None:
        """End it like a power cut; `start` brings it back."""
        if self._container is not None and self.is_running():
            self._container.get_wrapped_container().kill()
            wait_until(lambda: not self.is_running(), timeout_s=15)

    def pause(self) -> None:
        """Freeze its processes."""
        if self._container is not None:
            self._container.get_wrapped_container().pause()

    def resume(self) -> None:
        """Go on after `pause`."""
        if self._container is not None:
            self._container.get_wrapped_container().unpause()

    def is_running(self) -> bool:
        """Whether the container runs."""
        if self._container is None:
            return False
        wrapped = self._container.get_wrapped_container()
        try:
            wrapped.reload()
        except NotFound:
            return False
        return bool(wrapped.status == "running")


class KafkaContainer(InContainer, Kafka):
    """Kafka's own image reads its settings from the environment."""

    image = "apache/kafka:4.3.1"

    def container(self) -> DockerContainer:
        """The broker with our settings, and the image's own data folder."""
        settings = {key: value for key, value in self.properties().items() if key != "log.dirs"}
        container = super().container()
        for key, value in settings.items():
            container = container.with_env(f"KAFKA_{key.replace('.', '_').upper()}", value)
        return container


class RedisContainer(InContainer, Redis):
    """Redis with the local server's options."""

    image = "redis:7"

    def container(self) -> DockerContainer:
        """Redis on our port, without persistence."""
        options = f"--port {self.port} --bind {LOCALHOST} --save '' --appendonly no"
        return super().container().with_command(f"redis-server {options}")


class PostgreSQLContainer(InContainer, PostgreSQL):
    """PostgreSQL with the local server's user and databases."""

    image = "postgres:15"

    def container(self) -> DockerContainer:
        """PostgreSQL on our port; is_ready makes the database."""
        container = super().container().with_command(f"postgres -h {LOCALHOST} -p {self.port}")
        return container.with_env("POSTGRES_USER", "ludolog").with_env("POSTGRES_HOST_AUTH_METHOD", "trust")


class PrometheusContainer(InContainer, Prometheus):
    """Prometheus with the local server's configuration file."""

    image = "prom/prometheus:v2.42.0"

    def container(self) -> DockerContainer:
        """Prometheus on our port, with our folder mounted for its configuration."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.prepare()
        options = f"--web.listen-address={LOCALHOST}:{self.port} --web.enable-lifecycle"
        container = super().container().with_volume_mapping(str(self.folder), "/etc/prometheus", "ro")
        return container.with_command(f"--config.file=/etc/prometheus/prometheus.yml {options}")


def instead_of(local: S) -> S:
    """A container with the folder, ports and settings of a local server that can't be started."""
    kinds: dict[type[Server], type[InContainer]] = {
        Kafka: KafkaContainer,
        Redis: RedisContainer,
        PostgreSQL: PostgreSQLContainer,
        Prometheus: PrometheusContainer,
    }
    kind = kinds[type(local)]
    container = kind.__new__(kind)
    container.__dict__.update(vars(local))
    return cast("S", container)
