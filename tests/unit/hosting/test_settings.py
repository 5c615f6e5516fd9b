"""Settings: read, checked, documented."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ludolog.hosting import BadSettings, Settings, load
from ludolog.hosting.settings import table, variable

ROOT = Path(__file__).resolve().parents[3]


def test_nothing_set_is_an_embedded_platform() -> None:
    assert load({"PATH": "/bin"}) == Settings()
    assert Settings().embedded
    assert Settings().topic_partitions == 8


def test_every_bad_value_is_named_at_once() -> None:
    environ = {
        "LUDOLOG_MODE": "clustr",
        "LUDOLOG_PORT": "70000",
        "LUDOLOG_DRAIN_S": "soon",
        "LUDOLOG_NONSENSE": "1",
        "LUDOLOG_RNG_ADDRESS": "rng",
        "LUDOLOG_REDIS_URL": "http://user:hunter2@redis",
        "LUDOLOG_ENGINES": "tempel",
    }
    with pytest.raises(BadSettings) as caught:
        load(environ)
    problems = caught.value.problems
    assert [problem.split()[0] for problem in problems] == sorted(environ)
    assert "hunter2" not in str(caught.value)


def test_a_cluster_needs_its_servers() -> None:
    with pytest.raises(BadSettings) as caught:
        load({"LUDOLOG_MODE": "cluster"})
    named = [problem.split()[0] for problem in caught.value.problems]
    assert named == [
        "LUDOLOG_IDENTITY_KEY_FILE",
        "LUDOLOG_KAFKA_BOOTSTRAP",
        "LUDOLOG_REDIS_URL",
        "LUDOLOG_TRUSTED_KEYS",
    ]


def test_a_cluster_reads_its_addresses() -> None:
    settings = load(
        {
            "LUDOLOG_MODE": "cluster",
            "LUDOLOG_KAFKA_BOOTSTRAP": "k1:9092, k2:9092",
            "LUDOLOG_REDIS_URL": "redis://r:6379/0",
            "LUDOLOG_IDENTITY_KEY_FILE": "/run/secrets/identity.pem",
            "LUDOLOG_TRUSTED_KEYS": "/etc/ludolog/keys",
            "LUDOLOG_RNG_ADDRESS": "dns:///rng:7000",
            "LUDOLOG_ENGINES": "tempel_des_schreckens=e1:7000,e2:7000; other=e3:7000",
        }
    )
    assert settings.kafka_bootstrap == ("k1:9092", "k2:9092")
    assert settings.address_of("rng") == "dns:///rng:7000"
    assert dict(settings.engines) == {"tempel_des_schreckens": ("e1:7000", "e2:7000"), "other": ("e3:7000",)}
    assert settings.topic_partitions == 64
    with pytest.raises(LookupError, match="LUDOLOG_REPLAY_ADDRESS"):
        settings.address_of("replay")


def test_what_has_a_password_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "redis"
    path.write_text("rediss://:hunter2@r:6379/0\n")
    environ = {
        "LUDOLOG_MODE": "cluster",
        "LUDOLOG_KAFKA_BOOTSTRAP": "k1:9092",
        "LUDOLOG_IDENTITY_KEY_FILE": "/run/secrets/identity.pem",
        "LUDOLOG_TRUSTED_KEYS": "/etc/ludolog/keys",
        "LUDOLOG_REDIS_URL_FILE": str(path),
    }
    settings = load(environ)
    assert settings.redis_url == "rediss://:hunter2@r:6379/0"
    assert "hunter2" not in repr(settings)
    path.write_text("http://:hunter2@r")
    for changed in (
        environ,
        environ | {"LUDOLOG_REDIS_URL": "redis://:hunter2@r:1"},
        environ | {"LUDOLOG_SQL_URL_FILE": str(tmp_path / "none")},
    ):
        with pytest.raises(BadSettings, match=r"LUDOLOG_(REDIS|SQL)_URL_FILE") as caught:
            load(changed)
        assert "hunter2" not in str(caught.value)


def test_signing_in_at_brokers_needs_a_user_and_a_password() -> None:
    with pytest.raises(BadSettings, match="LUDOLOG_KAFKA_PASSWORD_FILE"):
        load({"LUDOLOG_MODE": "cluster", "LUDOLOG_KAFKA_SECURITY": "SASL_SSL", "LUDOLOG_KAFKA_USER": "ludolog"})
    with pytest.raises(BadSettings, match="LUDOLOG_KAFKA_SECURITY must be one of"):
        load({"LUDOLOG_KAFKA_SECURITY": "TLS"})


def test_certificates_and_their_keys_go_together() -> None:
    with pytest.raises(BadSettings) as caught:
        load({"LUDOLOG_TLS_CERT_FILE": "a.pem", "LUDOLOG_TLS_PUBLIC_KEY_FILE": "b.key"})
    named = [problem.split()[0] for problem in caught.value.problems]
    assert named == ["LUDOLOG_TLS_CA_FILE", "LUDOLOG_TLS_KEY_FILE", "LUDOLOG_TLS_PUBLIC_CERT_FILE"]


def test_a_data_folder_that_cant_be_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for path in ("file", "file/below", "link"):
        with pytest.raises(BadSettings, match=r"LUDOLOG_DATA must be a folder.*(file|link) is none"):
            load({"LUDOLOG_DATA": str(tmp_path / path)})
    assert load({"LUDOLOG_DATA": str(tmp_path / "new" / "one")}).data == tmp_path / "new" / "one"
    assert not (tmp_path / "new").exists()


def test_every_setting_is_documented() -> None:
    assert table() in (ROOT / "docs" / "operate.md").read_text(), "docs/operate.md: put settings.table() there"


def test_every_default_is_a_value_of_its_own_variable() -> None:
    for field in dataclasses.fields(Settings):
        assert load({variable(field.name): field.metadata["default"]}) == Settings()
