"""Every method of every service, called by those who may not: refused with the right error, and nothing changes."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ludolog.client import Client
from ludolog.hosting import Platform, SystemClock
from ludolog.hosting.authorisation import rule_of
from ludolog.hosting.identity import Keyring
from ludolog.hosting.trust import key_id
from tests.infra.methods import Method, methods
from tests.integration.matchmaking.house import EVERYTHING, RULEBOOK, running

METHODS = tuple(methods())
PUBLIC = tuple(method for method in METHODS if method.public)
INTERNAL = tuple(method for method in METHODS if not method.public)
SERVICES = ("engine", "gateway", "matchmaking", "rng", "spectator", "replay", "bots", "web", "nonsense")
SERVER = {"engine": f"engine/{RULEBOOK}", "gateway": "gateway"}
ANN = "p-" + "a" * 26
UNAUTHENTICATED, DENIED = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED
Metadata = tuple[tuple[str, str], ...]


def bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


@pytest.fixture
async def platform(tmp_path: Path) -> AsyncIterator[Platform]:
    async with running(tmp_path, EVERYTHING, bots=0) as platform, Client(platform.channel("gateway")) as host:
        # Lists have something to begin with.
        await host.sign_in_guest("Host")
        await host.tables.create(RULEBOOK, 3)
        yield platform


def commits(folder: Path) -> int:
    """How many commits all logs of the folder have."""
    with sqlite3.connect(folder / "log.sqlite3") as file:
        return int(file.execute("SELECT count(*) FROM records WHERE key IS NOT NULL").fetchone()[0])


def bad_tokens(platform: Platform) -> dict[str, str]:
    """Tokens that stand for nobody, by the reason of their refusal and a name."""
    key, clock = Ed25519PrivateKey.generate(), SystemClock()
    ours = platform.keys.signer
    now = clock.now_ms() // 1000
    claims = {"iss": "ludolog", "sub": ANN, "roles": ["player"], "iat": now, "exp": now + 600}
    good = {"kid": key_id(ours.public_key())}
    return {
        "TOKEN_EXPIRED": platform.keys.sign(ANN, roles=("player",), ttl_s=-1),
        "BAD_TOKEN signed by somebody else": Keyring(key, clock).sign(ANN, roles=("player",), ttl_s=600),
        "BAD_TOKEN forged": jwt.encode(claims, key, algorithm="EdDSA", headers=good),
        "BAD_TOKEN unsigned": jwt.encode(claims, "", algorithm="none", headers=good),
        "BAD_TOKEN of another issuer": jwt.encode(
            claims | {"iss": "https://elsewhere.example"}, ours, algorithm="EdDSA", headers=good
        ),
        "BAD_TOKEN for somebody else": jwt.encode(claims | {"aud": "elsewhere"}, ours, algorithm="EdDSA", headers=good),
        "BAD_TOKEN of a service": platform.keys.sign("gateway", roles=("service",), ttl_s=600),
        "BAD_TOKEN of an operator": platform.keys.sign("olga", roles=("operator",), ttl_s=600),
        "BAD_TOKEN nonsense": "nonsense",
    }


async def test_public_methods_take_good_tokens_only(platform: Platform, tmp_path: Path) -> None:
    before = commits(tmp_path)
    channel = platform.channel("gateway")
    tokens = bad_tokens(platform)
    for method in PUBLIC:
        for name, token in tokens.items():
            answer = await method.answer(channel, bearer(token))
            assert answer is not None, (method.path, name)
            assert (answer.code, answer.reason) == (UNAUTHENTICATED, name.split()[0]), (method.path, name)
    assert commits(tmp_path) == before


async def test_players_methods_need_a_player(platform: Platform, tmp_path: Path) -> None:
    before = commits(tmp_path)
    channel = platform.channel("gateway")
    for method in PUBLIC:
        answer = await method.answer(channel)
        refused = answer is not None and answer.code is UNAUTHENTICATED and answer.reason == "UNAUTHENTICATED"
        assert refused is rule_of(method.path).player, method.path
    assert commits(tmp_path) == before


async def test_nothing_internal_is_reached_from_outside(platform: Platform) -> None:
    channel = platform.channel("gateway")
    for token in (platform.keys.sign(ANN, roles=("player",), ttl_s=600), ""):
        for method in INTERNAL:
            answer = await method.answer(channel, bearer(token) if token else None)
            assert answer is not None
            assert answer.code is grpc.StatusCode.UNIMPLEMENTED, method.path


def owner_of(method: Method) -> str:
    """The service that a method is of, as its channel is called: ludolog.api.engine.v1.EngineService → engine."""
    name = method.service.split(".")[2]
    return {"gateway": "players"}.get(name, name)


def server(platform: Platform, method: Method, sender: str = "", *, on_behalf: bool = False) -> grpc.aio.Channel:
    """The internal server of a method."""
    name = owner_of(method)
    if name == "engine":
        return platform.connect(f"local:engine/{RULEBOOK}", sender, on_behalf=on_behalf)
    return platform.channel(name, sender, on_behalf=on_behalf)


REFUSED = {
    "nobody": (UNAUTHENTICATED, "NOT_A_SERVICE"),
    "nonsense": (UNAUTHENTICATED, "BAD_TOKEN"),
    "nonsense for a player": (UNAUTHENTICATED, "BAD_SERVICE_TOKEN"),
}
"""How those are refused who are no service of ours; the others are services that have no business there."""


async def test_internal_methods_need_the_right_service(platform: Platform, tmp_path: Path) -> None:
    before = commits(tmp_path)
    player = bearer(platform.keys.sign(ANN, name="Ann", roles=("player",), ttl_s=600))
    operator = bearer(platform.keys.sign("olga", roles=("operator",), ttl_s=600))
    for method in INTERNAL:
        rule = rule_of(method.path)
        plain = server(platform, method)
        answers = {"nobody": await method.answer(plain), "a player": await method.answer(plain, player)}
        for service in SERVICES:
            if service not in rule.senders:
                answers[service] = await method.answer(server(platform, method, service))
                handed = server(platform, method, service, on_behalf=True)
                answers[f"{service} for a player"] = await method.answer(handed, player)
        if not rule.handed_on:
            for service in rule.senders:
                handed = server(platform, method, service, on_behalf=True)
                answers[f"{service} for a player"] = await method.answer(handed, player)
        if not rule.operator:
            answers["an operator"] = await method.answer(plain, operator)
        for who, answer in answers.items():
            assert answer is not None, (method.path, who)
            expected = REFUSED.get(who, (DENIED, "NOT_A_SERVICE"))
            assert (answer.code, answer.reason) == expected, (method.path, who, answer)
    assert commits(tmp_path) == before


async def test_the_right_service_is_let_in(platform: Platform) -> None:
    """Or else the tests above would hold for a platform that refuses everybody. Empty requests are answered somehow."""
    player = bearer(platform.keys.sign(ANN, name="Ann", roles=("player",), ttl_s=600))
    for method in INTERNAL:
        rule = rule_of(method.path)
        for service in rule.senders:
            channel = server(platform, method, service, on_behalf=rule.handed_on)
            answer = await method.answer(channel, player if rule.handed_on else None)
            assert answer is None or answer.code not in (UNAUTHENTICATED, DENIED), (method.path, service, answer)
