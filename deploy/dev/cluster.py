"""The whole platform on this machine, one process for each service.

`python -m deploy.dev.cluster up [tls] | down | status`.

Servers and services go on running after `up` has returned; data, keys and logs are in ./.ludolog/cluster (or
$LUDOLOG_DATA/cluster). With `tls` everything is encrypted, with certificates for development.
"""

import sys
from pathlib import Path

from deploy.dev.certificates import Certificates
from deploy.dev.infra import Infra, data_folder, infra
from deploy.dev.platform import Cluster, Externals
from deploy.dev.process import LOCALHOST, Missing, StartFailed
from deploy.dev.servers import Prometheus


def main(arguments: list[str]) -> int:
    """Do what the first argument says. Returns the exit code."""
    tls = arguments == ["up", "tls"]
    if not tls and arguments not in (["up"], ["down"], ["status"]):
        print(__doc__, file=sys.stderr)
        return 2
    folder = data_folder() / "cluster"
    servers = infra(folder / "servers", data_folder())
    try:
        if arguments[0] == "up":
            up(servers, folder, Certificates(data_folder() / "certificates") if tls else None)
        elif arguments == ["down"]:
            described(servers, folder).down()
            servers.down()
    except (Missing, StartFailed) as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    status(servers, described(servers, folder))
    return 0


def up(servers: Infra, folder: Path, certificates: Certificates | None) -> None:
    """Start the servers, then the services; let Prometheus scrape them, if it is there."""
    for server in (servers.redis, servers.postgres, servers.kafka):
        server.start()
    cluster = described(servers, folder, certificates)
    cluster.up()
    play = f".venv/bin/ludolog play tempel_des_schreckens --bots 4 --address {cluster.gateway_address}"
    if certificates is not None:
        play += f" --ca {certificates.certificate('public-ca')}"
    print(f"""
  gateway   {cluster.gateway_address}    {play}
  page      {cluster.web_address}
  metrics   {watched(servers.prometheus, cluster)}
  stop      make cluster-down
""")


def watched(prometheus: Prometheus, cluster: Cluster) -> str:
    """Have Prometheus scrape the cluster; say where the metrics are, also where there is no Prometheus."""
    try:
        prometheus.start()
    except Missing as missing:
        pages = [f"http://{LOCALHOST}:{process.ports['metrics_port']}/metrics" for process in cluster.processes]
        return f"{missing}; without it, each process has a page:" + "".join(f"\n            {page}" for page in pages)
    prometheus.configure(cluster.prometheus_configuration())
    return f"{prometheus.url}    alerts: deploy/prometheus, dashboard: deploy/grafana/ludolog.json"


def described(servers: Infra, folder: Path, certificates: Certificates | None = None) -> Cluster:
    """The cluster over those servers, running or not."""
    externals = Externals(servers.kafka.bootstrap, servers.redis.url, servers.postgres.url)
    return Cluster(folder, externals, outlive_us=True, certificates=certificates)


def status(servers: Infra, cluster: Cluster) -> None:
    """Print what runs."""
    for server in (*servers.servers, *cluster.processes):
        print(f"  {server.name:<36} {'up' if server.is_running() else 'down'}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
