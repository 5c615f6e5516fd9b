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
    assert named == ["LUDOLOG_IDENTITY_KEY_FILE", "LUDOLOG_KAFKA_BOOTSTRAP", "LUDOLOG_REDIS_URL"]


def test_a_cluster_reads_its_addresses() -> None:
    settings = load(
        {
            "LUDOLOG_MODE": "cluster",
            "LUDOLOG_KAFKA_BOOTSTRAP": "k1:9092, k2:9092",
            "LUDOLOG_REDIS_URL": "redis://r:6379/0",
            "LUDOLOG_IDENTITY_KEY_FILE": "/run/secrets/identity.pem",
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


def test_every_setting_is_documented() -> None:
    assert table() in (ROOT / "docs" / "operate.md").read_text(), "docs/operate.md: put settings.table() there"


def test_every_default_is_a_value_of_its_own_variable() -> None:
    for field in dataclasses.fields(Settings):
        assert load({variable(field.name): field.metadata["default"]}) == Settings()
