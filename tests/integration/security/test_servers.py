"""Kafka, Redis and PostgreSQL over TLS, with passwords, as the settings name them; without them nobody gets in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import sqlalchemy as sql

from deploy.dev.certificates import Certificates
from deploy.dev.process import LOCALHOST
from deploy.dev.servers import Kafka, PostgreSQL, Redis
from ludolog.eventlog.port import LogError
from ludolog.hosting import load
from ludolog.hosting.backends import open_cache, open_log
from ludolog.hosting.settings import Settings
from ludolog.sessions.port import CacheUnavailable
from services.gateway.accounts import Accounts, database_url
from services.replay.database import connect
from tests.infra.provide import provided

PASSWORD = "hunter2"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    made = Certificates(tmp_path_factory.mktemp("tls") / "certificates")
    made.make()
    return made


def cluster(**settings: str) -> Settings:
    """Settings of a cluster's process."""
    base = {"mode": "cluster", "kafka_bootstrap": "k:1", "redis_url": "redis://r"}
    base |= {"identity_key_file": "i.pem", "trusted_keys": "trusted"}
    given = {name: value for name, value in (base | settings).items() if value}
    return load({f"LUDOLOG_{name.upper()}": value for name, value in given.items()})


class SecureKafka(Kafka):
    """A broker with one more listener: TLS, and a password."""

    port_names = ("port", "controller", "secure")
    certificates: Certificates

    def properties(self) -> dict[str, str]:
        plain = super().properties()
        secure = f"SECURE://{LOCALHOST}:{self.ports['secure']}"
        chain = self.folder / "broker.pem"
        chain.write_bytes(
            self.certificates.key("public").read_bytes() + self.certificates.certificate("public").read_bytes()
        )
        login = f'org.apache.kafka.common.security.plain.PlainLoginModule required user_ludolog="{PASSWORD}";'
        return plain | {
            "listeners": f"{plain['listeners']},{secure}",
            "advertised.listeners": f"{plain['advertised.listeners']},{secure}",
            "listener.security.protocol.map": f"{plain['listener.security.protocol.map']},SECURE:SASL_SSL",
            "inter.broker.listener.name": "PLAINTEXT",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(chain),
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.secure.plain.sasl.jaas.config": login,
        }


async def test_kafka_with_tls_and_a_password(certificates: Certificates, tmp_path: Path) -> None:
    kafka = SecureKafka(tmp_path / "kafka")
    kafka.certificates = certificates
    good, wrong = tmp_path / "password", tmp_path / "wrong"
    good.write_text(f"{PASSWORD}\n")
    wrong.write_text("guess")
    with provided(kafka) as broker:

        def settings(password: Path, ca: str, security: str = "SASL_SSL") -> Settings:
            return cluster(
                kafka_bootstrap=f"{LOCALHOST}:{broker.ports['secure']}",
                kafka_replication="1",
                kafka_security=security,
                kafka_mechanism="PLAIN",
                kafka_user="ludolog",
                kafka_password_file=str(password),
                kafka_ca_file=str(certificates.certificate(ca)),
            )

        log = await open_log(settings(good, "public-ca"))
        await log.ensure_topic("secured", 2)
        assert await log.partitions("secured") == 2
        await log.close()
        for bad in (
            settings(wrong, "public-ca"),
            settings(good, "services-ca"),
            settings(good, "public-ca", "SASL_PLAINTEXT"),
        ):
            log = await open_log(bad)
            with pytest.raises(LogError) as caught:
                await log.partitions("secured")
            assert PASSWORD not in str(caught.value)
            await log.close()


class SecureRedis(Redis):
    """Redis with a TLS port, and a password on it and on the other."""

    port_names = ("port", "secure")
    certificates: Certificates

    def command(self) -> list[str]:
        files = {
            "--tls-cert-file": self.certificates.certificate("public"),
            "--tls-key-file": self.certificates.key("public"),
            "--tls-ca-cert-file": self.certificates.certificate("public-ca"),
        }
        options = [part for option, path in files.items() for part in (option, str(path))]
        tls = ["--tls-port", str(self.ports["secure"]), "--tls-auth-clients", "no", *options]
        users = ["--user", "default", "on", "nopass", "~*", "&*", "-@all", "+ping"]
        users += f"--user ludolog on >{PASSWORD} ~* &* +@all".split()
        return [*super().command(), *tls, *users]


async def test_redis_with_tls_and_a_password(certificates: Certificates, tmp_path: Path) -> None:
    redis = SecureRedis(tmp_path / "redis")
    redis.certificates = certificates
    with provided(redis) as server:

        def url(ca: str, password: str = PASSWORD) -> str:
            authority = certificates.certificate(ca)
            return f"rediss://ludolog:{password}@{LOCALHOST}:{server.ports['secure']}/0?ssl_ca_certs={authority}"

        path = tmp_path / "url"
        path.write_text(url("public-ca"))
        cache = await open_cache(cluster(redis_url="", redis_url_file=str(path)))
        await cache.put("a", b"1", 1000)
        assert await cache.get("a") == b"1"
        assert await cache.take("b", 1, 5) == 0
        await cache.close()
        for bad in (url("services-ca"), url("public-ca", "guess"), f"redis://{LOCALHOST}:{server.port}/0"):
            cache = await open_cache(cluster(redis_url=bad))
            with pytest.raises(CacheUnavailable) as caught:
                await cache.get("a")
            assert PASSWORD not in str(caught.value)
            await cache.close()


class SecurePostgreSQL(PostgreSQL):
    """PostgreSQL that knows TLS."""

    certificates: Certificates

    def command(self) -> list[str]:
        key = self.folder / "server.key"
        shutil.copy(self.certificates.key("public"), key)
        shutil.copy(self.certificates.certificate("public"), self.folder / "server.pem")
        owner = self.folder.stat().st_uid
        for path in (key, self.folder / "server.pem"):
            path.chmod(0o600)
            os.chown(path, owner, -1)
        options = {"ssl": "on", "ssl_key_file": key, "ssl_cert_file": self.folder / "server.pem"}
        return [*super().command(), *(f"--{name}={value}" for name, value in options.items())]


async def test_postgresql_with_tls(certificates: Certificates, servers_folder: Path) -> None:
    postgres = SecurePostgreSQL(servers_folder / "secure-postgres")
    postgres.certificates = certificates
    with provided(postgres) as server:
        database = server.create_database()

        def url(ca: str) -> str:
            return f"{database}?sslmode=verify-full&sslrootcert={certificates.certificate(ca)}"

        settings = cluster(sql_url=url("public-ca").replace("postgresql+psycopg", "postgresql"))
        accounts = await Accounts.open(database_url(settings.sql_url, settings.data))
        await accounts.add_guest("Ann", 1)
        await accounts.close()
        engine = connect(settings.sql_url)
        async with engine.connect() as connection:
            query = sql.text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            assert (await connection.execute(query)).scalar_one() is True
        await engine.dispose()
        engine = connect(url("services-ca"))
        with pytest.raises(sql.exc.OperationalError, match="certificate verify failed"):
            async with engine.connect():
                pass
        await engine.dispose()
