"""Tokens and keys."""

from __future__ import annotations

import stat
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from deploy.dev.keys import Keys
from ludolog.hosting import Keyring, SystemClock, Unauthenticated, operators
from ludolog.hosting.identity import SERVICE_TTL_S, ServiceTokens, load_keyring
from ludolog.hosting.trust import key_id
from tests.infra.asking import SimulatedClock


class Simulated:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def now_ms(self) -> int:
        return int(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Simulated:
    return Simulated()


def test_a_token_says_who_somebody_is_until_it_ends(clock: Simulated) -> None:
    keys = Keyring(Ed25519PrivateKey.generate(), clock)
    token = keys.sign("p-ann", name="Ann", roles=("player", "house"), ttl_s=60)
    for _ in range(2):
        found = keys.verify(token)
        assert (found.player_id, found.display_name, found.service) == ("p-ann", "Ann", "")
        assert found.roles == {"player", "house"}
    clock.seconds += 61
    for _ in range(2):
        with pytest.raises(Unauthenticated) as caught:
            keys.verify(token)
        assert caught.value.reason == "TOKEN_EXPIRED"


def test_the_key_is_made_once_and_for_the_owner_only(tmp_path: Path, clock: Simulated) -> None:
    path = tmp_path / "data" / "identity.pem"
    first = load_keyring(path, clock, embedded=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    second = load_keyring(path, clock, embedded=True)
    assert second.verify(first.sign("p-ann", ttl_s=60)).player_id == "p-ann"
    assert [item.name for item in path.parent.iterdir()] == ["identity.pem"]


def test_forged_tokens_are_refused(clock: Simulated) -> None:
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    keys = Keyring(key, clock)
    claims = {"iss": "ludolog", "sub": "p-ann", "roles": ["player"], "iat": 0, "exp": 2_000_000_000}
    headers = {"kid": key_id(key.public_key())}
    forged = [
        jwt.encode(claims, other, algorithm="EdDSA", headers=headers),
        jwt.encode(claims, "", algorithm="none", headers=headers),
        jwt.encode(claims, "k" * 32, algorithm="HS256", headers=headers),
        jwt.encode(claims, key, algorithm="EdDSA", headers={"kid": "unknown"}),
        jwt.encode(claims | {"iss": "elsewhere"}, key, algorithm="EdDSA", headers=headers),
        jwt.encode(claims | {"aud": "elsewhere"}, key, algorithm="EdDSA", headers=headers),
        jwt.encode({"iss": "ludolog", "sub": "p-ann"}, key, algorithm="EdDSA", headers=headers),
        "x" * 5000,
    ]
    for token in forged:
        with pytest.raises(Unauthenticated) as caught:
            keys.verify(token)
        assert caught.value.reason == "BAD_TOKEN"
    assert keys.verify(jwt.encode(claims, key, algorithm="EdDSA", headers=headers)).player_id == "p-ann"


def test_a_service_makes_its_token_anew_before_it_ends(clock: Simulated) -> None:
    keys = Keyring(Ed25519PrivateKey.generate(), clock)
    tokens = ServiceTokens(keys, "engine", clock)
    first = tokens.header()
    assert tokens.header() is first
    clock.seconds += 3000
    assert keys.verify(tokens.header().removeprefix("Bearer ")).service == "engine"
    assert tokens.header() != first


@pytest.mark.parametrize("jump_s", [7200, -86400])
def test_a_services_token_outlives_a_jump_of_the_clock_that_people_read(jump_s: int) -> None:
    clock = SimulatedClock()
    keys = Keyring(Ed25519PrivateKey.generate(), clock)
    tokens = ServiceTokens(keys, "engine", clock)
    tokens.header()
    clock.since_ms += jump_s * 1000
    found = keys.verify(tokens.header().removeprefix("Bearer "))
    assert found.service == "engine"
    assert SERVICE_TTL_S / 2 < keys.left_s(found) <= SERVICE_TTL_S


def test_a_file_that_is_no_such_key_is_named(tmp_path: Path, clock: Simulated) -> None:
    path = tmp_path / "identity.pem"
    path.write_text("nonsense")
    with pytest.raises(ValueError, match=r"identity\.pem: not a private key"):
        load_keyring(path, clock, embedded=True)


def test_an_operators_token_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUDOLOG_DATA", str(tmp_path))
    assert operators.main(["olga"]) == 2
    assert "identity.pem" in capsys.readouterr().err
    keys = load_keyring(tmp_path / "identity.pem", SystemClock(), embedded=True)
    assert operators.main(["olga"]) == 0
    found = keys.verify(capsys.readouterr().out.strip())
    assert found.roles == {"operator"}
    assert (found.player_id, found.service) == ("", "")
    assert operators.main([]) == 2


def test_an_operators_key_is_one_that_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = Keys(tmp_path)
    keys.make()
    monkeypatch.setenv("LUDOLOG_MODE", "cluster")
    monkeypatch.setenv("LUDOLOG_KAFKA_BOOTSTRAP", "k:1")
    monkeypatch.setenv("LUDOLOG_REDIS_URL", "redis://r")
    monkeypatch.setenv("LUDOLOG_TRUSTED_KEYS", str(keys.trusted))
    monkeypatch.setenv("LUDOLOG_IDENTITY_KEY_FILE", str(keys.private("gateway")))
    assert operators.main(["olga"]) == 2
    assert "gateway.pem isn't an operator's key" in capsys.readouterr().err
    monkeypatch.setenv("LUDOLOG_IDENTITY_KEY_FILE", str(keys.private("operator")))
    assert operators.main(["olga"]) == 0
    assert keys.ring("engine").verify(capsys.readouterr().out.strip()).roles == {"operator"}


def test_clocks_of_processes_may_differ(clock: Simulated) -> None:
    key = Ed25519PrivateKey.generate()
    ahead = Simulated()
    ahead.seconds += 600
    header = ServiceTokens(Keyring(key, ahead), "engine", ahead).header()
    assert Keyring(key, clock).verify(header.removeprefix("Bearer ")).service == "engine"
