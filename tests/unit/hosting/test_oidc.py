"""Tokens of another issuer, whose keys rotate on a local HTTP server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ludolog.hosting import BadSettings, Unauthenticated, Unavailable, load
from ludolog.hosting.oidc import PAUSE_S, Issuer
from tests.infra.asking import SimulatedClock
from tests.infra.issuer import AUDIENCE, LocalIssuer

NOW = 1_800_000_000


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(float(NOW), since_ms=0)


@pytest.fixture
async def local() -> AsyncIterator[LocalIssuer]:
    async with LocalIssuer() as issuer:
        for kid, algorithm in (("r", "RS256"), ("e", "ES256"), ("f", "ES384"), ("d", "EdDSA")):
            issuer.add_key(kid, algorithm)
        yield issuer


@pytest.fixture
def issuer(local: LocalIssuer, clock: SimulatedClock) -> Issuer:
    return Issuer(local.name, AUDIENCE, local.jwks, clock)


async def refused(issuer: Issuer, token: str) -> str:
    with pytest.raises(Unauthenticated) as caught:
        await issuer.verify(token)
    return caught.value.reason


@pytest.mark.parametrize("kid", ["r", "e", "f", "d"])
async def test_tokens_of_every_kind_of_key_are_taken(issuer: Issuer, local: LocalIssuer, kid: str) -> None:
    person = await issuer.verify(local.token(kid, NOW))
    assert (person.issuer, person.subject, person.name, person.expires_s) == (local.name, "user-1", "Ann", NOW + 600)


async def test_the_player_is_the_same_each_time_and_nobody_elses(
    issuer: Issuer, local: LocalIssuer, clock: SimulatedClock
) -> None:
    first = await issuer.verify(local.token("r", NOW))
    again = await issuer.verify(local.token("d", NOW, name="Ann B."))
    other = await issuer.verify(local.token("r", NOW, "user-2"))
    assert first.player_id == again.player_id != other.player_id
    assert first.player_id.startswith("p-")
    assert len(first.player_id) == 28
    assert "user" not in first.player_id


async def test_bad_tokens_are_refused(issuer: Issuer, local: LocalIssuer) -> None:
    bad: dict[str, dict[str, Any]] = {
        "another issuer": {"iss": "https://elsewhere.example"},
        "no issuer": {"iss": None},
        "another audience": {"aud": "somebody-else"},
        "no audience": {"aud": None},
        "no subject": {"sub": None},
        "an empty subject": {"sub": ""},
        "a long subject": {"sub": "x" * 300},
        "a subject that is no text": {"sub": 7},
        "no end": {"exp": None},
        "not yet": {"nbf": NOW + 300},
        "a name that is no text": {"name": {"first": "Ann"}},
    }
    for why, claims in bad.items():
        assert await refused(issuer, local.token("r", NOW, **claims)) == "BAD_TOKEN", why
    assert await refused(issuer, local.token("r", NOW, exp=NOW - 120)) == "TOKEN_EXPIRED"
    assert await refused(issuer, "x" * 10_000) == "BAD_TOKEN"
    assert (await issuer.verify(local.token("r", NOW, exp=NOW - 30))).subject == "user-1", "clocks differ"
    assert (await issuer.verify(local.token("r", NOW, aud=["else", AUDIENCE]))).subject == "user-1"


def signed_by_hand(header: dict[str, Any], claims: dict[str, Any], secret: bytes) -> str:
    """An HS256 token, past a library that refuses to sign with a public key."""
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (header, claims)]
    mac = hmac.digest(secret, b".".join(parts), hashlib.sha256)
    return b".".join([*parts, base64.urlsafe_b64encode(mac).rstrip(b"=")]).decode()


async def test_the_key_decides_the_algorithm(issuer: Issuer, local: LocalIssuer) -> None:
    claims = local.claims(NOW)
    for kid, (_, key) in local.keys.items():
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        confused = signed_by_hand({"alg": "HS256", "typ": "JWT", "kid": kid}, claims, public)
        assert await refused(issuer, confused) == "BAD_TOKEN"
        assert await refused(issuer, jwt.encode(claims, "", algorithm="none", headers={"kid": kid})) == "BAD_TOKEN"
    rsa_key = local.keys["r"][1]
    for algorithm in ("PS256", "RS512"):
        assert (
            await refused(issuer, jwt.encode(claims, rsa_key, algorithm=algorithm, headers={"kid": "r"})) == "BAD_TOKEN"
        )
    swapped = jwt.encode(claims, local.keys["e"][1], algorithm="ES256", headers={"kid": "r"})
    assert await refused(issuer, swapped) == "BAD_TOKEN"


async def test_shared_secrets_and_other_keys_of_the_document_arent_used(issuer: Issuer, local: LocalIssuer) -> None:
    secret = base64.urlsafe_b64encode(b"s" * 32).rstrip(b"=").decode()
    local.more = [{"kty": "oct", "k": secret, "kid": "s", "alg": "HS256"}, {"kty": "RSA", "kid": "broken"}, {}]
    local.more.append({**local.described()["keys"][0], "kid": "encrypts", "use": "enc"})
    token = jwt.encode(local.claims(NOW), b"s" * 32, algorithm="HS256", headers={"kid": "s"})
    assert await refused(issuer, token) == "BAD_TOKEN"
    for_encryption = jwt.encode(local.claims(NOW), local.keys["r"][1], algorithm="RS256", headers={"kid": "encrypts"})
    assert await refused(issuer, for_encryption) == "BAD_TOKEN"
    await issuer.verify(local.token("r", NOW))


async def test_keys_rotate(issuer: Issuer, local: LocalIssuer, clock: SimulatedClock) -> None:
    old = local.token("r", NOW)
    await issuer.verify(old)
    local.add_key("new", "ES256")
    clock.seconds += PAUSE_S
    await issuer.verify(local.token("new", NOW))
    await issuer.verify(old)
    assert local.asked == 2
    del local.keys["r"]
    clock.seconds += 4000
    await issuer.verify(local.token("new", int(clock.seconds)))
    assert await refused(
        issuer, jwt.encode(local.claims(int(clock.seconds)), "", algorithm="none", headers={"kid": "r"})
    )
    assert local.asked == 3


async def test_unknown_keys_dont_make_us_ask_again_and_again(
    issuer: Issuer, local: LocalIssuer, clock: SimulatedClock
) -> None:
    await issuer.verify(local.token("r", NOW))
    local.add_key("x", "EdDSA")
    clock.seconds += PAUSE_S / 2
    for _ in range(20):
        assert await refused(issuer, local.token("x", NOW)) == "BAD_TOKEN"
    assert local.asked == 1
    clock.seconds += PAUSE_S
    await issuer.verify(local.token("x", NOW))
    assert local.asked == 2


async def test_known_keys_outlive_an_issuer_that_is_away(
    issuer: Issuer, local: LocalIssuer, clock: SimulatedClock
) -> None:
    local.down = True
    with pytest.raises(Unavailable):
        await issuer.verify(local.token("r", NOW))
    local.down = False
    clock.seconds += PAUSE_S
    await issuer.verify(local.token("r", NOW))
    local.down = True
    clock.seconds += 4000
    await issuer.verify(local.token("r", int(clock.seconds)))


async def test_keys_may_be_in_a_file(local: LocalIssuer, clock: SimulatedClock, tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps(local.described()))
    await Issuer(local.name, AUDIENCE, str(path), clock).verify(local.token("d", NOW))


def test_settings_go_together_and_keys_come_over_tls() -> None:
    with pytest.raises(BadSettings) as caught:
        load({"LUDOLOG_OIDC_ISSUER": "https://id.example"})
    assert [line.split()[0] for line in caught.value.problems] == ["LUDOLOG_OIDC_AUDIENCE", "LUDOLOG_OIDC_JWKS"]
    with pytest.raises(BadSettings, match="LUDOLOG_OIDC_JWKS must be an https URL"):
        load({"LUDOLOG_OIDC_JWKS": "http://id.example/jwks"})
