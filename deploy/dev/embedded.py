"""The embedded platform as a process of its own: `python -m services.local` on free ports, killed and started again."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.dev.process import LOCALHOST, Server


class Embedded(Server):
    """All services in one process, with its data in its folder. Bots think for no time."""

    name = "embedded"
    port_names = ("gateway_port", "web_port")

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        """`settings`: further variables, for example {"LUDOLOG_QUEUE_FILL_S": "0"}."""
        super().__init__(folder)
        self._settings = {"LUDOLOG_BOT_DELAY_MS": "10", **(settings or {})}

    @property
    def address(self) -> str:
        """The gateway."""
        return f"{LOCALHOST}:{self.ports['gateway_port']}"

    @property
    def page(self) -> str:
        """The page."""
        return f"http://{LOCALHOST}:{self.ports['web_port']}"

    @property
    def data(self) -> Path:
        """Where the platform keeps its data."""
        return self.folder / "data"

    def prepare(self) -> None:
        """Nothing to prepare."""

    def command(self) -> list[str]:
        """As `make run` does."""
        return [sys.executable, "-m", "services.local"]

    def environment(self) -> dict[str, str]:
        """Ports and data of its own, nothing of the platform's from our environment."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("LUDOLOG_")}
        ports = {f"LUDOLOG_{name.upper()}": str(port) for name, port in self.ports.items()}
        return {**ours, "LUDOLOG_DATA": str(self.data), **self._settings, **ports}

    def is_ready(self) -> bool:
        """Whether the gateway's health service says SERVING."""
        with grpc.insecure_channel(self.address) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            try:
                answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=1)
            except grpc.RpcError:
                return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
