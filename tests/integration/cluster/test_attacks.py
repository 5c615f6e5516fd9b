"""From outside and from inside of a cluster: what isn't for the caller isn't answered, whatever token it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from deploy.dev.keys import Keys
from deploy.dev.platform import Cluster, ServiceProcess
from ludolog.client.connection import credentials_of
from ludolog.hosting.authorisation import rule_of
from ludolog.hosting.callers import SERVICE_KEY, certified_name
from tests.infra.methods import Method, methods
from tests.infra.playing import RULEBOOK
from tests.integration.cluster.conftest import certificates_of

INTERNAL = tuple(method for method in methods() if not method.public)
PLAYER = "p-" + "a" * 26
UNAUTHENTICATED, DENIED = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED
Metadata = tuple[tuple[str, str], ...]


@pytest.fixture
def keys(cluster: Cluster) -> Keys:
    """What the cluster's tokens are signed with."""
    return cluster.keys


@pytest.fixture
def forger(tmp_path: Path) -> Keys:
    """Keys as the cluster's, that nobody trusts."""
    made = Keys(tmp_path / "forged")
    made.make()
    return made


def bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


def handed_on(token: str, player: str) -> Metadata:
    return (*bearer(player), (SERVICE_KEY, f"Bearer {token}"))


def process_of(cluster: Cluster, method: Method) -> ServiceProcess:
    """The process that a method is served by."""
    service = method.service.split(".")[2]
    engine = f"engine-1-{RULEBOOK}"
    return next(one for one in cluster.processes if one.name == (engine if service == "engine" else service))


@asynccontextmanager
async def inside(cluster: Cluster, method: Method, certificate: str) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to the port between services, with a service's certificate."""
    process = process_of(cluster, method)
    options = (("grpc.ssl_target_name_override", certified_name(process.service)),)
    credentials = certificates_of(cluster).credentials(certificate)
    async with grpc.aio.secure_channel(process.address, credentials, options) as channel:
        yield channel


async def test_nothing_internal_is_reached_through_the_gateway(cluster: Cluster, keys: Keys, forger: Keys) -> None:
    """Not by a player, not by a forger, and not with a service's own token that got out."""
    shown: dict[str, Metadata] = {"nobody": ()}
    for who, ring in (("cluster", keys), ("forger", forger)):
        player = ring.player_token(PLAYER)
        shown |= {f"{who}: a player": bearer(player)}
        for service in ("engine", "gateway", "matchmaking"):
            token = ring.service_token(service)
            shown |= {f"{who}: {service}": bearer(token), f"{who}: {service} for a player": handed_on(token, player)}
    credentials = credentials_of(certificates_of(cluster).certificate("public-ca"))
    async with grpc.aio.secure_channel(cluster.gateway_address, credentials) as channel:
        for method in INTERNAL:
            for who, metadata in shown.items():
                answer = await method.answer(channel, metadata)
                assert answer is not None, (method.path, who)
                assert answer.code is grpc.StatusCode.UNIMPLEMENTED, (method.path, who, answer)


def forgeries(forger: Keys, keys: Keys, sender: str) -> Iterator[tuple[str, Metadata, frozenset[str]]]:
    """(what is shown, the reasons that refuse it) by whoever has a service's certificate, and no token of its own."""
    player = keys.player_token(PLAYER)
    forged = forger.service_token(sender)
    ended = keys.service_token(sender, -1)
    yield "no token", (), frozenset({"NOT_A_SERVICE"})
    yield "a player's token alone", bearer(player), frozenset({"NOT_A_SERVICE"})
    yield "a forged service token", bearer(forged), frozenset({"BAD_TOKEN"})
    yield "a forged one that hands on", handed_on(forged, player), frozenset({"BAD_SERVICE_TOKEN"})
    yield "one that has ended", bearer(ended), frozenset({"TOKEN_EXPIRED"})
    yield "one that has ended and hands on", handed_on(ended, player), frozenset({"BAD_SERVICE_TOKEN"})
    yield "a player's as a service's", handed_on(player, player), frozenset({"BAD_SERVICE_TOKEN"})


async def test_a_certificate_alone_gets_nothing(cluster: Cluster, keys: Keys, forger: Keys) -> None:
    for method in INTERNAL:
        sender = min(rule_of(method.path).senders)
        async with inside(cluster, method, sender) as channel:
            for what, metadata, reasons in forgeries(forger, keys, sender):
                answer = await method.answer(channel, metadata)
                assert answer is not None, (method.path, what)
                assert answer.code in (UNAUTHENTICATED, DENIED), (method.path, what, answer)
                assert answer.reason in reasons, (method.path, what, answer)


async def test_a_token_with_another_services_certificate_gets_nothing(cluster: Cluster, keys: Keys) -> None:
    """A token that got out is nothing without its service's certificate. With both, the sender is let in."""
    player = keys.player_token(PLAYER, "Ann")
    for method in INTERNAL:
        rule = rule_of(method.path)
        sender = min(rule.senders)
        token = keys.service_token(sender)
        metadata = handed_on(token, player) if rule.handed_on else bearer(token)
        async with inside(cluster, method, "web") as channel:
            answer = await method.answer(channel, metadata)
            assert answer is not None, method.path
            assert (answer.code, answer.reason) == (UNAUTHENTICATED, "WRONG_CERTIFICATE"), method.path
        async with inside(cluster, method, sender) as channel:
            answer = await method.answer(channel, metadata)
            assert answer is None or answer.code not in (UNAUTHENTICATED, DENIED), (method.path, answer)
