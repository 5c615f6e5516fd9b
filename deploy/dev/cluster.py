"""The whole platform on this machine, one process for each service: `python -m deploy.dev.cluster up | down | status`.

Servers and services go on running after `up` has returned; data, keys and logs are in ./.ludolog/cluster (or
$LUDOLOG_DATA/cluster).
"""

import sys
from pathlib import Path

from deploy.dev.infra import Infra, data_folder, infra
from deploy.dev.platform import Cluster, Externals
from deploy.dev.process import Missing, StartFailed


def main(arguments: list[str]) -> int:
    """Do what the first argument says. Returns the exit code."""
    if arguments not in (["up"], ["down"], ["status"]):
        print(__doc__, file=sys.stderr)
        return 2
    folder = data_folder() / "cluster"
    servers = infra(folder / "servers", data_folder())
    try:
        if arguments == ["up"]:
            up(servers, folder)
        elif arguments == ["down"]:
            described(servers, folder).down()
            servers.down()
    except (Missing, StartFailed) as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    status(servers, described(servers, folder))
    return 0


def up(servers: Infra, folder: Path) -> None:
    """Start the servers, then the services; let Prometheus scrape them."""
    servers.up()
    cluster = described(servers, folder)
    cluster.up()
    servers.prometheus.configure(cluster.prometheus_configuration())
    play = f".venv/bin/ludolog play tempel_des_schreckens --bots 4 --address {cluster.gateway_address}"
    print(f"""
  gateway   {cluster.gateway_address}    {play}
  page      {cluster.web_address}
  metrics   {servers.prometheus.url}
  stop      make cluster-down
""")


def described(servers: Infra, folder: Path) -> Cluster:
    """The cluster over those servers, running or not."""
    externals = Externals(servers.kafka.bootstrap, servers.redis.url, servers.postgres.url)
    return Cluster(folder, externals, outlive_us=True)


def status(servers: Infra, cluster: Cluster) -> None:
    """Print what runs."""
    for server in (*servers.servers, *cluster.processes):
        print(f"  {server.name:<36} {'up' if server.is_running() else 'down'}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
