"""The platform as separate processes on real Kafka, Redis and PostgreSQL, with TLS everywhere."""

from collections.abc import AsyncIterator, Iterator

import pytest

from deploy.dev.certificates import Certificates
from deploy.dev.platform import Cluster, Externals
from deploy.dev.servers import Kafka, PostgreSQL, Redis
from ludolog.client import Client
from ludolog.eventlog.kafka import KafkaLog, KafkaSettings
from tests.infra.provide import provided

PARTITIONS = 8
TIMEOUT_S = 90.0


def certificates_of(cluster: Cluster) -> Certificates:
    """What the cluster's processes show."""
    assert cluster.certificates is not None
    return cluster.certificates


def client_of(cluster: Cluster) -> Client:
    """A client that knows the authority of the gateway's certificate."""
    ca_file = certificates_of(cluster).certificate("public-ca")
    return Client(cluster.gateway_address, timeout_s=TIMEOUT_S, ca_file=ca_file)


@pytest.fixture(scope="package")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A Redis of our own: it is flushed."""
    with provided(Redis(tmp_path_factory.mktemp("cluster-redis") / "redis")) as server:
        yield server


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    """A Kafka of our own: the platform's topics have fixed names."""
    with provided(Kafka(tmp_path_factory.mktemp("cluster-kafka") / "kafka")) as server:
        yield server


@pytest.fixture(scope="package")
def database(postgres: PostgreSQL) -> str:
    """The address of the cluster's database."""
    return postgres.create_database()


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory, broker: Kafka, redis: Redis, database: str) -> Iterator[Cluster]:
    """Every service, two engines; everything is encrypted."""
    externals = Externals(broker.bootstrap, redis.url, database)
    settings = {"LUDOLOG_PARTITIONS": str(PARTITIONS), "LUDOLOG_BOT_DELAY_MS": "20"}
    folder = tmp_path_factory.mktemp("cluster")
    certificates = Certificates(folder / "certificates")
    with Cluster(folder / "processes", externals, settings=settings, certificates=certificates) as running:
        yield running


@pytest.fixture
async def log(broker: Kafka) -> AsyncIterator[KafkaLog]:
    """The log, read past the platform."""
    log = KafkaLog(broker.bootstrap, KafkaSettings(single_broker=True))
    yield log
    await log.close()
