"""The servers of a local cluster, without the platform: `python -m deploy.dev.infra up | down | status`.

They go on running after `up` has returned, with their data in ./.ludolog/servers (or $LUDOLOG_DATA/servers).
"""

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from deploy.dev.process import LOCALHOST, Missing, Server, StartFailed
from deploy.dev.servers import Kafka, PostgreSQL, Prometheus, Redis

TRAVERSE = stat.S_IXGRP | stat.S_IXOTH


@dataclass(frozen=True)
class Infra:
    """One of each server."""

    kafka: Kafka
    redis: Redis
    postgres: PostgreSQL
    prometheus: Prometheus

    @property
    def servers(self) -> tuple[Server, ...]:
        """All of them, in the order in which they are started."""
        return self.redis, self.postgres, self.prometheus, self.kafka

    def up(self) -> None:
        """Start those that don't run. Raises Missing or StartFailed at the first that doesn't come up."""
        for server in self.servers:
            server.start()

    def down(self) -> None:
        """Stop those that run."""
        for server in reversed(self.servers):
            server.stop()


def infra(folder: Path, data: Path) -> Infra:
    """The servers with their folders under `folder`, which is under `data`; they outlive this process.

    Where we are root, PostgreSQL is another user: it is let through `data`, whose secrets are closed one by one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        for place in (folder, *folder.parents):
            place.chmod(place.stat().st_mode | TRAVERSE)
            if place == data:
                break
    return Infra(
        Kafka(folder / "kafka", outlive_us=True),
        Redis(folder / "redis", outlive_us=True),
        PostgreSQL(folder / "postgres", outlive_us=True),
        Prometheus(folder / "prometheus", outlive_us=True),
    )


def data_folder() -> Path:
    """Where everything of the platform is on this machine."""
    return Path(os.environ.get("LUDOLOG_DATA", ".ludolog")).resolve()


def main(arguments: list[str]) -> int:
    """Do what the first argument says. Returns the exit code."""
    ours = infra(data_folder() / "servers", data_folder())
    match arguments:
        case ["up"]:
            try:
                ours.up()
            except (Missing, StartFailed) as error:
                print(f"infra: {error}", file=sys.stderr)
                return 1
        case ["down"]:
            ours.down()
        case ["status"]:
            pass
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    for server in ours.servers:
        print(f"{server.name:<11} {'up  ' if server.is_running() else 'down'}  {LOCALHOST}:{server.port}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
