"""What `make cluster` says about metrics, with and without a Prometheus on the machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from deploy.dev.cluster import watched
from deploy.dev.platform import ALERTS, Cluster, Externals
from deploy.dev.process import Missing, find_program
from deploy.dev.servers import Prometheus
from tests.infra.provide import not_here


class Absent(Prometheus):
    """A Prometheus that isn't installed."""

    def start(self) -> None:
        raise Missing("prometheus isn't installed")


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """A cluster that isn't started."""
    return Cluster(tmp_path / "cluster", Externals("127.0.0.1:1", "redis://127.0.0.1:2", "postgresql://127.0.0.1:3/x"))


def test_without_prometheus_every_page_is_named(cluster: Cluster, tmp_path: Path) -> None:
    said = watched(Absent(tmp_path / "prometheus"), cluster)
    assert "isn't installed" in said
    for process in cluster.processes:
        assert f"http://127.0.0.1:{process.ports['metrics_port']}/metrics" in said


def test_prometheus_takes_the_configuration_with_the_alerts(cluster: Cluster, tmp_path: Path) -> None:
    configuration = cluster.prometheus_configuration()
    assert configuration["rule_files"] == [str(ALERTS)]
    path = tmp_path / "prometheus.yml"
    path.write_text(yaml.safe_dump(configuration))
    try:
        promtool = find_program("promtool", package="prometheus")
    except Missing as missing:
        not_here("promtool", missing)
    done = subprocess.run([promtool, "check", "config", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 rule files found" in done.stdout
