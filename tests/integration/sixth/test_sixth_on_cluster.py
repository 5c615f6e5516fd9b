"""A game made by `ludolog new-rulebook` is played by separate processes on real servers, with nothing else changed."""

import json
from pathlib import Path

from deploy.dev.platform import Cluster, Externals
from deploy.dev.servers import Kafka, PostgreSQL, Redis
from tests.contract.new_room import NAME, with_new_room
from tests.infra.provide import provided

SEATS = 3


def test_it_is_played_on_the_cluster(tmp_path: Path, redis_server: Redis, postgres: PostgreSQL) -> None:
    checkout = with_new_room(tmp_path / "checkout")
    record = tmp_path / "match.ludolog"
    settings = {
        # Every process imports the copied checkout, with the new room in it.
        "PYTHONPATH": checkout.environment()["PYTHONPATH"],
        "LUDOLOG_PARTITIONS": "8",
        "LUDOLOG_BOT_DELAY_MS": "20",
    }
    with provided(Kafka(tmp_path / "kafka")) as broker:
        externals = Externals(broker.bootstrap, redis_server.url, postgres.create_database())
        with Cluster(tmp_path / "processes", externals, rulebooks=[NAME], settings=settings) as cluster:
            arguments = [cluster.gateway_address, NAME, str(SEATS), str(record)]
            played = checkout.python("-m", "tests.integration.embedded.one_match", *arguments)
    assert played.stdout.split() == ["MOST_TRICKS"]
    assert json.loads(checkout.python("-m", "ludolog.cli", "verify", "--json", str(record)).stdout)["holds"]
